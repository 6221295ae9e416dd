public import EntitlementKeys
public import EntitlementValues
package import OpenSSLBridge
import TextCodecs

/// What a media token says.
///
/// The value itself proves nothing: only the claims of a ``VerifiedMediaToken``, or the authentic claims of a
/// ``MediaTokenVerdict``, come from a trusted key.
public struct MediaTokenClaims: Sendable, Hashable {
    /// The subscriber, by a pseudonymous hash.
    public let sessionGUID: SessionGUID
    /// The brand the token was issued to.
    public let requestor: RequestorID
    /// What was authorized: the text with which the application asked.
    public let resource: ResourceID
    /// How long the token is good, from its issue.
    public let ttl: TimeToLive
    /// When the token was issued.
    public let issued: Timestamp
    /// The provider that authorized.
    public let mvpd: MVPDID
    /// The proxy provider, if there is one.
    public let proxyMVPD: MVPDID?

    /// The last instant at which the token is good: issue plus TTL.
    public var expires: Timestamp { issued + ttl }
}

extension MediaTokenClaims: CustomStringConvertible {
    /// Everything but the subscriber.
    public var description: String {
        "requestor \(requestor.rawValue.printable), resource \(resource.rawValue.printable), issued \(issued), "
            + "expires \(expires), MVPD \(mvpd.rawValue.printable)"
    }
}

/// A media token that passed every check at the time it was verified.
///
/// Only a verifier makes one.
public struct VerifiedMediaToken: Sendable {
    /// What the token says.
    public let claims: MediaTokenClaims
    /// The trusted key that signed it.
    public let key: VerificationKey
    /// What was removed from the text on the way to the signed bytes.
    public let layers: TokenLayers
    /// SHA-256 of the signed bytes, which is the same for every encoding of the token.
    package let signedDigest: SHA256Digest

    init(claims: MediaTokenClaims, signer: Signer, layers: TokenLayers) {
        self.claims = claims
        key = signer.key
        self.layers = layers
        signedDigest = signer.digest
    }

    /// The subscriber, by a pseudonymous hash.
    public var sessionGUID: SessionGUID { claims.sessionGUID }
    /// The brand the token was issued to.
    public var requestor: RequestorID { claims.requestor }
    /// What was authorized.
    public var resource: ResourceID { claims.resource }
    /// How long the token is good, from its issue.
    public var ttl: TimeToLive { claims.ttl }
    /// When the token was issued.
    public var issued: Timestamp { claims.issued }
    /// The last instant at which the token is good.
    public var expires: Timestamp { claims.expires }
    /// The provider that authorized.
    public var mvpd: MVPDID { claims.mvpd }
    /// The proxy provider, if there is one.
    public var proxyMVPD: MVPDID? { claims.proxyMVPD }
}

extension VerifiedMediaToken: CustomStringConvertible {
    /// Everything but the subscriber.
    public var description: String { "verified media token (\(claims))" }
}

/// Says what was removed from a token's text on the way to the signed bytes.
public struct TokenLayers: Sendable, Hashable {
    /// Layers of Base64: 0, 1 or 2.
    public internal(set) var base64 = 0
    /// Whether the text was percent-encoded.
    public internal(set) var isPercentEncoded = false
    /// Whether `+` had to be read as a space, since a form encoded the token: for the signature to verify, or without a
    /// key for the fields to be readable.
    public internal(set) var plusWasSpace = false
    /// Whether white space at the end had to be dropped for the signature to verify.
    public internal(set) var trailingWhiteSpace = false
}

extension MediaTokenClaims: Codable {
    /// The names of the wire, which `tve` and its service use, too.
    private enum CodingKeys: String, CodingKey {
        case sessionGUID, requestorID, resourceID, ttl, issued, expires, mvpdId, proxyMvpdId
    }

    /// Reads claims that were written before.
    ///
    /// They prove nothing: only a verifier says what is authentic.
    ///
    /// - Parameter decoder: Where they are.
    /// - Throws: `DecodingError` if a member is missing or has another type, or if `expires` is not the sum of `issued`
    ///   and `ttl`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            sessionGUID: try container.decode(SessionGUID.self, forKey: .sessionGUID),
            requestor: try container.decode(RequestorID.self, forKey: .requestorID),
            resource: try container.decode(ResourceID.self, forKey: .resourceID),
            ttl: try container.decode(TimeToLive.self, forKey: .ttl),
            issued: try container.decode(Timestamp.self, forKey: .issued),
            mvpd: try container.decode(MVPDID.self, forKey: .mvpdId),
            proxyMVPD: try container.decodeIfPresent(MVPDID.self, forKey: .proxyMvpdId)
        )
        guard try container.decodeIfPresent(Timestamp.self, forKey: .expires) ?? expires == expires else {
            throw DecodingError.dataCorruptedError(
                forKey: .expires, in: container, debugDescription: "not the sum of issued and ttl")
        }
    }

    /// Writes the claims; instants and the TTL are milliseconds.
    ///
    /// - Parameter encoder: Where they go.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(sessionGUID, forKey: .sessionGUID)
        try container.encode(requestor, forKey: .requestorID)
        try container.encode(resource, forKey: .resourceID)
        try container.encode(ttl, forKey: .ttl)
        try container.encode(issued, forKey: .issued)
        try container.encode(expires, forKey: .expires)
        try container.encode(mvpd, forKey: .mvpdId)
        try container.encodeIfPresent(proxyMVPD, forKey: .proxyMvpdId)
    }
}
