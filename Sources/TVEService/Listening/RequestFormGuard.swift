#if Service
import NIOCore
import NIOHTTP1

/// Refuses requests whose end or host a proxy in front of this service may have read differently (RFC 9112, sections 3.2
/// and 6.3).
///
/// The decoder refuses most of them by itself. It takes a list of transfer codings that ends with `chunked`, chunks in
/// HTTP/1.0, and any number of `Host` fields. A refused request is answered like one that cannot be decoded, after those
/// before it on the connection, and nothing after it is read.
final class RequestFormGuard: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private var hasRefused = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasRefused else { return }
        if case .head(let head) = unwrapInboundIn(data), let fault = Self.fault(of: head) {
            hasRefused = true
            context.fireErrorCaught(fault)
            return
        }
        context.fireChannelRead(data)
    }

    /// What is wrong with the head of a request; `nil` if nothing is.
    static func fault(of head: HTTPRequestHead) -> HTTPParserError? {
        guard head.version == .http1_1 || head.version == .http1_0 else { return .invalidVersion }
        var hosts: [String] = []
        var codings: [String] = []
        var hasLength = false
        for (name, value) in head.headers {
            // The lengths first: this runs for each field of each request.
            switch name.utf8.count {
            case 4: if name.isEqualIgnoringCase(to: "host") { hosts.append(value) }
            case 14: if name.isEqualIgnoringCase(to: "content-length") { hasLength = true }
            case 17: if name.isEqualIgnoringCase(to: "transfer-encoding") { codings.append(value) }
            default: break
            }
        }
        if let coding = codings.first {
            guard codings.count == 1, coding.isEqualIgnoringCase(to: "chunked"), head.version == .http1_1, !hasLength
            else { return .invalidHeaderToken }
        }
        guard hosts.count == 1, isHost(hosts[0]) else { return .invalidHeaderToken }
        return isTarget(head.uri, of: hosts[0]) ? nil : .invalidURL
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
