public import EntitlementKeys
public import EntitlementValues
import OpenSSLBridge
public import TextCodecs

/// The claims of a service token that is to be signed.
public struct ServiceTokenClaims: Sendable {
    /// The party that issues the token (`iss`).
    public var issuer: String
    /// The subject: the party or thing that the token is about (`sub`).
    public var subject: String
    /// The receivers that it is for (`aud`): one is written as a string, several as a list.
    public var audience: [String]
    /// How long it is valid, from the instant of signing: whole seconds, at most 366 days.
    public var lifetime: TimeToLive
    /// Further claims, written after the registered ones and in this order.
    ///
    /// Numbers are whole: an `otherNumber` is not signed.
    public var extra: JSON.Object

    /// Sets the claims.
    ///
    /// - Parameters:
    ///   - issuer: The party that issues the token (`iss`).
    ///   - subject: The party or thing that the token is about (`sub`).
    ///   - audience: The receivers that it is for (`aud`).
    ///   - lifetime: How long it is valid: whole seconds, at most 366 days.
    ///   - extra: Further claims, written after the registered ones.
    public init(
        issuer: String,
        subject: String,
        audience: [String],
        lifetime: TimeToLive,
        extra: JSON.Object = [:]
    ) {
        self.issuer = issuer
        self.subject = subject
        self.audience = audience
        self.lifetime = lifetime
        self.extra = extra
    }
}

/// The claims that a service token always has, in the order in which they are written.
let serviceTokenClaimNames = ["iss", "sub", "aud", "iat", "exp", "jti"]

extension ServiceTokenClaims {
    /// Checks all values and makes the payload.
    ///
    /// Tokens have times in seconds, so the milliseconds of `now` are dropped.
    func members(at now: Timestamp, tokenID: String) throws(RequestorSigningError) -> JSON.Object {
        try checkSignable(issuer, as: "issuer")
        try checkSignable(subject, as: "subject")
        try checkSignable(tokenID, as: "token ID")
        guard !audience.isEmpty else { throw .unsuitable(field: "audience", .empty) }
        for one in audience { try checkSignable(one, as: "audience") }
        guard (TimeToLive.seconds(1)...TimeToLive.hours(366 * 24)).contains(lifetime),
            lifetime.milliseconds % 1000 == 0
        else { throw .unsuitableSetting(.lifetime(lifetime)) }
        guard now.milliseconds >= 0, now + lifetime <= .lastReadable else { throw .unsuitableSetting(.instant(now)) }
        for member in extra.members where serviceTokenClaimNames.contains(member.name) {
            throw .unsuitableClaim(name: member.name, .reserved)
        }
        let issued = now.milliseconds / 1000
        let audience: JSON = audience.count == 1 ? .string(audience[0]) : .array(audience.map(JSON.string))
        let registered: JSON.Object = [
            "iss": .string(issuer), "sub": .string(subject), "aud": audience,
            "iat": .number(issued), "exp": .number(issued + lifetime.milliseconds / 1000), "jti": .string(tokenID),
        ]
        return JSON.Object(registered.members + extra.members)
    }
}

extension Timestamp {
    /// The last millisecond of the year 9999; a later date is one in milliseconds that was read as seconds.
    static let lastReadable = Timestamp(milliseconds: 253_402_300_799_999)
}

/// Signs service tokens: JSON Web Tokens (RFC 7519) in compact form, signed with RS256.
///
/// ```swift
/// let signer = try ServiceTokenSigner(key: key, keyID: "2026-01")
/// let claims = ServiceTokenClaims(
///     issuer: "programmer", subject: "REF30", audience: ["broker"], lifetime: .minutes(5))
/// let token = try signer.sign(claims)
/// ```
///
/// The same claims, instant and token ID give the same bytes: members have a fixed order, and RS256 is deterministic.
public struct ServiceTokenSigner: Sendable {
    private let key: SigningKey
    private let header: String

    /// The maximum length of a token, in bytes: the maximum that a verifier with standard settings accepts.
    public static let maximumLength = JSONWebTokenPolicy.standard.maximumLength

