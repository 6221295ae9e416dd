import EntitlementKeys
public import EntitlementValues
import OpenSSLBridge
import TextCodecs

/// Issues and verifies Common Access Tokens (CTA-5007-B), which the edges of several content networks check.
///
/// A token is a CBOR Web Token (RFC 8392) in Base64url without padding: COSE_Mac0 with HS256, or COSE_Sign1 with ES256.
/// What a grant says becomes these claims, and nothing else is written:
///
/// | Claim | Value |
/// | --- | --- |
/// | `iss` 1, `aud` 3 | ``issuer`` and ``audience``, if there are any |
/// | `exp` 4 | the end, in seconds since 1970 |
/// | `cti` 7 | the 16 bytes of the session's ID |
/// | `catv` 310 | 1 |
/// | `catnip` 311 | the address that the grant is bound to, of IPv4 (tag 52) or IPv6 (tag 54) |
/// | `catu` 312 | the path, by its prefix for a folder; and ``host``, if there is one |
/// | `catm` 313 | `GET` and `HEAD` |
///
/// The standard lets no verifier pass a token with a claim that it does not know. This one knows `sub`, `nbf`, `iat` and
/// `catreplay` besides: `sub` is a text that it does not look at, `nbf` and `iat` are at most 60 seconds ahead, as clocks
/// differ, and a replay must be permitted (0). Like every grant, a token ends within 7 days. Refused is whatever is not
/// enforced: renewal (`catr`), several addresses or networks, other parts of an address than host and path, other ways to
/// compare them, methods without `GET` and `HEAD`, and a prefix that is not a folder. The method of a request is not
/// asked for.
///
/// Who has the secret of HS256 can issue tokens, and the operator of the edge has it. So it is a secret for that edge
/// alone, and never a key of playback sessions. With ES256, the edge has the public key.
///
/// Source: the numbers of claims in the IANA registry "CBOR Web Token (CWT) Claims"; their values as public
/// implementations agree on them, and where these differ, as is told beside the code.
public struct CommonAccessTokens: Sendable {
    /// The longest text of a token that is issued or read, in bytes.
    ///
    /// CloudFront Functions take 1 KB, and their guide does not say whether before or after decoding.
    public static let maximumLength = 1024
    /// The name of the header field and of the cookie.
    public static let fieldName = "CTA-Common-Access-Token"
    /// The name of the query parameter.
    public static let parameterName = "CAT"

    /// The keys, of which the first one signs.
    public let keys: SessionKeys
    /// The host that tokens are for; `nil` for every host.
    public let host: String?
    /// The name of the service that issues tokens; `nil` for none.
    public let issuer: String?
    /// The name of the edge that tokens are for; `nil` for none.
    public let audience: String?
    /// Whether tokens are issued with the tag of a CBOR Web Token (61) around them; both kinds are verified.
    public let hasWebTokenTag: Bool

    /// Takes keys.
    ///
    /// - Parameters:
    ///   - keys: The keys, of which the first one signs: secrets for HS256 and P-256 keys for ES256.
    ///   - host: The host that tokens are for, in lower case and without a port; `nil` for every host.
    ///   - issuer: The name of the service that issues tokens, 1 to 256 bytes; `nil` for none.
    ///   - audience: The name of the edge that tokens are for, 1 to 256 bytes; `nil` for none.
    ///   - hasWebTokenTag: Whether tokens are issued with the tag of a CBOR Web Token around them. CloudFront Functions
    ///     take both kinds, other edges as they are set.
    /// - Throws: `.unusableKey` for an RSA key; `.unsuitable` for a host or a name that cannot be written.
    public init(
        keys: SessionKeys,
        host: String? = nil,
        issuer: String? = nil,
        audience: String? = nil,
        hasWebTokenTag: Bool = true
    ) throws(PlaybackSessionError) {
        if let key = keys.keys.first(where: { COSEStructure(for: $0.algorithm) == nil }) {
            throw .unusableKey(
                file: key.label.printable, code: "unsupported_key",
                reason: "an RSA key; Common Access Tokens are signed with a secret or a P-256 key")
        }
        if let host, !host.isHost {
            throw .unsuitable(.empty(field: "host of Common Access Tokens"))
        }
        for (name, text) in [("issuer", issuer), ("audience", audience)] {
            guard let text else { continue }
            guard 1...256 ~= text.utf8.count, Array(text.utf8).isTextWithoutNUL else {
                throw .unsuitable(.empty(field: "\(name) of Common Access Tokens"))
            }
        }
        (self.keys, self.host, self.hasWebTokenTag) = (keys, host, hasWebTokenTag)
        (self.issuer, self.audience) = (issuer, audience)
    }

