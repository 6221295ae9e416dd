#if Client
import NIOCore
import NIOHTTP1

/// Watches one connection: how old it is, and that it brings one answer, of not too many parts, for each request.
///
/// It stands between the HTTP decoder and the handlers that read the decoder's parts.
final class ConnectionGuard: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    /// How many interim answers (1xx) may precede an answer.
    private static let interimLimit = 16

    /// What may come next.
    private enum State {
        /// Nothing: no request is open.
        case idle
        /// The head of an answer; so many interim answers came before it.
        case waiting(interim: Int)
        /// The body or the end of an answer; so many parts of the body came already.
        case reading(parts: Int)
        /// Nothing: the answer is complete, and its end is not passed on yet.
        case ended(HTTPClientResponsePart)
    }

    private var state = State.idle
    private let lastReuse: NIODeadline
    private let partLimit: Int
    private let now: @Sendable () -> NIODeadline

    /// Guards a connection that was just opened.
    ///
    /// - Parameters:
    ///   - time: After this time, the connection closes with the next answer.
    ///   - partLimit: In how many parts a body may come.
    ///   - now: Reads the clock.
    init(reusableFor time: TimeAmount, partLimit: Int, by now: @escaping @Sendable () -> NIODeadline) {
        lastReuse = now() + time
        (self.partLimit, self.now) = (partLimit, now)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .head = unwrapOutboundIn(data) { state = .waiting(interim: 0) }
        context.write(data, promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        switch (state, part) {
        case (.waiting(let interim), .head(let head)) where head.status.code < 200:
            // 101 would end HTTP on this connection. Interim answers cost time and say nothing: they are left out.
            guard head.status.code != 101, interim < Self.interimLimit else { return refuse(context) }
            state = .waiting(interim: interim + 1)
        case (.waiting, .head(var head)):
            state = .reading(parts: 0)
            // The pool then does not use the connection again.
            if now() >= lastReuse { head.headers.replaceOrAdd(name: "connection", value: "close") }
            context.fireChannelRead(wrapInboundOut(.head(head)))
        case (.reading(let parts), .body):
            guard parts < partLimit else { return refuse(context, because: .tooLong) }
            state = .reading(parts: parts + 1)
            context.fireChannelRead(data)
        case (.waiting, .end): break  // An interim answer's.
        // Once the end is passed on, the next request may be written: not before all that came is looked at.
        case (.reading, .end): state = .ended(part)
        default: refuse(context)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        passEnd(context)
        context.fireChannelReadComplete()
    }

    func channelInactive(context: ChannelHandlerContext) {
        passEnd(context)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A fault of the connection, after the answer, does no harm to it. What follows in the same bytes does.
        if !(error is HTTPParserError || error is NIOHTTPDecoderError || error is TransportFailure) { passEnd(context) }
        context.fireErrorCaught(error)
    }

    private func passEnd(_ context: ChannelHandlerContext) {
        guard case .ended(let end) = state else { return }
        state = .idle
        context.fireChannelRead(wrapInboundOut(end))
    }

    /// Fails the request if there is one, and closes the connection: what comes next cannot be told apart.
    private func refuse(_ context: ChannelHandlerContext, because reason: TransportFailure.Reason = .malformed) {
        state = .idle
        context.fireErrorCaught(TransportFailure(reason, mayHaveBeenSent: true))
        context.close(promise: nil)
    }
}

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
