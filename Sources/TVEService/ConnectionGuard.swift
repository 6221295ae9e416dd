#if Service
    import HTTPTypes
    import NIOCore
    import NIOHTTPTypes

    /// Closes connections that hold the server up: a request that does not come in whole in time, a response that nobody
    /// reads, and, for clients that do not close by themselves, a connection whose response said `Connection: close`.
    ///
    /// A silent connection, or a slow head of a request, is closed by the server's idle timeout.
    final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
        typealias InboundIn = HTTPRequestPart
        typealias InboundOut = HTTPRequestPart
        typealias OutboundIn = HTTPResponsePart
        typealias OutboundOut = HTTPResponsePart

        private let limit: TimeAmount
        /// Ends a request that is still coming in.
        private var requestDeadline: Scheduled<Void>?
        private var isReceiving = false
        /// Ends a connection whose client does not read.
        private var readingDeadline: Scheduled<Void>?
        private var closesAfterResponse = false

        private let open: OpenConnections

        init(limit: TimeAmount, among open: OpenConnections) {
            self.limit = limit
            self.open = open
        }

        func handlerAdded(context: ChannelHandlerContext) { open.add(context.channel) }
        func handlerRemoved(context: ChannelHandlerContext) { open.remove(context.channel) }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            // Rows may come for hours; the idle timeout ends a batch that stands still.
            case .head(let head): isReceiving = head.path.map { !$0.hasPrefix(PublicResponder.batchPath) } ?? true
            case .body: break
            case .end:
                isReceiving = false
                requestDeadline?.cancel()
                requestDeadline = nil
            }
            context.fireChannelRead(data)
        }

        func channelReadComplete(context: ChannelHandlerContext) {
            // Nearly all requests are whole by now, and need no timer.
            if isReceiving, requestDeadline == nil { requestDeadline = close(context) }
            context.fireChannelReadComplete()
        }

        func channelWritabilityChanged(context: ChannelHandlerContext) {
            if context.channel.isWritable {
                readingDeadline?.cancel()
                readingDeadline = nil
            } else if readingDeadline == nil {
                readingDeadline = close(context)
            }
            context.fireChannelWritabilityChanged()
        }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            switch unwrapOutboundIn(data) {
            case .head(let head): closesAfterResponse = head.headerFields[.connection] == "close"
            case .body: break
            case .end where closesAfterResponse:
                let written = promise ?? context.eventLoop.makePromise(of: Void.self)
                let channel = context.channel
                written.futureResult.whenComplete { _ in channel.close(promise: nil) }
                context.write(data, promise: written)
                return
            case .end: break
            }
            context.write(data, promise: promise)
        }

        func channelInactive(context: ChannelHandlerContext) {
            requestDeadline?.cancel()
            readingDeadline?.cancel()
            context.fireChannelInactive()
        }

        private func close(_ context: ChannelHandlerContext) -> Scheduled<Void> {
            let channel = context.channel
            return context.eventLoop.scheduleTask(in: limit) { channel.close(promise: nil) }
        }
    }

    @available(*, unavailable)
    extension ConnectionGuard: Sendable {}
#endif
