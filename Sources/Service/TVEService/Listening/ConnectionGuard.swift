#if Service
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Closes connections that would take up the server for too long, or on which nothing more is read.
///
/// The former are: a request that does not arrive completely in time, a batch whose rows arrive too slowly or that takes too
/// long, a response that the client does not read, and a client that sends many requests without waiting for answers. A
/// connection without any bytes, or a request head that arrives slowly, is closed by the server's idle timeout instead.
///
/// The answer to the last request of a connection says `Connection: close`, and the connection is closed after it. The last
/// one is: what the decoder takes for it, as `RequestFormGuard` says; one that is refused before the rest of its body, which
/// is too large, has come; and one whose client waits for `100 Continue`, and may or may not send its body after another
/// answer. So is any whose responder says `Connection: close`.
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

    /// How long a client that has its last answer is waited for, and how many bytes of it are read meanwhile.
    ///
    /// If the connection were closed while the client still sends, the system would reset it, and the client might lose the
    /// answer. One that sends more is not read, and so has time to read.
    private static let lingering = Duration.seconds(1)
    private static let lingeringBytes = 1 << 20

    /// The event that a responder begins to read the body of its request.
    struct BodyIsRead: Sendable {}

    private enum Incoming {
        case nothing, request, batch
    }

    private let limits: Limits
    private let open: OpenConnections
    /// Is told of each request that could not be decoded, and so is not seen by a responder.
    private let noteUndecodable: @Sendable () -> Void
    /// The handler before the decoder; `nil` until this one is added.
    private var filter: UpgradeFilter?
    /// The request that is arriving: the last of those that are not answered yet.
    private var incoming = Incoming.nothing
    private var unanswered = 0
    /// Whether too many requests came at once, so that no more are taken.
    private var isOverrun = false
    /// Whether the last request has come: the connection is closed after its answer.
    private var hasLast = false
    /// Whether the last answer was written.
    private var isOver = false
    /// Whether the client of the request that is arriving waits for `100 Continue`.
    private var clientWaits = false
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
            self.filter = filter
            try pipeline.addHandler(ByteToMessageHandler(filter), position: .before(decoder))
            // It needs the fields as they arrived; this handler gets them after their conversion.
            try pipeline.addHandler(RequestFormGuard(telling: filter), position: .after(decoder))
        } catch {
            context.close(promise: nil)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) { open.remove(context.channel) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isOverrun || isOver { return }
        switch unwrapInboundIn(data) {
        case .head where unanswered == Self.maximumUnanswered:
            (isOverrun, hasLast) = (true, true)
            return
        case .head(let head):
            unanswered += 1
            bytes = 0
            let isBatch = limits.batches != nil && head.path?.prefix { $0 != "?" } == PublicResponder.batchPath[...]
            incoming = isBatch ? .batch : .request
            if isBatch, let life = limits.batches?.life, batchDeadline == nil {
                batchDeadline = close(context, in: life)
            }
        case .body(let buffer):
            bytes += buffer.readableBytes
            clientWaits = false
        case .end:
            incoming = .nothing
            clientWaits = false
            requestDeadline?.cancel()
            requestDeadline = nil
        }
        context.fireChannelRead(data)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is RequestFormGuard.ClientWaits: clientWaits = !isOverrun
        case is RequestFormGuard.IsLast:
            hasLast = true
            // It was answered before its trailers came.
            if unanswered == 0, !isOver { finish(context, after: nil) }
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    /// Tells a client that waits to send its body, once that is to be read; the answers before it are written by then.
    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard event is BodyIsRead else { return context.triggerUserOutboundEvent(event, promise: promise) }
        letClientGoOn(context)
        promise?.succeed(())
    }

    private func letClientGoOn(_ context: ChannelHandlerContext) {
        guard clientWaits, unanswered == 1, !isOver else { return }
        clientWaits = false
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
        // The handlers after this one do not ask for more if what they have is not taken.
        if isOver { read(context: context) }
        context.fireChannelReadComplete()
    }

    func read(context: ChannelHandlerContext) {
        if isOver, filter?.hasEnough == true { return }
        context.read()
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
        // Such as an answer to the end of a body that is not read to its end.
        guard !isOver else {
            promise?.fail(ChannelError.outputClosed)
            return
        }
        switch unwrapOutboundIn(data) {
        case .head(var head):
            // The body of a request broke after its answer: a second answer would belong to no request.
            guard unanswered > 0 || incoming == .nothing else {
                promise?.fail(ChannelError.outputClosed)
                return finish(context, after: nil)
            }
            // A batch that is not refused is answered while it is read.
            if incoming == .batch, head.status == .ok { letClientGoOn(context) }
            // The rest of a batch that was refused has the same time as any other request.
            if incoming == .batch, unanswered == 1, head.status != .ok {
                incoming = .request
                requestDeadline?.cancel()
                requestDeadline = close(context, in: limits.request)
            }
            guard isLast(head) else {
                closesAfterResponse = head.headerFields[.connection] == "close"
                return context.write(data, promise: promise)
            }
            closesAfterResponse = true
            head.headerFields[.connection] = "close"
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body: context.write(data, promise: promise)
        case .end:
            unanswered -= 1
            if unanswered == 0 {
                batchDeadline?.cancel()
                batchDeadline = nil
            }
            guard closesAfterResponse || hasLast && unanswered == 0 else {
                return context.write(data, promise: promise)
            }
            let written = context.eventLoop.makePromise(of: Void.self)
            written.futureResult.cascade(to: promise)
            finish(context, after: written.futureResult)
            context.write(data, promise: written)
        }
    }

    /// Whether the answer that is being written is the last one of the connection.
    private func isLast(_ head: HTTPResponse) -> Bool {
        unanswered <= 1 && (hasLast || clientWaits || head.status == .contentTooLarge && incoming != .nothing)
    }

    /// Takes and writes nothing more, and closes the connection once the last answer was written and the client has it.
    private func finish(_ context: ChannelHandlerContext, after written: EventLoopFuture<Void>?) {
        isOver = true
        filter?.expect(.nothing(Self.lingeringBytes))
        let written = written ?? context.eventLoop.makeSucceededVoidFuture()
        written.assumeIsolated().whenComplete { _ in
            guard context.channel.isActive else { return }
            self.requestDeadline?.cancel()
            self.requestDeadline = self.close(context, in: Self.lingering)
            // The connection is closed as soon as the client closes its side, too.
            context.close(mode: .output, promise: nil)
            self.read(context: context)
        }
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
