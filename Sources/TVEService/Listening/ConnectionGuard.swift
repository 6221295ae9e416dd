#if Service
import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Closes connections that would take up the server for too long.
///
/// These are: a request that does not arrive completely in time, a batch whose rows arrive too slowly, a response that the
/// client does not read, and a connection whose response said `Connection: close` if the client does not close it itself.
/// A connection without any bytes, or a request head that arrives slowly, is closed by the server's idle timeout instead.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    struct Limits: Sendable {
        /// The time for a request to arrive completely, and for a response to be read.
        let request: TimeAmount
        /// The time in which at least `minimumBatchBytes` of a batch must arrive.
        let idle: TimeAmount
        let takesBatches: Bool
    }

    private enum Incoming {
        case nothing, request, batch
    }

    /// The bytes of a batch that must arrive within each idle time: a few rows.
    private static let minimumBatchBytes = 4096

    private let limits: Limits
    private let open: OpenConnections
    /// The request that is arriving: the last of those that are not answered yet.
    private var incoming = Incoming.nothing
    private var unanswered = 0
    /// Closes the connection if the request that is arriving takes too long.
    private var requestDeadline: Scheduled<Void>?
    /// The bytes that have arrived since a batch was last checked.
    private var bytes = 0
    /// Closes the connection if the client does not read its response.
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
            incoming = isBatch ? .batch : .request
        case .body(let buffer): bytes += buffer.readableBytes
        case .end:
            incoming = .nothing
            requestDeadline?.cancel()
            requestDeadline = nil
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        // Nearly all requests have arrived completely by now and need no timer.
        if requestDeadline == nil {
            switch incoming {
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
            // The rest of a batch that was refused has the same time as any other request.
            if incoming == .batch, unanswered == 1, head.status != .ok {
                incoming = .request
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
            if self.bytes < Self.minimumBatchBytes {
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
