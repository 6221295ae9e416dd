#if Client
import TextCodecs

/// The reason why an address in the broker's answer is refused.
@nonexhaustive
public enum AddressFault: String, Error, Sendable, Hashable, CaseIterable {
    /// The address is empty, or longer than 16 KiB.
    case length
    /// A control character, a space, a backslash, or another character that a URI cannot have (RFC 3986 §2).
    case character
    /// A scheme other than `https`, or plain `http` to a host that is not the broker's.
    case scheme
    /// Another host without a scheme, as in `//example.org`.
    case schemeRelative = "scheme_relative"
    /// A path that does not begin with a slash; it is not defined what it is relative to.
    case relativePath = "relative_path"
    /// The host is missing or malformed, or a user name stands before it.
    case host
}

extension AddressFault: CustomStringConvertible {
    /// What is wrong with the address, without it.
    public var description: String {
        switch self {
        case .length: "it is empty or too long"
        case .character: "it has a character that a URI cannot have"
        case .scheme: "its scheme is not https"
        case .schemeRelative: "it names another host without a scheme"
        case .relativePath: "its path does not begin with a slash"
        case .host: "its host is missing or malformed, or a user name stands before it"
        }
    }
}

/// Makes the addresses in the broker's answers absolute, and refuses those that a user agent must not open.
///
/// The broker writes addresses of its own as paths (`/api/v2/authenticate/…`) and a provider's as `https` addresses. A
/// browser would understand much more: `//host`, `javascript:`, a backslash for a slash, a TAB inside of a scheme. An
/// answer that holds such an address is broken or was tampered with.
package struct AddressResolver: Sendable {
    /// Where the API is; paths are relative to it.
    let api: BrokerOrigin

    private static let maximumLength = 16_384
    /// Domains of the broker's operator; older configurations of providers spell them with `http`.
    private static let operatorDomains = ["auth.adobe.com", "auth-staging.adobe.com"]

    package init(api: BrokerOrigin) { self.api = api }

    /// Makes absolute an address that the broker sent; throws if it must not be opened.
    ///
    /// The result is `https`; it is `http` only if it is the API's own address and the API is on this machine.
    package func resolve(_ text: String) throws(AddressFault) -> String {
        let bytes = Array(text.utf8)
        guard (1...Self.maximumLength).contains(bytes.count) else { throw .length }
        guard bytes.allSatisfy(\.isURICharacter) else { throw .character }
        if text.hasPrefix("//") { throw .schemeRelative }
        if text.hasPrefix("/") { return api.description + text }
        // A colon before any slash, question mark or number sign ends a scheme (RFC 3986 §4.2).
        guard let end = bytes.firstIndex(where: { "/?#:".utf8.contains($0) }), bytes[end] == UInt8(ascii: ":") else {
            throw .relativePath
        }
        let scheme = String(decoding: bytes[..<end], as: UTF8.self).lowercased()
        guard scheme == "https" || scheme == "http" else { throw .scheme }
        let rest = bytes[(end + 1)...]
        guard rest.starts(with: "//".utf8) else { throw .host }
        let authority = rest.dropFirst(2).prefix { !"/?#".utf8.contains($0) }
        // Checks host and port, and that a user is not named, as for https, whichever scheme it is.
        let text = String(decoding: authority, as: UTF8.self)
        guard let origin = try? BrokerOrigin(parsing: "https://" + text) else { throw .host }
        let address = String(decoding: rest, as: UTF8.self)
        if scheme == "https" { return "https:" + address }
        if api.scheme == .http, (try? BrokerOrigin(parsing: "http://" + text)) == api { return "http:" + address }
        // A port would be that of plain HTTP.
        guard origin.host == text.lowercased(), Self.isOperator(origin.host) else { throw .scheme }
        return "https:" + address
    }

    static func isOperator(_ host: String) -> Bool {
        operatorDomains.contains { host == $0 || host.hasSuffix("." + $0) }
    }
}

extension UInt8 {
    /// Whether RFC 3986 §2 has the byte in a URI: unreserved and reserved characters, and `%`.
    fileprivate var isURICharacter: Bool { isUnreserved || ":/?#[]@!$&'()*+,;=%".utf8.contains(self) }
}
#endif
