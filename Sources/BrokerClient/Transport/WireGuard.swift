#if Client
import NIOCore
import NIOHTTP1

/// Limits what an answer takes on the wire, whatever it is made of.
///
/// Interim answers, sizes of chunks and their extensions can go on without end, and none of it reaches a body whose length
/// is limited. It stands before the HTTP decoder, and after TLS.
final class WireGuard: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private let limit: Int
    /// How many bytes may still come for the present request; `nil` once there were more.
    private var left: Int?

    /// Guards a connection that was just opened.
    ///
    /// - Parameter limit: How many bytes may come for each request.
    init(limit: Int) { (self.limit, left) = (limit, limit) }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .head = unwrapOutboundIn(data), left != nil { left = limit }
        context.write(data, promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let left else { return }
        let size = unwrapInboundIn(data).readableBytes
        guard size <= left else {
            self.left = nil
            context.fireErrorCaught(TransportFailure(.tooLong, mayHaveBeenSent: true))
            return context.close(promise: nil)
        }
        self.left = left - size
        context.fireChannelRead(data)
    }
}
#endif
