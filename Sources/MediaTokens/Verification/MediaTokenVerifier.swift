import TextCodecs
public import EntitlementKeys
public import EntitlementValues

/// Verifies short media tokens: text in, a `VerifiedMediaToken` or the reason for a refusal out.
///
/// ```swift
/// let keys = try VerificationKeys(contentsOfFile: "issuer.pem")
/// let verifier = MediaTokenVerifier(keys: keys)
/// let token = try verifier.verify(text, expecting: .init(requestor: "REF30", resource: "REF30"))
/// ```
///
/// Make one per set of keys and share it: it never changes, and verifying takes no lock. The checks run in a fixed
/// order — size, decoding, splitting, signature, fields, requestor, time, resource — and the first that fails is the
/// answer. No field is looked at before the signature is good.
///
/// What is *not* checked here: that a token is used only once. `TokenLifetimes` adds that to both functions, with
/// `redeemingIn:`.
public struct MediaTokenVerifier: Sendable {
    private var reader: SignedTextReader
    private var policy: VerificationPolicy
    private let format: FormatBytes

    /// Makes a verifier that trusts some keys.
    public init(
        keys: VerificationKeys,
        policy: VerificationPolicy = .standard,
        format: MediaTokenFormat = .wire
    ) {
        self.policy = policy
        self.format = FormatBytes(format)
        reader = SignedTextReader(keys: keys, policy: policy, format: self.format)
    }

    /// The same verifier with another leeway, sharing its keys.
    ///
    /// - Throws: `VerificationPolicyError` where the leeway is negative or above 10 minutes.
    public func with(leeway: TimeToLive) throws(VerificationPolicyError) -> MediaTokenVerifier {
        var copy = self
        copy.policy = try VerificationPolicy(
            leeway: leeway,
            issuedInFutureTolerance: policy.issuedInFutureTolerance,
            maximumTTL: policy.maximumTTL,
            maximumLength: policy.maximumLength,
            acceptsLegacySHA1: policy.acceptsLegacySHA1
        )
        return copy
    }

    /// The same verifier with another set of keys.
    public func with(keys: VerificationKeys) -> MediaTokenVerifier {
        var copy = self
        copy.reader = SignedTextReader(keys: keys, policy: policy, format: format)
        return copy
    }

    /// Verifies a token.
    ///
    /// - Parameters:
    ///   - text: The token as the client passed it on: plain text, Base64 of it in one layer or two (standard or
    ///     URL-safe alphabet, wrapped or not), or percent-encoded plain text.
    ///   - expectations: The requestor and resource that the token must be for.
    ///   - now: The instant at which the token must be good.
    /// - Returns: What the token says.
    /// - Throws: `MediaTokenError`, the first check that failed.
    public func verify(
        _ text: String,
        expecting expectations: TokenExpectations,
        at now: Timestamp = .now
    ) throws(MediaTokenError) -> VerifiedMediaToken {
        try verdict(on: text, expecting: expectations, at: now).result.get()
    }

    /// Verifies a token given as bytes.
    ///
    /// - Throws: `MediaTokenError`, the first check that failed.
    public func verify(
        _ bytes: Span<UInt8>,
        expecting expectations: TokenExpectations,
        at now: Timestamp = .now
    ) throws(MediaTokenError) -> VerifiedMediaToken {
        try verdict(on: bytes, expecting: expectations, at: now).result.get()
    }

    /// Verifies a token and tells what was established on the way, also where it is refused.
    public func verdict(
        on text: String,
        expecting expectations: TokenExpectations,
        at now: Timestamp = .now
    ) -> MediaTokenVerdict {
        text.withBytes { verdict(on: $0, expecting: expectations, at: now) }
    }

    /// Verifies a token given as bytes and tells what was established on the way, also where it is refused.
    public func verdict(
        on bytes: Span<UInt8>,
        expecting expectations: TokenExpectations,
        at now: Timestamp = .now
    ) -> MediaTokenVerdict {
        var key: VerificationKey?
        var claims: MediaTokenClaims?
        do throws(MediaTokenError) {
            guard expectations.requestor.isWellFormed, expectations.resource.isWellFormed else {
                throw .undecided(.emptyExpectation)
            }
            let signed = try reader.read(bytes, at: now)
            key = signed.signer.key
            let found = try ClaimsReader.claims(
                in: signed.bytes.span,
                range: signed.range,
                format: format,
                maximumTTL: policy.maximumTTL
            )
            claims = found
            try check(found, expectations, now)
            let token = VerifiedMediaToken(claims: found, signer: signed.signer, layers: signed.layers)
            return MediaTokenVerdict(result: .success(token), authenticClaims: found, key: key)
        } catch {
            return MediaTokenVerdict(result: .failure(error), authenticClaims: claims, key: key)
        }
    }

    // MARK: After the fields

    private func check(
        _ claims: MediaTokenClaims,
        _ expectations: TokenExpectations,
        _ now: Timestamp
    ) throws(MediaTokenError) {
        guard expectations.requestor.accepts(claims.requestor) else {
            throw .requestorMismatch(expected: expectations.requestor.expected, presented: claims.requestor)
        }
        guard now <= claims.expires + policy.leeway else { throw .expired(at: claims.expires, now: now) }
        guard now >= claims.issued - policy.issuedInFutureTolerance else {
            throw .notYetValid(issued: claims.issued, now: now)
        }
        guard expectations.resource.accepts(claims.resource) else {
            throw .resourceMismatch(expected: expectations.resource.expected, presented: claims.resource)
        }
    }
}