    /// Issues a token.
    ///
    /// - Parameter grant: What it opens.
    /// - Returns: The token as the parameter and as the cookie; a header field has the cookie's name and value.
    /// - Throws: `.unsuitable` if the text would be longer than ``maximumLength``; `.cannotSign`; `.undecided`.
    public func issue(_ grant: EdgeGrant) throws(PlaybackSessionError) -> IssuedEdgeGrant {
        guard let key = keys.keys.first, let structure = COSEStructure(for: key.algorithm) else { throw .cannotSign }
        let payload = CommonAccessClaims.payload(of: grant, host: host, issuer: issuer, audience: audience)
        let text = try CommonAccessText.text(
            of: payload, structure: structure, keyID: key.id, isTagged: hasWebTokenTag
        ) { signed throws(PlaybackSessionError) in
            guard let signature = try PlaybackSessionError.mapping(key.material.sign(signed)) else {
                throw .cannotSign
            }
            return signature
        }
        guard text.utf8.count <= Self.maximumLength else { throw .unsuitable(.accessTokenLength) }
        return IssuedEdgeGrant(
            grant: grant, parameters: [EdgeField(Self.parameterName, text)],
            cookies: [EdgeField(Self.fieldName, text)], pathPrefix: nil)
    }

    /// Verifies the token of a request, in its header field, its query or a cookie.
    ///
    /// The checks run in this order: form, key, signature, claims, time, issuer, audience, host, path, client. The key
    /// fixes the algorithm; what a token says of it must be the same.
    ///
    /// - Parameters:
    ///   - request: The request, which is one to read (`GET` or `HEAD`) and came to ``host``.
    ///   - now: The instant at which the token must be good.
    /// - Returns: The grant.
    /// - Throws: `PlaybackSessionError`, the first check that failed. It is `.malformed` if there is no token, or
    ///   different ones in several places, of which edges take different ones.
    public func verify(
        _ request: EdgeRequest,
        at now: Timestamp = .now
    ) throws(PlaybackSessionError) -> VerifiedEdgeGrant {
        let token = try CommonAccessText(Self.text(in: request))
        guard let key = keys.keys.first(where: { $0.id.utf8.elementsEqual(token.keyID) }) else { throw .unknownKey }
        guard COSEStructure(for: key.algorithm) == token.structure else { throw .malformed(.header) }
        guard try PlaybackSessionError.mapping(key.material.isValid(token)) else {
            throw .badSignature
        }
        let claims = try CommonAccessClaims(reading: token.payload)
        let grant = claims.grant
        try EdgeGrant.check(grant.expires, begun: claims.begins, at: now)
        guard Self.isSame(claims.issuer, as: issuer) else { throw .otherIssuer }
        guard
            audience == nil && claims.audience == nil
                || claims.audience?.contains(where: { Self.isSame($0, as: audience) }) == true
        else { throw .otherAudience }
        guard Self.isSame(claims.host, as: host), grant.path.opens(request.path) else { throw .otherPath }
        guard grant.client == request.client else { throw .otherClient }
        return VerifiedEdgeGrant(grant: grant, keyID: key.id)
    }

    /// Tells whether two texts, or the absence of both, are the same.
    private static func isSame(_ one: String?, as other: String?) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        return one.hasSameBytes(as: other)
    }

    /// The text of the token, from wherever it is.
    static func text(in request: EdgeRequest) throws(PlaybackSessionError) -> String {
        let inQuery = try request.parameters.only(parameterName)
        let inCookie = try request.cookies.only(fieldName)
        let presented = [request.accessToken, inQuery, inCookie].compactMap { $0 }
        guard let first = presented.first, presented.allSatisfy({ $0.hasSameBytes(as: first) }) else {
            throw .malformed(.fields)
        }
        return first
    }
}

extension SessionKeyMaterial {
    /// Tells whether this key made the signature of a token.
    ///
    /// Sessions have one text, so of the two good signatures of ECDSA only one is taken there. Other issuers of tokens
    /// give either, and a token is not one text anyway: it may have a tag around it or not.
    fileprivate func isValid(_ token: CommonAccessText) throws(OpenSSLFailure) -> Bool {
        guard case .p256(let key) = self else { return try isValid(token.signature, of: token.signed) }
        return try key.isValid(token.signature, of: token.signed, as: .concatenated)
    }
}
