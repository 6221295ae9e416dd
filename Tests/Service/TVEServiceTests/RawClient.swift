#if Service
import Foundation
import NIOCore
import NIOPosix
import Testing

/// One HTTP response.
struct Answer: Sendable {
    let status: Int
    let fields: [(name: String, value: String)]
    let body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }
    var object: [String: Any] { Self.object(body) }
    /// Each line of the body as a JSON object.
    var objects: [[String: Any]] { body.split(separator: UInt8(ascii: "\n")).map { Self.object(Array($0)) } }
    var code: String? { (object["error"] as? [String: Any])?["code"] as? String ?? object["code"] as? String }

    subscript(name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// The values of all fields of a name, in their order.
    func values(of name: String) -> [String] {
        fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    private static func object(_ bytes: [UInt8]) -> [String: Any] {
        (try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]) ?? [:]
    }

    /// Reads all complete responses of one connection.
    ///
    /// - Parameters:
    ///   - bytes: Everything that was received.
    ///   - toHead: Whether the requests were HEAD, whose responses give the length of a body that does not follow.
    /// - Returns: The responses; an incomplete one at the end is left out.
    static func all(in bytes: [UInt8], toHead: Bool = false) -> [Answer] {
        var answers: [Answer] = []
        var rest = bytes[...]
        while let answer = Answer(&rest, toHead) { answers.append(answer) }
        return answers
    }

    private init?(_ rest: inout ArraySlice<UInt8>, _ toHead: Bool) {
        guard let end = rest.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: rest[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        guard let status = lines[0].split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else { return nil }
        self.status = status
        fields = lines.dropFirst().map { line in
            let name = line.prefix { $0 != ":" }
            return (String(name), line.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces))
        }
        rest = rest[end.upperBound...]
        let field = { (name: String) in
            lines.first { $0.lowercased().hasPrefix(name) }?.split(separator: ":")[1].trimmingCharacters(
                in: .whitespaces)
        }
        if field("transfer-encoding:") == "chunked" {
            var body: [UInt8] = []
            var isWhole = false
            while let end = rest.firstRange(of: Array("\r\n".utf8)) {
                guard let size = Int(String(decoding: rest[..<end.lowerBound], as: UTF8.self), radix: 16),
                    rest.endIndex >= end.upperBound + size + 2
                else { return nil }
                body += rest[end.upperBound..<end.upperBound + size]
                rest = rest[(end.upperBound + size + 2)...]
                isWhole = size == 0
                if isWhole { break }
            }
            guard isWhole else { return nil }
            self.body = body
        } else {
            let size = toHead ? 0 : field("content-length:").flatMap { Int($0) } ?? 0
            guard rest.count >= size else { return nil }
            body = Array(rest.prefix(size))
            rest = rest.dropFirst(size)
        }
    }
}

/// A TCP connection to which tests write raw bytes.
struct RawConnection: Sendable {
    private let channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>

