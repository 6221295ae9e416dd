public import EntitlementKeys
public import EntitlementValues
import TextCodecs

/// Verifies JSON Web Tokens signed with RS256: access tokens, software statements, tokens of other services.
///
/// The verifier accepts only this algorithm, and a token that names another one is refused. The checks run in a fixed
/// order — size, parts, header, algorithm, signature, claims and their types, `exp`, `nbf`, `iat`, issuer,
/// audience, subject — and the first that fails is the error.
///
/// What is *not* checked: `typ` and `kid`, and that a token is used only once.
public struct JSONWebTokenVerifier: Sendable {
    private let keys: SignerSearch
    private let policy: JSONWebTokenPolicy

    /// Makes a verifier that trusts some keys.
    ///
    /// - Parameters:
    ///   - keys: The issuer's keys; any of them may have signed a token.
    ///   - policy: The tolerances and the maximum length.
    public init(keys: VerificationKeys, policy: JSONWebTokenPolicy = .standard) {
        self.keys = SignerSearch(keys)
        self.policy = policy
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
            try verify(bytes, expecting: expectations, at: now)
        }
    }

    /// Verifies a token given as bytes.
    ///
    /// - Parameters:
    ///   - bytes: The token in compact form.
    ///   - expectations: The issuer, subject and audience that the token must name.
    ///   - now: The instant at which the token must be valid.
    /// - Returns: The token's header and claims.
    /// - Throws: `RequestorSigningError`, the first check that failed.
    public func verify(
        _ bytes: Span<UInt8>,
        expecting expectations: JSONWebTokenExpectations,
        at now: Timestamp = .now
    ) throws(RequestorSigningError) -> VerifiedJSONWebToken {
        let token = try signed(bytes, expecting: expectations, at: now)
        try check(token.claims, against: expectations, at: now)
        return token
    }

    /// Verifies a token given as an array.
    ///
    /// - Parameters:
    ///   - bytes: The token in compact form.
    ///   - expectations: The issuer, subject and audience that the token must name.
    ///   - now: The instant at which the token must be valid.
    /// - Returns: The token's header and claims.
    /// - Throws: `RequestorSigningError`, the first check that failed.
    public func verify(
        _ bytes: [UInt8],
        expecting expectations: JSONWebTokenExpectations,
        at now: Timestamp = .now
    ) throws(RequestorSigningError) -> VerifiedJSONWebToken {
        try bytes.withSpan { bytes throws(RequestorSigningError) in
            try verify(bytes, expecting: expectations, at: now)
        }
    }

    /// Checks the form, the signature and the types of the claims, but not their values.
    func signed(
        _ text: Span<UInt8>,
        expecting expectations: JSONWebTokenExpectations,
        at now: Timestamp
    ) throws(RequestorSigningError) -> VerifiedJSONWebToken {
        guard expectations.isWellFormed else { throw .undecided(.emptyExpectation) }
        let token = try CompactToken(text, maximumLength: policy.maximumLength)
        guard token.header["crit"] == nil else { throw .malformed(.criticalExtension) }
        guard token.algorithm.utf8.elementsEqual("RS256".utf8) else {
            throw .unsupportedAlgorithm(excerpt(token.algorithm))
        }
        let range = token.signedRange
        guard let key = try keys.key(of: text, in: range, signature: token.signature, at: now) else {
            throw .badSignature
        }
        let claims = try JSONWebTokenClaims(CompactToken.object(token.payload, .payload))
        return VerifiedJSONWebToken(header: token.header, claims: claims, key: key)
    }

    /// Checks the dates and the expectations.
    func check(
        _ claims: JSONWebTokenClaims,
        against expectations: JSONWebTokenExpectations,
        at now: Timestamp
    ) throws(RequestorSigningError) {
        if policy.requiresExpiry, claims.expires == nil { throw .missingClaim("exp") }
        if let end = claims.expires, now >= end + policy.leeway { throw .expired(at: end, now: now) }
        for start in [claims.notBefore, claims.issued].compactMap(\.self)
        where now < start - policy.futureTolerance {
            throw .notYetValid(from: start, now: now)
        }
        try expectations.issuer.check(claims.issuer.map { [$0] } ?? [], field: "issuer")
        try expectations.audience.check(claims.audience, field: "audience")
        try expectations.subject.check(claims.subject.map { [$0] } ?? [], field: "subject")
    }
}
