#if Client
import NIOCore
import NIOPosix
import Synchronization

/// A proxy on 127.0.0.1 that opens tunnels, all of them to 127.0.0.1, or does not.
package final class ConnectProxy: Sendable {
    /// What it does about a request for a tunnel.
    package enum Reaction: Sendable {
        /// It opens the tunnel, to the port that is asked for.
        case tunnel
        /// It answers with a status.
        case refusal(Int)
        /// It does not answer.
        case silence
    }

    /// The port that it listens on.
    package let port: Int
    private let listener: any Channel
    private let asked: Asked

    /// The heads of the requests that it got so far.
    package var heads: [String] { asked.heads.withLock { $0 } }

    fileprivate final class Asked: Sendable {
        let heads = Mutex<[String]>([])
    }

    /// Starts a proxy.
    ///
    /// - Parameter reaction: What it does about the head of a request.
    /// - Throws: What binding the socket throws.
    package init(_ reaction: @escaping @Sendable (_ head: String) -> Reaction = { _ in .tunnel }) async throws {
        let asked = Asked()
        self.asked = asked
        listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Entrance(reaction, asked))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = listener.localAddress?.port ?? 0
    }

    /// Closes the socket; tunnels stay open until one of their ends closes.
    package func stop() async { try? await listener.close() }
}

/// The client's end of a tunnel.
private final class Entrance: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer

    private let reaction: @Sendable (String) -> ConnectProxy.Reaction
    private let asked: ConnectProxy.Asked
    private let head = Mutex("")
    private let exit = Mutex<(any Channel)?>(nil)

    init(_ reaction: @escaping @Sendable (String) -> ConnectProxy.Reaction, _ asked: ConnectProxy.Asked) {
        (self.reaction, self.asked) = (reaction, asked)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        if let exit = exit.withLock({ $0 }) {
            exit.writeAndFlush(bytes, promise: nil)
            return
        }
        let head = head.withLock { head in
            head += String(buffer: bytes)
            return head
        }
        // Nothing follows a head before it is answered.
        guard head.hasSuffix("\r\n\r\n") else { return }
        asked.heads.withLock { $0.append(head) }
        switch reaction(head) {
        case .silence: break
        case .refusal(let status): answer("\(status) No", with: "no", to: context.channel)
        case .tunnel: open(to: Self.port(in: head), for: context.channel)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        exit.withLock { $0 }?.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func answer(_ status: String, with body: String, to client: any Channel) {
        let text = "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        client.writeAndFlush(ByteBuffer(string: text), promise: nil)
    }

    private func open(to port: Int, for client: any Channel) {
        ClientBootstrap(group: client.eventLoop)
            .channelInitializer { server in
                server.eventLoop.makeCompletedFuture {
                    try server.pipeline.syncOperations.addHandler(Exit(to: client))
                }
            }
            .connect(host: "127.0.0.1", port: port)
            .whenComplete { [self] result in
                guard case .success(let server) = result else {
                    answer("502 Bad Gateway", with: "no", to: client)
                    return
                }
                exit.withLock { $0 = server }
                client.writeAndFlush(ByteBuffer(string: "HTTP/1.1 200 Connected\r\n\r\n"), promise: nil)
            }
    }

    /// The port in `CONNECT host:443 HTTP/1.1`; 0 if there is none.
    private static func port(in head: String) -> Int {
        let target = head.split(separator: " ").dropFirst().first ?? ""
        return target.split(separator: ":").last.flatMap { Int($0) } ?? 0
    }
}

/// The server's end of a tunnel.
private final class Exit: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer

    private let client: any Channel

    init(to client: any Channel) { self.client = client }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        client.writeAndFlush(unwrapInboundIn(data), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { client.close(promise: nil) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
#endif
