#if Client
import EntitlementValues
import HostSystem
import OpenSSLBridge
import TextCodecs

/// A request and its answer as a recorder has them.
struct RecordedExchange: Sendable {
    var requested: Timestamp
    var answered: Timestamp
    var method: String
    /// The address as it was asked for; without scheme and host, that of the simulator.
    var address: WebAddress
    var fields: [(name: String, value: String)] = []
    var body: [UInt8] = []
    var status: Int
    var answerFields: [(name: String, value: String)] = []
    var answerBody: [UInt8] = []

    /// The whole request but for its header fields: method, address and body.
    var request: [UInt8] { Array("\(method) \(address.origin)\(address.path)?\(address.query)\n".utf8) + body }

    /// The value of a header field of the request, whose names are alike in upper and lower case.
    func field(_ name: String) -> String? { Self.value(of: name, in: fields) }

    /// The value of a header field of the answer.
    func answerField(_ name: String) -> String? { Self.value(of: name, in: answerFields) }

    private static func value(of name: String, in fields: [(name: String, value: String)]) -> String? {
        let name = name.lowercased()
        let field = fields.first { $0.name.utf8.count == name.utf8.count && $0.name.lowercased() == name }
        // White space around a value does not belong to it (RFC 9110 §5.5), but some recorders have it.
        return field?.value.withBytes { String(copying: $0.extracting($0.trimmingWhiteSpace(0..<$0.count))) }
    }
}

/// That an application or a browser opened an address.
struct ReviewedVisit: Sendable {
    let place: Pseudonym?
    let requested: Timestamp
    /// Where the answer sent the browser on to.
    let next: Pseudonym?
    let answered: Timestamp

    init(_ exchange: RecordedExchange, _ names: Pseudonyms) throws(OpenSSLFailure) {
        (requested, answered) = (exchange.requested, exchange.answered)
        place = try names.place(exchange.address)
        let location = 300..<400 ~= exchange.status ? exchange.answerField("location") : nil
        next = try names.place(location.map { WebAddress($0, from: exchange.address) })
    }
}

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

/// What stands for a secret or an identifier in a review.
struct Pseudonym: Hashable, Sendable {
    fileprivate let code: UInt64
}

/// Makes pseudonyms: the same for the same text, and useless without the key, which is random and goes with the review.
struct Pseudonyms: Sendable {
    private let key: AuthenticationKey

    init() throws(OpenSSLFailure) {
        key = AuthenticationKey(WipedBytes(try randomBytes(32)), digest: .sha256)
    }

    func name(_ bytes: [UInt8]) throws(OpenSSLFailure) -> Pseudonym {
        Pseudonym(code: try key.code(of: bytes).prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
    }

    func name(_ text: String) throws(OpenSSLFailure) -> Pseudonym { try name(Array(text.utf8)) }

    /// Names a text; `nil` if there is none, or nothing in it.
    func name(_ text: String?) throws(OpenSSLFailure) -> Pseudonym? {
        guard let text, !text.isEmpty else { return nil }
        return try name(text)
    }

    /// Names the place that an address leads to: its query does not count.
    func place(_ address: WebAddress?) throws(OpenSSLFailure) -> Pseudonym? {
        try name(address.map { $0.origin + $0.path })
    }
}
#endif