    /// Makes a signer for one key.
    ///
    /// - Parameters:
    ///   - key: At least 2048 bits, unless it was read with `allowingWeakKeys`.
    ///   - keyID: The name by which the receiver knows the key (`kid`).
    /// - Throws: `.unsuitable` if the key ID is empty, or has white space at an end or control characters.
    public init(key: SigningKey, keyID: String) throws(RequestorSigningError) {
        try checkSignable(keyID, as: "key ID")
        self.key = key
        let members: JSON.Object = ["alg": "RS256", "typ": "JWT", "kid": .string(keyID)]
        header = Base64.encodeURLSafe(try members.signableJSON())
    }

    /// Signs a token.
    ///
    /// - Parameters:
    ///   - claims: The claims to sign.
    ///   - now: When it is signed (`iat`); its lifetime begins here.
    ///   - tokenID: The identifier of this token (`jti`); `nil` for a random UUID.
    /// - Returns: The token in compact form: header, payload and signature in Base64url, separated by dots.
    /// - Throws: `.unsuitable`, `.unsuitableClaim` or `.unsuitableSetting` for a value that cannot be signed, `.tooLarge`,
    ///   `.undecided` if libcrypto failed.
    public func sign(
        _ claims: ServiceTokenClaims,
        at now: Timestamp = .now,
        tokenID: String? = nil
    ) throws(RequestorSigningError) -> String {
        let tokenID = if let tokenID { tokenID } else { try randomUUID() }
        let payload = try claims.members(at: now, tokenID: tokenID).signableJSON()
        let signed = "\(header).\(Base64.encodeURLSafe(payload))"
        let signature = try signed.withBytes { bytes throws(RequestorSigningError) in
            try key.signature(over: bytes, .sha256)
        }
        let token = "\(signed).\(Base64.encodeURLSafe(signature))"
        guard token.utf8.count <= Self.maximumLength else { throw .tooLarge(limit: Self.maximumLength) }
        return token
    }
}

/// Makes a random UUID (RFC 9562, version 4) of 36 lowercase characters.
func randomUUID() throws(RequestorSigningError) -> String {
    var bytes = try rethrowing(randomBytes(16), as: RequestorSigningError.init(_:))
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    let groups = [0..<4, 4..<6, 6..<8, 8..<10, 10..<16]
    return groups.map { Hex.encode(bytes[$0]) }.joined(separator: "-")
}

/// Verifies service tokens as ``ServiceTokenSigner`` and other implementations make them.
///
/// The checks are those of ``JSONWebTokenVerifier`` in its order; after the signature, `iss`, `sub`, `aud`, `iat`, `exp`
/// and `jti` must all be there.
public struct ServiceTokenVerifier: Sendable {
    private let verifier: JSONWebTokenVerifier

    /// Makes a verifier that trusts some keys.
    ///
    /// - Parameters:
    ///   - keys: The signers' keys; any of them may have signed a token.
    ///   - policy: The tolerances and the maximum length.
    public init(keys: VerificationKeys, policy: JSONWebTokenPolicy = .standard) {
        verifier = JSONWebTokenVerifier(keys: keys, policy: policy)
    }

    /// Verifies a token.
    ///
    /// - Parameters:
    ///   - text: The token in compact form: header, payload and signature, separated by dots.
    ///   - expectations: The issuer, subject and audience that the token must name.
    ///   - now: The instant at which the token must be valid.
    /// - Returns: The token's header and claims.
    /// - Throws: `RequestorSigningError`, the first check that failed.
    public func verify(
        _ text: String,
        expecting expectations: JSONWebTokenExpectations,
        at now: Timestamp = .now
    ) throws(RequestorSigningError) -> VerifiedJSONWebToken {
        try text.withBytes { bytes throws(RequestorSigningError) in
            let token = try verifier.signed(bytes, expecting: expectations, at: now)
            for name in serviceTokenClaimNames where token.claims.all[name] == nil { throw .missingClaim(name) }
            try verifier.check(token.claims, against: expectations, at: now)
            return token
        }
    }
}
