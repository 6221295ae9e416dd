#if Client
import NIOCore
import NIOHTTP1
import NIOSSL
import OpenSSLBridge

/// Watches one connection: how old it is, and that it brings one answer, of not too many parts, for each request.
///
/// No request goes to a server whose certificate is for another one. NIOSSL looks at that, too, but also takes a certificate for
/// the address that was connected to: that of a proxy, or to which a false answer of a name server has led.
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
    /// The server's; `nil` without TLS.
    private let certificate: Certificate?
    /// The server that it was found to be for.
    private var knownHost: String?
    private let lastReuse: NIODeadline
    private let partLimit: Int
    private let now: @Sendable () -> NIODeadline

    /// Guards a connection that was just opened.
    ///
    /// After `time`, the connection closes with the next answer. `partLimit` is in how many parts a body may come. The
    /// certificate is the server's; `nil` without TLS.
    init(
        reusableFor time: TimeAmount,
        partLimit: Int,
        certificate: Certificate?,
        by now: @escaping @Sendable () -> NIODeadline
    ) {
        lastReuse = now() + time
        (self.partLimit, self.certificate, self.now) = (partLimit, certificate, now)
    }

    /// The certificate of the server at the end of a connection; `nil` without TLS.
    static func certificate(in pipeline: ChannelPipeline.SynchronousOperations) throws -> Certificate? {
        guard (try? pipeline.handler(type: NIOSSLClientHandler.self)) != nil else { return nil }
        guard let found = try pipeline.nioSSL_peerCertificate() else { throw NIOSSLError.noCertificateToValidate }
        let der = try found.toDERBytes()
        return try Certificate(der: der.span)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .head(let head) = unwrapOutboundIn(data) {
            guard isOf(head.headers.first(name: "host")) else {
                let error = NIOSSLExtraError.failedToValidateHostname
                promise?.fail(error)
                context.fireErrorCaught(error)
                return context.close(promise: nil)
            }
            state = .waiting(interim: 0)
        }
        context.write(data, promise: promise)
    }

    /// Whether the server is the one that a request is for, by its certificate; `true` without TLS, since that is not
    /// known.
    ///
    /// The authority is its name or address, perhaps with a port.
    private func isOf(_ authority: String?) -> Bool {
        guard let certificate else { return true }
        guard let authority else { return false }
        if authority == knownHost { return true }
        guard let host = try? BrokerOrigin.splitPort(Array(authority.utf8)[...]).host,
            certificate.isFor(String(decoding: host, as: UTF8.self).withoutBrackets)
        else { return false }
        knownHost = authority
        return true
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

    /// Guards a connection that was just opened: for each request, at most `limit` bytes may come.
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
