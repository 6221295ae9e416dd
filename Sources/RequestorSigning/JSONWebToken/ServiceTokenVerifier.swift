import TextCodecs
public import EntitlementKeys
public import EntitlementValues

/// Verifies service tokens: what ``ServiceTokenSigner`` makes, and the same from other implementations.
///
/// The checks are those of ``JSONWebTokenVerifier`` in its order; after the signature, `iss`, `sub`, `aud`, `iat`, `exp`
/// and `jti` must all be there.
public struct ServiceTokenVerifier: Sendable {
    private let verifier: JSONWebTokenVerifier

    /// Makes a verifier that trusts some keys.
    public init(keys: VerificationKeys, policy: JSONWebTokenPolicy = .standard) {
        verifier = JSONWebTokenVerifier(keys: keys, policy: policy)
    }

    /// Verifies a token.
    ///
    /// - Parameters:
    ///   - text: Header, payload and signature between dots, and nothing around them.
    ///   - expectations: What the token must say.
    ///   - now: The instant at which it must be good.
    /// - Returns: What the token says.
    /// - Throws: `RequestorSigningError`, the first check that failed.
    public func verify(
        _ text: String,
        expecting expectations: JSONWebTokenExpectations,
        at now: Timestamp = .now
    ) throws(RequestorSigningError) -> VerifiedJSONWebToken {
        try text.withBytes { bytes throws(RequestorSigningError) in
            let token = try verifier.signed(bytes, expecting: expectations, at: now)
            for name in serviceTokenClaimNames where token.claims.all[name] == nil { throw .missingClaim(name) }
            try verifier.check(token.claims, expectations, now)
            return token
        }
    }
}
