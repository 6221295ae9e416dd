#if Redis
import Foundation
import TestVectors

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
        let socket = Socket(stream(AF_INET))
        try check(unsafe withAddress(port: 0) { unsafe bind(socket.descriptor, $0, $1) }, "bind")
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        try unsafe withUnsafeMutablePointer(to: &address) { pointer in
            try unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                try check(unsafe getsockname(socket.descriptor, $0, &size), "getsockname")
            }
        }
        try check(listen(socket.descriptor, 64), "listen")
        return (socket, Int(UInt16(bigEndian: address.sin_port)))
    }

    /// The next connection; `nil` once the socket was shut down.
    ///
    /// Only for a thread that does nothing else.
    package func nextPeer() -> Socket? {
        let peer = accept(descriptor, nil, nil)
        return peer < 0 ? nil : Socket(peer)
    }

    /// Writes all bytes.
    ///
    /// - Returns: Whether the other end still took them.
    @discardableResult
    package func write(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = unsafe rest.withUnsafeBytes { unsafe send(descriptor, $0.baseAddress, $0.count, Self.flags) }
            guard sent > 0 else { return false }
            rest = rest.dropFirst(sent)
        }
        return true
    }

    /// Reads the next bytes.
    ///
    /// - Parameter limit: How long to wait for them; `nil` only on a thread that does nothing else.
    /// - Returns: The bytes; none at the end, or at the limit.
    package func read(within limit: Duration? = patience) -> [UInt8] {
        var question = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let milliseconds = limit.map { Int32($0.components.seconds * 1000) } ?? -1
        var ready: Int32 = 0
        repeat { ready = unsafe poll(&question, 1, milliseconds) } while ready < 0 && errno == EINTR
        guard ready == 1 else { return [] }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
        return count > 0 ? Array(buffer.prefix(count)) : []
    }

    /// Reads so many bytes, or fewer at the end.
    package func read(count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count, case let more = read(), !more.isEmpty { bytes += more }
        return bytes
    }

    /// Reads one reply of Redis that is a line, or a text with its length before it.
    package func readReply() -> [UInt8] {
        var bytes = read()
        guard bytes.first == UInt8(ascii: "$"), let end = bytes.firstIndex(of: UInt8(ascii: "\r")),
            let length = Int(String(decoding: bytes[1..<end], as: UTF8.self)), length >= 0
        else { return bytes }
        let size = end + 2 + length + 2
        if bytes.count < size { bytes += read(count: size - bytes.count) }
        return bytes
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
