#if Service
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Closes connections that would take up the server for too long.
///
/// These are: a request that does not arrive completely in time, a batch whose rows arrive too slowly or that takes too
/// long, a response that the client does not read, a connection whose response said `Connection: close` if the client
/// does not close it itself, and a client that sends many requests without waiting for answers. A connection without any
/// bytes, or a request head that arrives slowly, is closed by the server's idle timeout instead.
package final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    package struct Limits: Sendable {
        /// The time for a request to arrive completely, and for a response to be read.
        let request: Duration
        /// The time after which a silent connection is closed, and in which the bytes of a batch are counted.
        let idle: Duration
        /// The limits of batches; `nil` if the listener takes none.
        let batches: BatchLimits?

        package init(request: Duration, idle: Duration, batches: BatchLimits?) {
            (self.request, self.idle, self.batches) = (request, idle, batches)
        }
    }

    package struct BatchLimits: Sendable {
        /// The bytes that must arrive within each idle time.
        let bytes: Int
        /// The longest time from the head of a batch to the end of its answer.
        let life: Duration

        package init(bytes: Int, life: Duration) {
            (self.bytes, self.life) = (bytes, life)
        }
    }

    /// The requests of one connection that may wait for their answers; the others are not looked at.
    ///
    /// One read of the socket may hold thousands of requests, and each takes more memory than its bytes.
    private static let maximumUnanswered = 16

    private enum Incoming {
        case nothing, request, batch
    }

    private let limits: Limits
    private let open: OpenConnections
    /// Is told of each request that could not be decoded, and so is not seen by a responder.
    private let noteUndecodable: @Sendable () -> Void
    /// The request that is arriving: the last of those that are not answered yet.
    private var incoming = Incoming.nothing
    private var unanswered = 0
    /// Whether too many requests came at once: the connection is closed after the answers to those that were taken.
    private var isOverrun = false
    /// Closes the connection if the request that is arriving takes too long.
    private var requestDeadline: Scheduled<Void>?
    /// The bytes that have arrived since a batch was last checked.
    private var bytes = 0
    /// Closes the connection if the client does not read its response.
    private var readingDeadline: Scheduled<Void>?
    /// Closes the connection if a batch takes too long.
    private var batchDeadline: Scheduled<Void>?
    private var closesAfterResponse = false

    package init(
        _ limits: Limits,
        among open: OpenConnections,
        onUndecodable noteUndecodable: @escaping @Sendable () -> Void = {}
    ) {
        self.limits = limits
        self.open = open
        self.noteUndecodable = noteUndecodable
    }

    func handlerAdded(context: ChannelHandlerContext) {
        open.add(context.channel)
        do {
            let pipeline = context.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            let filter = UpgradeFilter()
            try pipeline.addHandler(ByteToMessageHandler(filter), position: .before(decoder))
            // It needs the fields as they arrived; this handler gets them after their conversion.
            try pipeline.addHandler(RequestFormGuard(telling: filter), position: .after(decoder))
        } catch {
            context.close(promise: nil)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) { open.remove(context.channel) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isOverrun { return }
        switch unwrapInboundIn(data) {
        case .head where unanswered == Self.maximumUnanswered:
            isOverrun = true
            return
        case .head(let head):
            unanswered += 1
            bytes = 0
            let isBatch = limits.batches != nil && head.path?.prefix { $0 != "?" } == PublicResponder.batchPath[...]
            incoming = isBatch ? .batch : .request
            if isBatch, let life = limits.batches?.life, batchDeadline == nil {
                batchDeadline = close(context, in: life)
            }
        case .body(let buffer): bytes += buffer.readableBytes
        case .end:
            incoming = .nothing
            requestDeadline?.cancel()
            requestDeadline = nil
        }
        context.fireChannelRead(data)
    }

    /// Tells a client that waits to send its body, unless an answer before it is still to be written: it goes on by itself
    /// then, after a second or so.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is RequestFormGuard.ClientWaits else { return context.fireUserInboundEventTriggered(event) }
        guard unanswered == 1, !isOverrun else { return }
        context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // In the middle of a request, its responder finds the error when it reads the body, and counts the request.
        if error is HTTPParserError, incoming == .nothing { noteUndecodable() }
        context.fireErrorCaught(error)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        // Nearly all requests have arrived completely by now and need no timer.
        if requestDeadline == nil {
            switch incoming {
            case .nothing: break
            case .request: requestDeadline = close(context, in: limits.request)
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
            readingDeadline = close(context, in: limits.request)
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
                requestDeadline = close(context, in: limits.request)
            }
        case .body: break
        case .end:
            unanswered -= 1
            if unanswered == 0 {
                batchDeadline?.cancel()
                batchDeadline = nil
            }
            if closesAfterResponse || isOverrun && unanswered == 0 {
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
        batchDeadline?.cancel()
        context.fireChannelInactive()
    }

    private func close(_ context: ChannelHandlerContext, in time: Duration) -> Scheduled<Void> {
        let channel = context.channel
        return context.eventLoop.scheduleTask(in: TimeAmount(time)) { channel.close(promise: nil) }
    }

    private func demandBytes(_ context: ChannelHandlerContext) -> Scheduled<Void> {
        context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(limits.idle)) {
            if self.bytes < self.limits.batches?.bytes ?? 0 {
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
