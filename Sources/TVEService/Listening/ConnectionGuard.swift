#if Service
import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Closes connections that hold the server up: a request that does not come in whole in time, a batch whose rows drip, a
/// response that nobody reads, and, for clients that do not close by themselves, a connection whose response said
/// `Connection: close`.
///
/// A silent connection, or a slow head of a request, is closed by the server's idle timeout.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    struct Limits: Sendable {
        /// Time for a request to come in whole, and for a response to be read.
        let request: TimeAmount
        /// Time in which a batch must bring `leastBatchBytes`.
        let idle: TimeAmount
        let takesBatches: Bool
    }

    private enum Coming {
        case nothing, request, batch
    }

    /// Bytes of a batch in each idle time: a few rows.
    private static let leastBatchBytes = 4096

    private let limits: Limits
    private let open: OpenConnections
    /// What is coming in: the last of the requests that are not answered yet.
    private var coming = Coming.nothing
    private var unanswered = 0
    /// Ends what is coming in.
    private var requestDeadline: Scheduled<Void>?
    /// Bytes that came in since the last look at a batch.
    private var bytes = 0
    /// Ends a connection whose client does not read.
    private var readingDeadline: Scheduled<Void>?
    private var closesAfterResponse = false

    init(_ limits: Limits, among open: OpenConnections) {
        self.limits = limits
        self.open = open
    }

    func handlerAdded(context: ChannelHandlerContext) { open.add(context.channel) }
    func handlerRemoved(context: ChannelHandlerContext) { open.remove(context.channel) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            unanswered += 1
            bytes = 0
            let isBatch = limits.takesBatches && head.path?.prefix { $0 != "?" } == PublicResponder.batchPath[...]
            coming = isBatch ? .batch : .request
        case .body(let buffer): bytes += buffer.readableBytes
        case .end:
            coming = .nothing
            requestDeadline?.cancel()
            requestDeadline = nil
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        // Nearly all requests are whole by now, and need no timer.
        if requestDeadline == nil {
            switch coming {
            case .nothing: break
            case .request: requestDeadline = close(context)
            case .batch: requestDeadline = demandBytes(context)
            }
        }
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
        case .head(let head):
            closesAfterResponse = head.headerFields[.connection] == "close"
            // What is left of a batch that was refused has the time of any request.
            if coming == .batch, unanswered == 1, head.status != .ok {
                coming = .request
                requestDeadline?.cancel()
                requestDeadline = close(context)
            }
        case .body: break
        case .end:
            unanswered -= 1
            if closesAfterResponse {
                let written = promise ?? context.eventLoop.makePromise(of: Void.self)
                let channel = context.channel
                written.futureResult.whenComplete { _ in channel.close(promise: nil) }
                context.write(data, promise: written)
                return
            }
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
        return context.eventLoop.scheduleTask(in: limits.request) { channel.close(promise: nil) }
    }

    private func demandBytes(_ context: ChannelHandlerContext) -> Scheduled<Void> {
        context.eventLoop.assumeIsolated().scheduleTask(in: limits.idle) {
            if self.bytes < Self.leastBatchBytes {
                context.close(promise: nil)
            } else {
                self.bytes = 0
                self.requestDeadline = self.demandBytes(context)
            }
        }
    }
}

@available(*, unavailable)
extension ConnectionGuard: Sendable {}
#endif
