public import EntitlementValues
import OpenSSLBridge
import TextCodecs

/// Issues and verifies signed URLs and cookies with the policies that CloudFront checks.
///
/// A canned policy stands for one file and an end, and the URL shows the end only. A custom policy, which the URL holds as
/// a whole, stands for everything below a folder, and may be bound to an address, of IPv4 alone. Both are signed with
/// RSASSA-PKCS1-v1_5 and SHA-1, and written in Base64 with `-`, `_` and `~` instead of `+`, `=` and `/`.
///
/// SHA-1 no longer resists collisions: it is what that network takes. A policy holds nothing that a client chose but its
/// address, so a collision would be of no use to it.
///
/// Source: Amazon CloudFront Developer Guide, "Create a signed URL using a canned policy", "… using a custom policy" and
/// "Use signed cookies".
public struct LegacySignedPolicies: Sendable {
    /// The key pairs, of which the first one signs.
    public let keys: LegacyKeyPairs
    /// Scheme and host of all addresses, such as `https://d111111abcdef8.cloudfront.net`.
    public let origin: String

    /// Takes keys.
    ///
    /// - Parameters:
    ///   - keys: The key pairs, of which the first one signs.
    ///   - origin: Scheme and host of all addresses: `https://` or `http://` and a name in lower case, without a port
    ///     and without `/` at the end.
    /// - Throws: `.unsuitable` for another origin.
    public init(keys: LegacyKeyPairs, origin: String) throws(PlaybackSessionError) {
        let parts = origin.split(separator: "://", omittingEmptySubsequences: false)
        guard parts.count == 2, ["http", "https"].contains(parts[0]), !parts[1].isEmpty, origin.utf8.count <= 256,
            parts[1].utf8.allSatisfy({ $0.isASCIIDigit || 0x61...0x7A ~= $0 || "-.".utf8.contains($0) })
        else { throw .unsuitable(.edgeOrigin) }
        (self.keys, self.origin) = (keys, origin)
    }

    /// Signs a policy: a canned one for a file and every client, else a custom one.
    ///
    /// - Parameter grant: What it opens.
    /// - Returns: Its parameters, and the same as cookies.
    /// - Throws: `.cannotSign`; `.unsuitable` for an address that is not of IPv4; `.undecided`, also where the system's
    ///   policy forbids SHA-1.
    public func issue(_ grant: EdgeGrant) throws(PlaybackSessionError) -> IssuedEdgeGrant {
        if grant.client.ipAddress?.isIPv6 == true { throw .unsuitable(.edgeAddress) }
        let policy = LegacyPolicy.text(of: grant, at: origin)
        let key = keys.first
        let signature = try PlaybackSessionError.mapping { () throws(OpenSSLFailure) in try key.sign(policy) }
        guard let signature else { throw .cannotSign }
        let fields = [
            grant.isCanned
                ? EdgeField("Expires", "\(grant.seconds)") : EdgeField("Policy", SignedPolicyFields.encode(policy)),
            EdgeField("Signature", SignedPolicyFields.encode(signature)), EdgeField("Key-Pair-Id", key.id),
        ]
        return IssuedEdgeGrant(
            grant: grant, parameters: fields,
            cookies: fields.map { EdgeField(SignedPolicyFields.cookiePrefix + $0.name, $0.value) },
            pathPrefix: nil)
    }

    /// Verifies the policy of a request, in its query or else in its cookies.
    ///
    /// The checks run in this order: form, key, signature, spelling, time, path, client. The path of a canned policy is
    /// part of what is signed, so one for another file has a bad signature.
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
        let fields = try SignedPolicyFields(of: request)
        guard let signature = fields.signature else { throw .malformed(.fields) }
        let canned = try canned(fields.expires, for: request.path)
        let signed = canned.map { LegacyPolicy.text(of: $0, at: origin) } ?? fields.policy
        guard let policy = signed else { throw .malformed(.fields) }
        guard let key = keys.pairs.first(where: { $0.id.hasSameBytes(as: fields.keyID) }) else { throw .unknownKey }
        let isValid = try PlaybackSessionError.mapping { () throws(OpenSSLFailure) in
            try key.isValid(signature, of: policy)
        }
        guard isValid else { throw .badSignature }
        let grant = if let canned { canned } else { try LegacyPolicy.grant(policy, at: origin) }
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
