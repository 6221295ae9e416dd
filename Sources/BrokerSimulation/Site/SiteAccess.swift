#if Client
import HTTPTypes

/// Keeps web pages of other origins, and names that lead here only by a trick, from a site.
///
/// A page of an attacker can have its own name resolve to 127.0.0.1 (DNS rebinding): the browser then takes this site
/// for the attacker's. So the name counts that the request itself gives.
struct SiteAccess {
    private let settings: SiteSettings

    init(_ settings: SiteSettings) { self.settings = settings }

    /// Refuses a request that no page of the site and no program at this machine would send.
    func check(_ request: HTTPRequest, for area: SiteArea) throws(SiteFault) {
        guard let authority = request.authority?.lowercased(), let host = Self.host(of: authority),
            Self.isLoopback(host) || isAllowed(host, for: area)
        else { throw .wrongHost }
        guard let origin = request.headerFields[.origin]?.lowercased() else { return }
        guard origin == "http://\(authority)" || origin == "https://\(authority)" else { throw .foreignOrigin }
    }

    /// Addresses cannot be rebound, and names that were given with the site's settings are its own.
    private func isAllowed(_ host: Substring, for area: SiteArea) -> Bool {
        guard settings.isOpenToOthers, area == .signIn || area == .logout else { return false }
        return Self.isAddress(host) || settings.names.contains { $0.lowercased() == host }
    }

    /// The host of an authority, without brackets and port; `nil` if it is malformed.
    private static func host(of authority: String) -> Substring? {
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            let rest = authority[authority.index(after: end)...]
            guard rest.isEmpty || isPort(rest) else { return nil }
            return authority[authority.index(after: authority.startIndex)..<end]
        }
        guard let colon = authority.firstIndex(of: ":") else { return authority.isEmpty ? nil : authority[...] }
        guard isPort(authority[colon...]), colon != authority.startIndex else { return nil }
        return authority[..<colon]
    }

    private static func isPort(_ text: Substring) -> Bool {
        text.first == ":" && (1...5).contains(text.utf8.count - 1)
            && text.dropFirst().utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    }

    /// Whether a host is this machine for every client.
    static func isLoopback(_ host: Substring) -> Bool {
        host == "localhost" || host == "::1" || host.hasPrefix("127.") && isAddress(host)
    }

    /// Whether a host is an address: four numbers, or one with colons.
    static func isAddress(_ host: Substring) -> Bool {
        if host.contains(":") { return host.utf8.allSatisfy { "0123456789abcdef:.".utf8.contains($0) } }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    }
}

extension HTTPField.Name {
    /// Which page made the browser send a request (RFC 6454 §7).
    fileprivate static let origin = HTTPField.Name("Origin") ?? .referer
}
#endif
