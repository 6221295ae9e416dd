#if Client
import CLibrary
import NIOCore
import NIOPosix
import Synchronization

/// A server on 127.0.0.1 that sends what a test says, byte by byte.
final class RawServer: Sendable {
    let port: Int
    private let listener: any Channel
    private let connections: Connections

    /// Starts a server.
    ///
    /// - Parameter script: What happens on each connection; it closes when the script ends.
    /// - Throws: What binding the socket throws.
    init(_ script: @escaping @Sendable (Peer) async throws -> Void) async throws {
        let connections = Connections()
        listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.backlog, value: 256)
            .childChannelInitializer { channel in
                let (bytes, continuation) = AsyncStream<ByteBuffer>.makeStream()
                connections.add(channel)
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Receiver(continuation))
                    Task {
                        // What fails after the client has gone, or after the test, is not a failure.
                        try? await script(
                            Peer(channel, RequestReader(bytes, counting: connections.requests), connections.sends))
                        try? await channel.close()
                        connections.remove(channel)
                    }
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = listener.localAddress?.port ?? 0
        self.connections = connections
    }

    /// How many connections are open.
    var openConnections: Int { connections.all.count }

    /// How many connections there were so far.
    var connectionCount: Int { connections.count }

    /// How many requests were read so far.
    var requestCount: Int { connections.requests.count }

    /// How many parts of answers were sent so far.
    var sendCount: Int { connections.sends.count }

    /// Closes the socket and all connections.
    func stop() async {
        try? await listener.close()
        for connection in connections.all { try? await connection.close() }
    }
}

/// The server's side of a connection.
struct Peer: Sendable {
    /// The port of the client's side: another one means another connection.
    let clientPort: Int
    private let channel: any Channel
    private let requests: RequestReader
    private let sends: Counter

    fileprivate init(_ channel: any Channel, _ requests: RequestReader, _ sends: Counter) {
        self.channel = channel
        self.requests = requests
        self.sends = sends
        clientPort = channel.remoteAddress?.port ?? 0
    }

    /// The next request, with its body; `nil` at the end.
    func request() async -> String? { await requests.next() }

    /// Waits for the first bytes of a request.
    func begin() async { await requests.begin() }

    func send(_ text: String) async throws { try await send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) async throws {
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes))
        sends.add()
    }

    /// Sends a whole answer.
    func answer(_ body: String = "{}", status: String = "200 OK", fields: String = "") async throws {
        try await answer(Array(body.utf8), status: status, fields: fields)
    }

    func answer(_ body: [UInt8], status: String = "200 OK", fields: String = "") async throws {
        let head = "HTTP/1.1 \(status)\r\n\(fields)Content-Length: \(body.count)\r\n\r\n"
        try await send(Array(head.utf8) + body)
    }

    /// Says that nothing follows, as a server does that closes; waits until the client has closed, too.
    func closeOutput() async throws {
        try await channel.close(mode: .output)
        await waitForEnd()
    }

    /// Breaks the connection, so that the client's system reports a reset.
    func reset() async throws {
        try await (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        try await channel.close()
    }

    /// Waits until the client has closed, or the server is stopped.
    func waitForEnd() async { while await request() != nil {} }
}

private final class Connections: Sendable {
    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        var count = 0
    }

    private let state = Mutex(State())
    let requests = Counter()
    let sends = Counter()

    var all: [any Channel] { state.withLock { Array($0.channels.values) } }
    var count: Int { state.withLock { $0.count } }

    func add(_ channel: any Channel) {
        state.withLock { state in
            state.channels[ObjectIdentifier(channel)] = channel
            state.count += 1
        }
    }

    func remove(_ channel: any Channel) { state.withLock { $0.channels[ObjectIdentifier(channel)] = nil } }
}

/// A number that tasks count up.
final class Counter: Sendable {
    private let number = Atomic(0)

    var count: Int { number.load(ordering: .sequentiallyConsistent) }

    func add() { number.add(1, ordering: .sequentiallyConsistent) }
}

private final class Receiver: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let continuation: AsyncStream<ByteBuffer>.Continuation

    init(_ continuation: AsyncStream<ByteBuffer>.Continuation) { self.continuation = continuation }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { continuation.yield(unwrapInboundIn(data)) }

    func channelInactive(context: ChannelHandlerContext) { continuation.finish() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

/// Splits what a client sends into requests.
private actor RequestReader {
    private let bytes: AsyncStream<ByteBuffer>
    private let counter: Counter
    private var text = ""

    init(_ bytes: AsyncStream<ByteBuffer>, counting counter: Counter) { (self.bytes, self.counter) = (bytes, counter) }

    /// Waits for some bytes, which `next` reads as well.
    func begin() async {
        var iterator = bytes.makeAsyncIterator()
        if text.isEmpty, let first = await iterator.next(isolation: self) { text = String(buffer: first) }
    }

    func next() async -> String? {
        var iterator = bytes.makeAsyncIterator()
        while true {
            if let end = text.firstRange(of: "\r\n\r\n")?.upperBound {
                let head = text[..<end].lowercased()
                let length = head.firstRange(of: "content-length: ").flatMap { found in
                    Int(head[found.upperBound...].prefix { $0.isNumber })
                }
                let size = head.utf8.count + (length ?? 0)
                if text.utf8.count >= size {
                    defer { text = String(text.utf8.dropFirst(size)) ?? "" }
                    counter.add()
                    return String(text.utf8.prefix(size))
                }
            }
            guard let more = await iterator.next(isolation: self) else { return nil }
            text += String(buffer: more)
        }
    }
}
#endif
