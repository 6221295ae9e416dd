public import EntitlementValues
import OpenSSLBridge
import TextCodecs

/// Issues and verifies signed URLs and cookies with the policies that CloudFront checks.
///
/// A canned policy stands for one file and an end, and the URL shows the end only. A custom policy, which the URL holds as
/// a whole, stands for everything below a folder, and may be bound to an address, of IPv4 alone. Both are signed with
/// SHA-256, by RSASSA-PKCS1-v1_5 or by ECDSA on P-256, whose signature is in DER, and name the hash
/// (`Hash-Algorithm=SHA256`). Policy and signature are in Base64 with `-`, `_` and `~` instead of `+`, `=` and `/`.
///
/// A policy that names no hash is signed with RSA and SHA-1, the only hash that CloudFront knew until April 2026. SHA-1
/// no longer resists collisions: ``usesLegacySHA1`` is for what does not know SHA-256 yet. It alone says which hash is
/// expected, never the request.
///
/// CloudFront cannot check an address that has a parameter `Hash-Algorithm` of its own. An ``EdgePath`` has no query, so
/// no grant is for such an address. In playlists, ``PlaylistRewriter`` replaces the parameter, but not with SHA-1, which
/// adds none.
///
/// Source: Amazon CloudFront Developer Guide, "Create a signed URL using a canned policy", "… using a custom policy" and
/// "Use signed cookies"; API reference, `PublicKey`, for the keys: RSA of 2048 bits and ECDSA on P-256.
public struct SignedPolicies: Sendable {
    /// The key pairs, of which the first one signs.
    public let keys: PolicyKeyPairs
    /// Scheme and host of all addresses, such as `https://d111111abcdef8.cloudfront.net`.
    public let origin: String
    /// Whether policies are signed with SHA-1 and name no hash, instead of SHA-256.
    public let usesLegacySHA1: Bool

    /// What the form is called.
    public var form: EdgeGrantForm { usesLegacySHA1 ? .legacySignedPolicy : .signedPolicy }

    /// Takes keys.
    ///
    /// - Parameters:
    ///   - keys: The key pairs, of which the first one signs.
    ///   - origin: Scheme and host of all addresses: `https://` or `http://` and a name in lower case, without a port
    ///     and without `/` at the end.
    ///   - usesLegacySHA1: Whether to use SHA-1 instead of SHA-256, with RSA keys alone.
    /// - Throws: `.unsuitable` for another origin; `.unusableKey` for a P-256 key and SHA-1.
    public init(
        keys: PolicyKeyPairs,
        origin: String,
        usingLegacySHA1 usesLegacySHA1: Bool = false
    ) throws(PlaybackSessionError) {
        let parts = origin.split(separator: "://", omittingEmptySubsequences: false)
        guard parts.count == 2, ["http", "https"].contains(parts[0]), parts[1].isHost else {
            throw .unsuitable(.edgeOrigin)
        }
        if usesLegacySHA1, let pair = keys.pairs.first(where: { !$0.isRSA }) {
            throw .unusableKey(
                file: pair.label.printable, code: "unsupported_key",
                reason: "SHA-1 goes with RSA keys alone; sign with SHA-256, or take an RSA key")
        }
        (self.keys, self.origin, self.usesLegacySHA1) = (keys, origin, usesLegacySHA1)
    }

    /// Signs a policy: a canned one for a file and every client, else a custom one.
    ///
    /// - Parameter grant: What it opens.
    /// - Returns: Its parameters, and the same as cookies.
    /// - Throws: `.cannotSign`; `.unsuitable` for an address that is not of IPv4; `.undecided`, also where the system's
    ///   policy forbids the hash.
    public func issue(_ grant: EdgeGrant) throws(PlaybackSessionError) -> IssuedEdgeGrant {
        if grant.client.ipAddress?.isIPv6 == true { throw .unsuitable(.edgeAddress) }
        let policy = SignedPolicy.text(of: grant, at: origin)
        let key = keys.first
        let signed = try PlaybackSessionError.mapping(key.sign(policy, usingLegacySHA1: usesLegacySHA1))
        guard let signature = signed else { throw .cannotSign }
        let fields =
            [
                grant.isCanned
                    ? EdgeField("Expires", "\(grant.seconds)") : EdgeField("Policy", SignedPolicyFields.encode(policy)),
                EdgeField("Signature", SignedPolicyFields.encode(signature)), EdgeField("Key-Pair-Id", key.id),
            ] + (usesLegacySHA1 ? [] : [EdgeField(SignedPolicyFields.hashName, SignedPolicyFields.hash)])
        return IssuedEdgeGrant(
            grant: grant, parameters: fields,
            cookies: fields.map { EdgeField(SignedPolicyFields.cookiePrefix + $0.name, $0.value) },
            pathPrefix: nil)
    }

