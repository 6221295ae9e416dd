#if Service
import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Adds a field to each answer of a listener that does not have it, also to those to requests that cannot be decoded, which no
/// responder sees.
final class AnswerMarker: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let field: HTTPField.Name
    private let value: @Sendable () -> String

    init(_ field: HTTPField.Name, with value: @escaping @Sendable () -> String) {
        (self.field, self.value) = (field, value)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = unwrapOutboundIn(data), !head.headerFields.contains(field) else {
            return context.write(data, promise: promise)
        }
        head.headerFields[field] = value()
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }
}

@available(*, unavailable)
extension AnswerMarker: Sendable {}
#endif
