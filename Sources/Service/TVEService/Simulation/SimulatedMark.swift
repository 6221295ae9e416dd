#if Service
import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Marks each answer of a simulator's listener, also those to requests that cannot be decoded, which no site sees.
final class SimulatedMark: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = unwrapOutboundIn(data), let name = HTTPField.Name("X-Simulated") else {
            return context.write(data, promise: promise)
        }
        head.headerFields[name] = "true"
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }
}

@available(*, unavailable)
extension SimulatedMark: Sendable {}
#endif