    /// Verifies the policy of a request, in its query or else in its cookies.
    ///
    /// The checks run in this order: form, key, signature, spelling, time, path, client. The name of another hash than
    /// the expected one, or of any if SHA-1 is, is another form. The path of a canned policy is part of what is signed,
    /// so one for another file has a bad signature. Of an ECDSA signature everyone can make a second one that is good, too:
    /// both are taken, as edges take them, since half of what other signers make has the one that is not issued here.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - now: The instant at which it must be good.
    /// - Returns: The grant.
    /// - Throws: `PlaybackSessionError`, the first check that failed.
    public func verify(
        _ request: EdgeRequest,
        at now: Timestamp = .now
    ) throws(PlaybackSessionError) -> VerifiedEdgeGrant {
        let fields = try SignedPolicyFields(of: request, usingLegacySHA1: usesLegacySHA1)
        guard let signature = fields.signature else { throw .malformed(.fields) }
        let canned = try canned(fields.expires, for: request.path)
        let signed = canned.map { SignedPolicy.text(of: $0, at: origin) } ?? fields.policy
        guard let policy = signed else { throw .malformed(.fields) }
        guard let key = keys.pairs.first(where: { $0.id.hasSameBytes(as: fields.keyID) }) else { throw .unknownKey }
        guard
            try PlaybackSessionError.mapping(key.isValid(signature, of: policy, usingLegacySHA1: usesLegacySHA1))
        else { throw .badSignature }
        let grant = if let canned { canned } else { try SignedPolicy.grant(policy, at: origin) }
        guard grant.isCanned == (canned != nil) else { throw .malformed(.spelling) }
        try EdgeGrant.check(grant.expires, at: now)
        guard grant.path.opens(request.path) else { throw .otherPath }
        guard grant.client == request.client else { throw .otherClient }
        return VerifiedEdgeGrant(grant: grant, keyID: key.id)
    }

    /// The grant of a canned policy, which has no policy among its fields; `nil` if it is custom.
    private func canned(_ end: String?, for path: String) throws(PlaybackSessionError) -> EdgeGrant? {
        guard let end else { return nil }
        guard let expires = EdgeGrant.instant(end) else { throw .malformed(.fields) }
        guard let path = EdgePath(path), !path.isFolder else { throw .otherPath }
        return try EdgeGrant(path: path, expires: expires)
    }
}

extension EdgeGrant {
    /// Whether the form without a policy among its fields can say it.
    fileprivate var isCanned: Bool { !path.isFolder && client == .unbound }
}

/// The fields that carry a signed policy, each of them once.
struct SignedPolicyFields {
    let expires: String?
    let policy: [UInt8]?
    /// `nil` if it is not in the encoding of these fields.
    let signature: [UInt8]?
    let keyID: String

    /// What stands before the names if they are those of cookies.
    static let cookiePrefix = "CloudFront-"
    /// What names the hash of a signature, and the one hash that is named; SHA-1 is not.
    static let (hashName, hash) = ("Hash-Algorithm", "SHA256")

    /// Finds the fields in the query of a request, or else in its cookies.
    ///
    /// Throws `.malformed` also if they name another hash than the expected one.
    init(of request: EdgeRequest, usingLegacySHA1 usesLegacySHA1: Bool) throws(PlaybackSessionError) {
        if let found = try Self(request.parameters, prefix: "", namesHash: !usesLegacySHA1) {
            self = found
        } else if let found = try Self(request.cookies, prefix: Self.cookiePrefix, namesHash: !usesLegacySHA1) {
            self = found
        } else {
            throw .malformed(.fields)
        }
    }

    /// Finds the fields; `nil` without a signature.
    private init?(_ fields: [EdgeField], prefix: String, namesHash: Bool) throws(PlaybackSessionError) {
        guard let signature = try fields.only(prefix + "Signature") else { return nil }
        let hash = try fields.only(prefix + Self.hashName)
        guard (hash != nil) == namesHash, hash?.hasSameBytes(as: Self.hash) ?? true else { throw .malformed(.fields) }
        guard let keyID = try fields.only(prefix + "Key-Pair-Id") else { throw .malformed(.fields) }
        expires = try fields.only(prefix + "Expires")
        let policy = try fields.only(prefix + "Policy")
        guard (policy == nil) != (expires == nil) else { throw .malformed(.fields) }
        self.policy = policy.flatMap(Self.decode)
        self.signature = Self.decode(signature)
        self.keyID = keyID
    }

    // MARK: The encoding

    private static let replacements: [UInt8: UInt8] = [
        UInt8(ascii: "+"): UInt8(ascii: "-"), UInt8(ascii: "="): UInt8(ascii: "_"),
        UInt8(ascii: "/"): UInt8(ascii: "~"),
    ]
    private static let originals = Dictionary(uniqueKeysWithValues: replacements.map { ($1, $0) })

    /// Encodes in Base64 with `-`, `_` and `~` instead of `+`, `=` and `/`.
    static func encode(_ bytes: [UInt8]) -> String {
        String(decoding: Base64.encode(bytes).utf8.map { replacements[$0] ?? $0 }, as: UTF8.self)
    }

    /// Decodes what ``encode(_:)`` writes; `nil` for everything else.
    private static func decode(_ text: String) -> [UInt8]? {
        let bytes = Array(text.utf8)
        guard !bytes.contains(where: { replacements[$0] != nil }) else { return nil }
        return Base64.decode(bytes.map { originals[$0] ?? $0 }, options: .canonical)
    }
}

/// The policy that a signed URL or cookie stands for, in JSON with one spelling: the vendor's order, no white space.
struct SignedPolicy {
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
        let policy = try SignedPolicy(text)
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
