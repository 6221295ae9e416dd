#if Service
import NIOCore
import NIOHTTP1

/// Refuses requests whose end or host a proxy in front of this service may have read differently (RFC 9112, sections 3.2
/// and 6.3).
///
/// The decoder refuses most of them by itself. It takes a list of transfer codings that ends with `chunked`, chunks in
/// HTTP/1.0, any number of `Host` fields, and `CONNECT`, after which it reads no more. A refused request is answered like
/// one that cannot be decoded, after those before it on the connection, and nothing after it is read.
///
/// It also tells the handlers after it of a client that waits for `100 Continue` before it sends its body (RFC 9110, section
/// 10.1.1), which those of HTTP/1.0 do not know; and of the last request of its connection. That is the one after which the
/// decoder reads no other, and only the decoder knows it: it looks at `Connection` and `Proxy-Connection`, also in trailers.
/// One whose client asks for it in a form that the decoder does not know is the last one, too.
final class RequestFormGuard: ChannelInboundHandler, RemovableChannelHandler {
    /// The event that comes after the head of a request whose client waits.
    struct ClientWaits: Sendable {}

    /// The event that comes after the head, or the end, of the last request.
    struct IsLast: Sendable {}

    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    /// The handler before the decoder, which has to know what the decoder reads next.
    private let filter: UpgradeFilter
    private var hasRefused = false
    /// Whether the request that is arriving is the last one by its head.
    private var isLast = false

    init(telling filter: UpgradeFilter) { self.filter = filter }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasRefused else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            do throws(HTTPParserError) {
                let (part, waits, closes) = try Self.reading(of: head)
                filter.expect(part)
                isLast = closes || !head.isKeepAlive
                context.fireChannelRead(data)
                if waits { context.fireUserInboundEventTriggered(ClientWaits()) }
                if isLast { context.fireUserInboundEventTriggered(IsLast()) }
            } catch {
                hasRefused = true
                filter.expect(.nothing(.max))
                context.fireErrorCaught(error)
            }
        case .body: context.fireChannelRead(data)
        case .end(let trailers):
            let isLastByTrailers = trailers?.contains { Self.closes($0.name, $0.value) } ?? false
            filter.expect(isLast || isLastByTrailers ? .nothing(.max) : .head)
            context.fireChannelRead(data)
            if isLastByTrailers { context.fireUserInboundEventTriggered(IsLast()) }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // After a refusal the decoder misses what the filter keeps from it: the request was refused already.
        if hasRefused, error is HTTPParserError { return }
        hasRefused = hasRefused || error is HTTPParserError
        filter.expect(.nothing(.max))
        context.fireErrorCaught(error)
    }

    /// Whether a field asks to close the connection, as the decoder reads it, or as RFC 9110 has it.
    private static func closes(_ name: String, _ value: String) -> Bool {
        guard name.isEqualIgnoringCase(to: "connection") || name.isEqualIgnoringCase(to: "proxy-connection") else {
            return false
        }
        // As bytes: a comma may be a part of a character.
        return value.utf8.split(separator: UInt8(ascii: ",")).contains { option in
            let word = option.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
            return String(decoding: word, as: UTF8.self).isEqualIgnoringCase(to: "close")
        }
    }

    /// What the decoder reads after the head of a request, whether the client waits before it sends that, and whether a field
    /// asks to close the connection.
    ///
    /// It throws what is wrong with the head.
    private static func reading(
        of head: HTTPRequestHead
    ) throws(HTTPParserError) -> (part: UpgradeFilter.Part, waits: Bool, closes: Bool) {
        guard head.version == .http1_1 || head.version == .http1_0 else { throw .invalidVersion }
        guard head.method != .CONNECT else { throw .invalidMethod }
        var hosts: [String] = []
        var codings: [String] = []
        var length: String?
        var (expectsContinue, closes) = (false, false)
        for (name, value) in head.headers {
            // The lengths first: this runs for each field of each request.
            switch name.utf8.count {
            case 4: if name.isEqualIgnoringCase(to: "host") { hosts.append(value) }
            case 6: if name.isEqualIgnoringCase(to: "expect") { expectsContinue = value.lowercased() == "100-continue" }
            case 10, 16: closes = closes || Self.closes(name, value)
            case 14: if name.isEqualIgnoringCase(to: "content-length") { length = value }
            case 17: if name.isEqualIgnoringCase(to: "transfer-encoding") { codings.append(value) }
            default: break
            }
        }
        if let coding = codings.first {
            guard codings.count == 1, coding.isEqualIgnoringCase(to: "chunked"), head.version == .http1_1, length == nil
            else { throw .invalidHeaderToken }
        }
        guard hosts.count == 1, isHost(hosts[0]) else { throw .invalidHeaderToken }
        guard isTarget(head.uri, of: hosts[0]) else { throw .invalidURL }
        let waits = expectsContinue && head.version == .http1_1
        guard codings.isEmpty else { return (.chunks, waits, closes) }
        let count = length.map(number) ?? 0
        return (.body(count), waits && count > 0, closes)
    }

    /// The number of a `Content-Length` that the decoder has accepted: digits, and white space after them.
    private static func number(in text: String) -> Int {
        Int(Substring(text.utf8.prefix { 0x30...0x39 ~= $0 })) ?? .max
    }

    private static func isHost(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { 0x21...0x7E ~= $0 && !"/\\?#@,\"<>".utf8.contains($0) }
    }

    /// Whether a request target is a path, `*`, or an address of the host that the request names.
    private static func isTarget(_ target: String, of host: String) -> Bool {
        let bytes = target.utf8
        if bytes.first == UInt8(ascii: "/") || bytes.elementsEqual("*".utf8) { return true }
        return bytes.starts(with: "http://\(host)/".utf8) || bytes.starts(with: "https://\(host)/".utf8)
    }
}

@available(*, unavailable)
extension RequestFormGuard: Sendable {}

extension String {
    fileprivate func isEqualIgnoringCase(to lowercase: String) -> Bool {
        utf8.elementsEqual(lowercase.utf8) { ($0 | ($0 &- 0x41 < 26 ? 0x20 : 0)) == $1 }
    }
}
#endif
