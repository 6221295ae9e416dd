import Foundation

import CLibrary

/// The socket on which a service manager hears how its service is, as systemd makes one for each unit of `Type=notify`.
package final class NotifySocket: Sendable {
    /// The value of `NOTIFY_SOCKET`.
    package let address: String
    private let descriptor: Int32

    /// Opens a socket.
    ///
    /// - Parameter address: A path, or a name after `@`.
    /// - Throws: `POSIXError`.
    package init(at address: String) throws {
        self.address = address
        #if canImport(Glibc)
        let kind = Int32(SOCK_DGRAM.rawValue)
        #else
        let kind = SOCK_DGRAM
        #endif
        descriptor = socket(AF_UNIX, kind, 0)
        // Not the code under test: the name is laid out by hand.
        var name = [UInt8](address.utf8)
        if name.first == UInt8(ascii: "@") { name[0] = 0 }
        var bytes = unsafe withUnsafeBytes(of: sa_family_t(AF_UNIX)) { unsafe [UInt8]($0) } + name
        if name.first != 0 { bytes.append(0) }
        let result = unsafe bytes.withUnsafeBytes { buffer in
            unsafe buffer.baseAddress.map { start in
                unsafe bind(descriptor, start.assumingMemoryBound(to: sockaddr.self), socklen_t(buffer.count))
            } ?? -1
        }
        guard descriptor >= 0, result == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }

    deinit { close(descriptor) }

    /// What was said next; `nil` if nothing is said in time.
    package func next(within seconds: Int32 = 120) -> String? {
        var question = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&question, 1, seconds * 1000) == 1 else { return nil }
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = unsafe recv(descriptor, &bytes, bytes.count, 0)
        return count >= 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
    }
}
