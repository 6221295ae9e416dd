import Foundation

/// A port of 127.0.0.1 that no other program gets, although nothing listens at it: connections are refused.
///
/// One server of this process may listen at it, with the socket option `SO_REUSEPORT`. Once that server has stopped,
/// connections are refused again.
package final class HeldPort: Sendable {
    package let number: Int
    private let descriptor: Int32

    /// Takes a port that the system chooses.
    ///
    /// - Throws: `POSIXError`.
    package init() throws {
        #if canImport(Darwin)
        let kind = SOCK_STREAM
        #else
        let kind = Int32(SOCK_STREAM.rawValue)
        #endif
        descriptor = socket(AF_INET, kind, 0)
        number = try Self.bindToFreePort(descriptor)
    }

    deinit { close(descriptor) }

    package var authority: String { "127.0.0.1:\(number)" }

    private static func bindToFreePort(_ descriptor: Int32) throws -> Int {
        var isShared: Int32 = 1
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        try check(
            unsafe setsockopt(
                descriptor, SOL_SOCKET, SO_REUSEPORT, &isShared, socklen_t(MemoryLayout<Int32>.size)))
        try unsafe withUnsafeMutablePointer(to: &address) { pointer in
            try unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                try check(unsafe bind(descriptor, $0, size))
                try check(unsafe getsockname(descriptor, $0, &size))
            }
        }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    private static func check(_ code: Int32) throws {
        if code != 0 { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }
}