    /// Connects, runs `body`, and closes the connection.
    ///
    /// - Parameters:
    ///   - port: The port of the service.
    ///   - source: The address of this machine to connect from; `nil` for any.
    ///   - body: Uses the connection.
    /// - Returns: What the body returned.
    /// - Throws: An error of the socket, or of the body.
    static func to<Found: Sendable>(
        _ port: Int,
        from source: String? = nil,
        _ body:
            @Sendable @escaping (
                NIOAsyncChannelInboundStream<ByteBuffer>, NIOAsyncChannelOutboundWriter<ByteBuffer>
            ) async throws -> Found
    ) async throws -> Found {
        var bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        if let source { bootstrap = bootstrap.bind(to: try SocketAddress(ipAddress: source, port: 0)) }
        let channel =
            try await bootstrap
            .channelOption(ChannelOptions.allowRemoteHalfClosure, value: true)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    // So that a test can close the client's side alone.
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                        wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
                }
            }
        return try await channel.executeThenClose(body)
    }

    /// Writes bytes, and reads until the server closes the connection, or enough has come.
    static func exchange(
        _ port: Int,
        _ bytes: [UInt8],
        from source: String? = nil,
        until isEnough: @escaping @Sendable ([UInt8]) -> Bool = { _ in false }
    ) async throws -> [UInt8] {
        try await to(port, from: source) { inbound, outbound in
            // The server may close the connection before it has read everything.
            try? await outbound.write(ByteBuffer(bytes: bytes))
            return await read(inbound, until: isEnough)
        }
    }

    /// Sends HEAD and then GET on one connection, and expects the second answer right after the head of the first.
    ///
    /// - Parameters:
    ///   - target: What is asked for.
    ///   - port: The port of the service.
    /// - Returns: The status of both answers.
    /// - Throws: An error of the socket; one of the test if there are not two answers.
    static func statusOfHeadAndGet(_ target: String, at port: Int) async throws -> Int {
        let bytes = try await exchange(port, request("HEAD", target, closes: false) + request("GET", target))
        let end = try #require(bytes.firstRange(of: Array("\r\n\r\n".utf8))).upperBound
        let toHead = try #require(Answer.all(in: Array(bytes[..<end]), toHead: true).first)
        let toGet = try #require(Answer.all(in: Array(bytes[end...])).first, "\(target)")
        #expect(toHead.status == toGet.status, "\(target)")
        #expect(toHead["Content-Length"] == toGet["Content-Length"], "\(target)")
        return toGet.status
    }

    /// Sends a request whose body comes piece by piece, ten in a second.
    ///
    /// - Parameters:
    ///   - head: The head of the request.
    ///   - piece: What is sent again and again.
    ///   - times: How often.
    ///   - port: The port of the service.
    /// - Returns: The responses until the server closes the connection, which it must do.
    /// - Throws: An error of the socket.
    static func trickle(
        _ head: [UInt8], then piece: [UInt8], times: Int = 1_000_000, to port: Int
    ) async throws -> [Answer] {
        let received = try await to(port) { inbound, outbound in
            // A client that is held up here finds the connection closed.
            try? await outbound.write(ByteBuffer(bytes: head))
            return await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    for _ in 0..<times where (try? await outbound.write(ByteBuffer(bytes: piece))) != nil {
                        guard (try? await Task.sleep(for: .milliseconds(100))) != nil else { return }
                    }
                }
                defer { group.cancelAll() }
                return await read(inbound)
            }
        }
        return Answer.all(in: received)
    }

    /// Reads until the server closes the connection, or enough has come.
    ///
    /// The limit is not one that a server has to keep: it only ends a test that would wait for ever.
    static func read(
        _ inbound: NIOAsyncChannelInboundStream<ByteBuffer>,
        until isEnough: @escaping @Sendable ([UInt8]) -> Bool = { _ in false }
    ) async -> [UInt8] {
        await withTaskGroup(of: Bool.self) { group in
            let gathered = Gathered()
            group.addTask {
                do {
                    for try await buffer in inbound {
                        gathered.add(Array(buffer.readableBytesView))
                        if isEnough(gathered.bytes) { break }
                    }
                } catch {}
                return true
            }
            // Not over if the sleep was cut short because the reading has ended, or the test.
            group.addTask { (try? await Task.sleep(for: .seconds(120))) == nil }
            let hasEnded = await group.next() ?? true
            group.cancelAll()
            #expect(hasEnded, "the server has not closed the connection")
            return gathered.bytes
        }
    }
}

private final class Gathered: @unchecked Sendable {
    private let lock = NSLock()
    private var all: [UInt8] = []

    func add(_ bytes: [UInt8]) { lock.withLock { all += bytes } }
    var bytes: [UInt8] { lock.withLock { all } }
}

/// The bytes of one request.
func request(
    _ method: String = "GET",
    _ target: String,
    fields: [String] = [],
    body: [UInt8]? = nil,
    version: String = "1.1",
    closes: Bool = true
) -> [UInt8] {
    var head = ["\(method) \(target) HTTP/\(version)", "Host: localhost"] + fields
    if let body { head.append("Content-Length: \(body.count)") }
    if closes { head.append("Connection: close") }
    return Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8) + (body ?? [])
}
#endif
