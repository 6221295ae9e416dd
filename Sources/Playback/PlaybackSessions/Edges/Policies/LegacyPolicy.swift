import EntitlementValues
import TextCodecs

/// The policy that a signed URL or cookie stands for, in JSON with one spelling: the vendor's order, no white space.
struct LegacyPolicy {
    private static let start = #"{"Statement":[{"Resource":""#
    private static let condition = #"","Condition":{"DateLessThan":{"AWS:EpochTime":"#
    private static let source = #","IpAddress":{"AWS:SourceIp":""#
    private static let end = "}}]}"

    /// Writes the policy of a grant as JSON; the origin is the scheme and host of the addresses.
    static func text(of grant: EdgeGrant, at origin: String) -> [UInt8] {
        let source = grant.address.map { "\(Self.source)\($0)/32\"}" } ?? ""
        let resource = "\(origin)\(grant.path.text)\(grant.path.isFolder ? "*" : "")"
        return Array("\(start)\(resource)\(condition)\(grant.seconds)}\(source)\(end)".utf8)
    }

    /// The addresses that it is for, as they are written.
    let resource: String
    let expires: Timestamp
    /// The address of the client; `nil` if there is none.
    let address: String?

    /// Takes a policy apart.
    ///
    /// Throws `.malformed` unless it has the members of a policy that is issued here, in their order.
    init(_ text: [UInt8]) throws(PlaybackSessionError) {
        var scanner = Scanner(rest: text[...])
        guard scanner.skip(Self.start), let resource = scanner.text(before: "\""), scanner.skip(Self.condition),
            let seconds = scanner.text(before: "}"), let expires = EdgeGrant.instant(seconds), scanner.skip("}")
        else { throw .malformed(.claims) }
        (self.resource, self.expires) = (resource, expires)
        guard scanner.skip(Self.source) else {
            address = nil
            return
        }
        guard let address = scanner.text(before: "/") else { throw .malformed(.claims) }
        self.address = address
    }

    /// Reads a policy whose signature is good; the origin is the scheme and host of the addresses.
    ///
    /// Throws `.malformed` unless ``text(of:at:)`` gives the same bytes; `.otherPath` for another origin.
    static func grant(_ text: [UInt8], at origin: String) throws(PlaybackSessionError) -> EdgeGrant {
        let policy = try LegacyPolicy(text)
        let client = policy.address.map { SessionClient.address($0) } ?? .unbound
        guard policy.resource.utf8.starts(with: "\(origin)/".utf8) else { throw .otherPath }
        let written = String(Substring(policy.resource.utf8.dropFirst(origin.utf8.count)))
        let isFolder = written.utf8.last == UInt8(ascii: "*")
        guard let path = EdgePath(isFolder ? String(written.dropLast()) : written), path.isFolder == isFolder,
            let grant = try? EdgeGrant(path: path, expires: policy.expires, client: client),
            Self.text(of: grant, at: origin) == text
        else { throw .malformed(.spelling) }
        return grant
    }

    /// Reads a text that may only have one form.
    private struct Scanner {
        var rest: ArraySlice<UInt8>

        mutating func skip(_ text: String) -> Bool {
            guard rest.starts(with: text.utf8) else { return false }
            rest = rest.dropFirst(text.utf8.count)
            return true
        }

        mutating func text(before end: Character) -> String? {
            guard let byte = end.asciiValue, let index = rest.firstIndex(of: byte) else { return nil }
            defer { rest = rest[index...] }
            return String(validating: rest[..<index], as: UTF8.self)
        }
    }
}
