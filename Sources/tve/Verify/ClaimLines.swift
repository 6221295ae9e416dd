#if CLI
import TextCodecs
import EntitlementValues
import MediaTokens

extension MediaTokenClaims {
    /// The claims as lines for people.
    var lines: [(name: String, value: String)] {
        var lines = [
            ("requestor", requestor.rawValue), ("resource", resource.rawValue), ("MVPD", mvpd.rawValue),
            ("session GUID", sessionGUID.rawValue), ("issued", issued.description),
            ("expires", "\(expires) (ttl \(ttl))"),
        ]
        if let proxyMVPD { lines.insert(("proxy MVPD", proxyMVPD.rawValue), at: 3) }
        return lines
    }
}

/// Sets names and values in two columns; what could break a line in a value is escaped.
func aligned(_ lines: [(name: String, value: String)]) -> String {
    let width = lines.map(\.name.count).max() ?? 0
    return lines.map { line in
        "  \(line.name)\(String(repeating: " ", count: width - line.name.count))  \(line.value.printable)\n"
    }.joined()
}
#endif
