#if Client
import TextCodecs

/// Makes the addresses in the broker's answers absolute, and refuses those that a user agent must not open.
///
/// The broker writes addresses of its own as paths (`/api/v2/authenticate/…`) and a provider's as `https` addresses. A
/// browser would understand much more: `//host`, `javascript:`, a backslash for a slash, a TAB inside of a scheme. An
/// answer that holds such an address is broken or was tampered with.
struct AddressResolver: Sendable {
    /// The scheme and the authority of the API, for example `https://sp.auth.adobe.com`.
    let origin: String

    private static let maximumLength = 16_384
    /// Domains of the broker's operator; older configurations of providers spell them with `http`.
    private static let operatorDomains = ["auth.adobe.com", "auth-staging.adobe.com"]

    /// Makes an address absolute.
    ///
    /// - Parameter text: The address as the broker sent it.
    /// - Returns: An `https` address; an `http` address only if it is the API's own and the API is on this machine.
    /// - Throws: `AddressFault` if the address must not be opened.
    func resolve(_ text: String) throws(AddressFault) -> String {
        let bytes = Array(text.utf8)
        guard (1...Self.maximumLength).contains(bytes.count) else { throw .length }
        guard bytes.allSatisfy(\.isURICharacter) else { throw .character }
        if text.hasPrefix("//") { throw .schemeRelative }
        if text.hasPrefix("/") { return origin + text }
        // A colon before any slash, question mark or number sign ends a scheme (RFC 3986 §4.2).
        guard let end = bytes.firstIndex(where: { "/?#:".utf8.contains($0) }), bytes[end] == UInt8(ascii: ":") else {
            throw .relativePath
        }
        let scheme = String(decoding: bytes[..<end], as: UTF8.self).lowercased()
        guard scheme == "https" || scheme == "http" else { throw .scheme }
        let rest = Array(bytes[(end + 1)...])
        guard rest.starts(with: "//".utf8) else { throw .host }
        let authorityEnd = rest.dropFirst(2).firstIndex { "/?#".utf8.contains($0) } ?? rest.endIndex
        let authority = String(decoding: rest[2..<authorityEnd], as: UTF8.self).lowercased()
        guard let host = Self.host(of: authority) else { throw .host }
        let address = String(decoding: rest, as: UTF8.self)
        if scheme == "https" { return "https:" + address }
        if origin.lowercased() == "http://" + authority { return "http:" + address }
        // The port would be that of plain HTTP.
        guard authority == host, Self.operatorDomains.contains(where: { host == $0 || host.hasSuffix("." + $0) }) else {
            throw .scheme
        }
        return "https:" + address
    }

    /// The host of an authority without a user; `nil` if it is malformed.
    private static func host(of authority: String) -> String? {
        let bytes = Array(authority.utf8)
        let isAddress = bytes.first == UInt8(ascii: "[")
        let end: Int
        if isAddress {
            guard let bracket = bytes.firstIndex(of: UInt8(ascii: "]")), bracket > 2,
                bytes[1..<bracket].allSatisfy({ $0.hexDigitValue != nil || ":.".utf8.contains($0) })
            else { return nil }
            end = bracket + 1
        } else {
            end = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
            guard end > 0, bytes[..<end].allSatisfy({ $0.isURLSafe || $0 == UInt8(ascii: ".") }) else { return nil }
        }
        if end < bytes.endIndex {
            guard bytes[end] == UInt8(ascii: ":"), let port = UInt16(String(decoding: bytes[(end + 1)...], as: UTF8.self)),
                port > 0, bytes[end + 1].isASCIIDigit
            else { return nil }
        }
        return String(decoding: bytes[..<end], as: UTF8.self)
    }
}

extension UInt8 {
    /// Whether RFC 3986 §2 has the byte in a URI: unreserved and reserved characters, and `%`.
    fileprivate var isURICharacter: Bool { isUnreserved || ":/?#[]@!$&'()*+,;=%".utf8.contains(self) }
}
#endif
