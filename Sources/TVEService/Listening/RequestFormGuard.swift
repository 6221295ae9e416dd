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
/// 10.1.1), which those of HTTP/1.0 do not know.
final class RequestFormGuard: ChannelInboundHandler, RemovableChannelHandler {
    /// The event that comes after the head of a request whose client waits.
    struct ClientWaits: Sendable {}

    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    /// The handler before the decoder, which has to know what the decoder reads next.
    private let filter: UpgradeFilter
    private var hasRefused = false

    init(telling filter: UpgradeFilter) { self.filter = filter }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasRefused else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            do throws(HTTPParserError) {
                let (part, waits) = try Self.part(after: head)
                filter.expect(part)
                context.fireChannelRead(data)
                if waits { context.fireUserInboundEventTriggered(ClientWaits()) }
                return
            } catch {
                hasRefused = true
                filter.expect(.nothing)
                context.fireErrorCaught(error)
                return
            }
        case .body: break
        case .end: filter.expect(.head)
        }
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        filter.expect(.nothing)
        context.fireErrorCaught(error)
    }

    /// What the decoder reads after the head of a request, and whether the client waits before it sends that.
    ///
    /// - Throws: What is wrong with the head.
    private static func part(
        after head: HTTPRequestHead
    ) throws(HTTPParserError) -> (part: UpgradeFilter.Part, waits: Bool) {
        guard head.version == .http1_1 || head.version == .http1_0 else { throw .invalidVersion }
        guard head.method != .CONNECT else { throw .invalidMethod }
        var hosts: [String] = []
        var codings: [String] = []
        var length: String?
        var expectsContinue = false
        for (name, value) in head.headers {
            // The lengths first: this runs for each field of each request.
            switch name.utf8.count {
            case 4: if name.isEqualIgnoringCase(to: "host") { hosts.append(value) }
            case 6: if name.isEqualIgnoringCase(to: "expect") { expectsContinue = value.lowercased() == "100-continue" }
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
        guard codings.isEmpty else { return (.chunks, waits) }
        let count = length.map(number) ?? 0
        return (.body(count), waits && count > 0)
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
