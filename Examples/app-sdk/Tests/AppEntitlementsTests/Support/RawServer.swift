import Foundation

#if canImport(Glibc)
import Glibc
private let streamSocket = Int32(SOCK_STREAM.rawValue)
private let noSignal = Int32(MSG_NOSIGNAL)
#else
import Darwin
private let streamSocket = SOCK_STREAM
private let noSignal: Int32 = 0
#endif

/// A server on the loopback interface that answers the bytes of the test, and closes the connection.
final class RawServer: @unchecked Sendable {
    /// What is written of a request; `nil` answers nothing, and keeps the connection open.
    typealias Handler = @Sendable (_ request: String) -> [String]?

    let port: UInt16
    private let listener: Int32
    private let handler: Handler
    /// How long to wait after each part of an answer, in seconds.
    private let pause: Double
    // Sendable: they are only used with the lock held.
    private let lock = NSLock()
    private var seen: [String] = []
    private var open: [Int32] = []
    private var sent = 0
    private var writing = 0

    /// The requests so far.
    var requests: [String] { lock.withLock { seen } }

    /// How many parts of answers were taken so far.
    var partsSent: Int { lock.withLock { sent } }

    /// Whether no answer is being written.
    var isQuiet: Bool { lock.withLock { writing == 0 } }

    /// The address of the server.
    var address: String { "http://127.0.0.1:\(port)" }

    init(pausing pause: Double = 0, _ handler: @escaping Handler) throws {
        (self.handler, self.pause) = (handler, pause)
        listener = socket(AF_INET, streamSocket, 0)
        port = try Self.bind(listener)
        guard listen(listener, 16) == 0 else { throw POSIXError(.EADDRINUSE) }
        Thread { [self] in accept() }.start()
    }

    /// Closes all connections.
    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        for connection in lock.withLock({ open }) { close(connection) }
    }

    /// A port that nothing listens on.
    static func freePort() throws -> UInt16 {
        let descriptor = socket(AF_INET, streamSocket, 0)
        defer { close(descriptor) }
        return try bind(descriptor)
    }

    private static func bind(_ descriptor: Int32) throws -> UInt16 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                #if canImport(Glibc)
                let bound = Glibc.bind(descriptor, address, length)
                #else
                let bound = Darwin.bind(descriptor, address, length)
                #endif
                return bound == 0 ? getsockname(descriptor, address, &length) : bound
            }
        }
        guard status == 0 else { throw POSIXError(.EADDRINUSE) }
        return UInt16(bigEndian: address.sin_port)
    }

    private func accept() {
        while true {
            #if canImport(Glibc)
            let connection = Glibc.accept(listener, nil, nil)
            #else
            let connection = Darwin.accept(listener, nil, nil)
            #endif
            guard connection >= 0 else { return }
            Thread { [self] in answer(connection) }.start()
        }
    }

    private func answer(_ connection: Int32) {
        var request = ""
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while !Self.isWhole(request) {
            let count = read(connection, &buffer, buffer.count)
            guard count > 0 else { break }
            request += String(decoding: buffer[..<count], as: UTF8.self)
        }
        lock.withLock { seen.append(request) }
        guard let parts = handler(request) else { return lock.withLock { open.append(connection) } }
        lock.withLock { writing += 1 }
        defer { lock.withLock { writing -= 1 } }
        for part in parts {
            guard send(connection, part, part.utf8.count, noSignal) > 0 else { break }
            lock.withLock { sent += 1 }
            if pause > 0 { Thread.sleep(forTimeInterval: pause) }
        }
        close(connection)
    }

    /// Whether a request has its head and the body that the head announces.
    ///
    /// Closing a connection with bytes that were not read resets it, and the other side loses the rest of the answer.
    private static func isWhole(_ request: String) -> Bool {
        guard let end = request.range(of: "\r\n\r\n") else { return false }
        var announced = 0
        for line in request[..<end.lowerBound].split(separator: "\r\n") {
            let field = line.split(separator: ":", maxSplits: 1)
            guard field.count == 2, field[0].lowercased() == "content-length" else { continue }
            announced = Int(field[1].trimmingCharacters(in: .whitespaces)) ?? 0
        }
        return request[end.upperBound...].utf8.count >= announced
    }
}
