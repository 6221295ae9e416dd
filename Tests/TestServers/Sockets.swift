#if Redis
import Foundation

import CLibrary

/// A stream socket with blocking reads and writes: the tests' own way to a server, independent of the code under test.
package final class Socket: Sendable {
    package let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Connects to a Unix domain socket.
    package static func connected(to path: String) throws -> Socket {
        let socket = Socket(stream(AF_UNIX))
        try check(unsafe withAddress(path) { unsafe connect(socket.descriptor, $0, $1) }, "connect")
        return socket
    }

    /// Listens on a Unix domain socket.
    package static func listening(at path: String) throws -> Socket {
        let socket = Socket(stream(AF_UNIX))
        try check(unsafe withAddress(path) { unsafe bind(socket.descriptor, $0, $1) }, "bind")
        try check(listen(socket.descriptor, 64), "listen")
        return socket
    }

    /// Connects to a port of 127.0.0.1.
    package static func connected(to port: Int) throws -> Socket {
        let socket = Socket(stream(AF_INET))
        try check(unsafe withAddress(port: port) { unsafe connect(socket.descriptor, $0, $1) }, "connect")
        return socket
    }

    /// Listens on a port of 127.0.0.1 that the system chooses.
    package static func listening() throws -> (socket: Socket, port: Int) {
        let (socket, port) = try boundToFreePort()
        try check(listen(socket.descriptor, 64), "listen")
        return (socket, port)
    }

    /// Finds a port of 127.0.0.1 on which no process listens at the moment.
    package static func freePort() throws -> Int { try boundToFreePort().port }

    private static func boundToFreePort() throws -> (socket: Socket, port: Int) {
        let socket = Socket(stream(AF_INET))
        try check(unsafe withAddress(port: 0) { unsafe bind(socket.descriptor, $0, $1) }, "bind")
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        try unsafe withUnsafeMutablePointer(to: &address) { pointer in
            try unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                try check(unsafe getsockname(socket.descriptor, $0, &size), "getsockname")
            }
        }
        return (socket, Int(UInt16(bigEndian: address.sin_port)))
    }

    /// The next connection; `nil` once the socket was shut down.
    package func nextPeer() -> Socket? {
        let peer = accept(descriptor, nil, nil)
        return peer < 0 ? nil : Socket(peer)
    }

    package func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = unsafe rest.withUnsafeBytes { unsafe send(descriptor, $0.baseAddress, $0.count, Self.flags) }
            guard sent > 0 else { return }
            rest = rest.dropFirst(sent)
        }
    }

    /// Reads the next bytes; empty at the end.
    package func read() -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
        return count > 0 ? Array(buffer.prefix(count)) : []
    }

    package func shut() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

    #if canImport(Darwin)
    private static let flags: Int32 = 0
    private static func stream(_ family: Int32) -> Int32 { socket(family, SOCK_STREAM, 0) }
    #else
    private static let flags = Int32(MSG_NOSIGNAL)
    private static func stream(_ family: Int32) -> Int32 { socket(family, Int32(SOCK_STREAM.rawValue), 0) }
    #endif

    private static func check(_ code: Int32, _ call: String) throws {
        if code != 0 { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO, userInfo: ["call": call]) }
    }

    private static func withAddress(
        _ path: String,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: Array(path.utf8)) }
        return unsafe withUnsafePointer(to: address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    private static func withAddress(
        port: Int,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = UInt16(port).bigEndian
        return unsafe withUnsafePointer(to: address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
#endif
