#if Client
/// An address, taken apart without a look at its escapes.
struct WebAddress {
    /// Scheme, host and port in lower case, the standard port left out, or a scheme alone; empty if the address is relative.
    private(set) var origin = ""
    /// The host in lower case, without brackets.
    private(set) var host: Substring = ""
    let path: String
    let query: String

    private static let standardPorts = ["https": ":443", "http": ":80"]

    /// Reads an address; one without scheme and host is at the origin of `base`, which is another address.
    init(_ text: String, from base: WebAddress? = nil) {
        let parts = text.prefix { $0 != "#" }.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        query = parts.count > 1 ? String(parts[1]) : ""
        var rest = parts[0]
        let scheme = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }.lowercased()
        // An application's own scheme needs no slashes (RFC 8252 §7.1).
        if !scheme.isEmpty, rest.dropFirst(scheme.count).hasPrefix(":") {
            rest = rest.dropFirst(scheme.count + 1)
            origin = "\(scheme):"
        }
        if !origin.isEmpty, rest.hasPrefix("//") {
            var authority = rest.dropFirst(2).prefix { $0 != "/" }.lowercased()[...]
            rest = rest.dropFirst(2).drop { $0 != "/" }
            if let at = authority.lastIndex(of: "@") { authority = authority[authority.index(after: at)...] }
            if let port = Self.standardPorts[scheme], authority.hasSuffix(port) {
                authority = authority.dropLast(port.count)
            }
            origin += "//\(authority)"
            let isBracketed = authority.hasPrefix("[")
            host = isBracketed ? authority.dropFirst().prefix { $0 != "]" } : authority.prefix { $0 != ":" }
        }
        path = rest.isEmpty ? "/" : String(rest)
        if origin.isEmpty, let base { origin = base.origin }
    }
}
#endif
