public import EntitlementKeys
public import EntitlementValues
import TextCodecs

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
