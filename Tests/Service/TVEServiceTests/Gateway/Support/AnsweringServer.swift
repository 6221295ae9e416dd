#if Service
import NIOCore
import NIOPosix
import Synchronization

/// A server on loopback that answers every request with one status, and remembers what it was sent.
final class AnsweringServer: Sendable {
    private let channel: any Channel
    private let received: Received

    /// The requests, each with its head and its body as far as they came at once.
    var requests: [String] { received.texts.withLock { $0 } }
    let port: Int

    fileprivate final class Received: Sendable {
        let texts = Mutex<[String]>([])
    }

    init(status: Int) async throws {
        let received = Received()
        self.received = received
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Handler(status, received))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
    }

    func stop() async { try? await channel.close() }

    /// Answers when a body that ends in a brace has come, which those of the tests do.
    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let status: Int
        private let received: Received
        private var text = ""

        init(_ status: Int, _ received: Received) { (self.status, self.received) = (status, received) }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            text += String(buffer: unwrapInboundIn(data))
            guard text.contains("\r\n\r\n"), text.hasSuffix("}") else { return }
            received.texts.withLock { [text] in $0.append(text) }
            text = ""
            let answer = "HTTP/1.1 \(status) Status\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            let channel = context.channel
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer))).whenComplete { _ in
                channel.close(promise: nil)
            }
        }
    }
}
#endif
