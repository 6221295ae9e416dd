public import EntitlementKeys
public import EntitlementValues
import TextCodecs

/// Verifies short media tokens before a stream is started.
///
/// ```swift
/// let keys = try VerificationKeys(contentsOfFile: "issuer.pem")
/// let verifier = MediaTokenVerifier(keys: keys)
/// let token = try verifier.verify(text, expecting: .init(requestor: "REF30", resource: "REF30"))
/// ```
///
/// Make one verifier per set of keys and share it: it is immutable, and verifying takes no lock. The checks run in a fixed
/// order — size, decoding, splitting, signature, fields, requestor, time, resource — and the first that fails is the
/// error. No field is read before the signature is known to be good.
///
/// What is *not* checked here: that a token is used only once. `TokenRedemption` adds functions with `redeemingIn:` for
/// that.
public struct MediaTokenVerifier: Sendable {
    private var reader: SignedTextReader
    private var policy: VerificationPolicy
    private let format: FormatBytes

    /// Makes a verifier that trusts some keys.
    ///
    /// - Parameters:
    ///   - keys: The issuer's keys; any of them may have signed a token.
    ///   - policy: The tolerances and maximums.
    ///   - format: The format of the wire.
    public init(
        keys: VerificationKeys,
        policy: VerificationPolicy = .standard,
        format: MediaTokenFormat = .wire
    ) {
        self.policy = policy
        self.format = FormatBytes(format)
        reader = SignedTextReader(keys: keys, policy: policy, format: self.format)
    }

    /// The most bytes of a token; longer ones are refused as `.tooLarge` before they are read.
    package var maximumLength: Int { policy.maximumLength }

    /// The same verifier with another leeway, sharing its keys.
    ///
    /// - Parameter leeway: How long after its expiry a token is still accepted, from 0 to 10 minutes.
    /// - Returns: The other verifier.
    /// - Throws: `VerificationPolicyError.leeway` if the leeway is negative or above 10 minutes.
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
    ///
    /// - Parameter keys: The keys to trust instead.
    /// - Returns: The other verifier.
    public func with(keys: VerificationKeys) -> MediaTokenVerifier {
        var copy = self
        copy.reader = SignedTextReader(keys: keys, policy: policy, format: format)
        return copy
    }

    /// Verifies a token.
    ///
    /// - Parameters:
    ///   - text: The token as the client passed it on: plain text, Base64 of it in one layer or two (standard or URL-safe
    ///     alphabet, with or without line breaks), or percent-encoded plain text.
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
    /// - Parameters:
    ///   - bytes: The token, in the same forms as a text.
    ///   - expectations: The requestor and resource that the token must be for.
    ///   - now: The instant at which the token must be good.
    /// - Returns: What the token says.
    /// - Throws: `MediaTokenError`, the first check that failed.
    public func verify(
        _ bytes: Span<UInt8>,
        expecting expectations: TokenExpectations,
        at now: Timestamp = .now
    ) throws(MediaTokenError) -> VerifiedMediaToken {
        try verdict(on: bytes, expecting: expectations, at: now).result.get()
    }

    /// Verifies a token given as an array.
    ///
    /// - Parameters:
    ///   - bytes: The token, in the same forms as a text.
    ///   - expectations: The requestor and resource that the token must be for.
    ///   - now: The instant at which the token must be good.
    /// - Returns: What the token says.
    /// - Throws: `MediaTokenError`, the first check that failed.
    public func verify(
        _ bytes: [UInt8],
        expecting expectations: TokenExpectations,
        at now: Timestamp = .now
    ) throws(MediaTokenError) -> VerifiedMediaToken {
        try verdict(on: bytes, expecting: expectations, at: now).result.get()
    }

    /// Verifies a token and reports what was established, also if the token is refused.
    ///
    /// - Parameters:
    ///   - text: The token, in the same forms as for `verify`.
    ///   - expectations: The requestor and resource that the token must be for.
    ///   - now: The instant at which the token must be good.
    /// - Returns: The verified token or the error, with the claims and the key if they were established.
    public func verdict(
        on text: String,
        expecting expectations: TokenExpectations,
        at now: Timestamp = .now
    ) -> MediaTokenVerdict {
        text.withBytes { verdict(on: $0, expecting: expectations, at: now) }
    }

    /// Verifies a token given as bytes and reports what was established, also if the token is refused.
    ///
    /// - Parameters:
    ///   - bytes: The token, in the same forms as for `verify`.
    ///   - expectations: The requestor and resource that the token must be for.
    ///   - now: The instant at which the token must be good.
    /// - Returns: The verified token or the error, with the claims and the key if they were established.
    public func verdict(
        on bytes: Span<UInt8>,
        expecting expectations: TokenExpectations,
        at now: Timestamp = .now
    ) -> MediaTokenVerdict {
        var signer: Signer?
        let signed: SignedText
        let claims: MediaTokenClaims
        do throws(SignedTextError) {
            guard expectations.requestor.isWellFormed, expectations.resource.isWellFormed else {
                throw .undecided(.emptyExpectation)
            }
            signed = try reader.read(bytes, at: now)
            signer = signed.signer
            let text = signed.bytes[...]
            claims = try ClaimsReader.claims(
                in: text.span,
                range: signed.range,
                format: format,
                maximumTTL: policy.maximumTTL
            )
        } catch {
            return MediaTokenVerdict(
                result: .failure(MediaTokenError(error)), authenticClaims: nil, key: signer?.key,
                signedDigest: signer?.digest)
        }
        let result: Result<VerifiedMediaToken, MediaTokenError>
        do throws(MediaTokenError) {
            try check(claims, against: expectations, at: now)
            result = .success(VerifiedMediaToken(claims: claims, signer: signed.signer, layers: signed.layers))
        } catch {
            result = .failure(error)
        }
        return MediaTokenVerdict(
            result: result, authenticClaims: claims, key: signed.signer.key, signedDigest: signed.signer.digest)
    }

    /// Verifies a token given as an array and reports what was established, also if the token is refused.
    ///
    /// - Parameters:
    ///   - bytes: The token, in the same forms as for `verify`.
    ///   - expectations: The requestor and resource that the token must be for.
    ///   - now: The instant at which the token must be good.
    /// - Returns: The verified token or the error, with the claims and the key if they were established.
    public func verdict(
        on bytes: [UInt8],
        expecting expectations: TokenExpectations,
        at now: Timestamp = .now
    ) -> MediaTokenVerdict {
        bytes.withSpan { verdict(on: $0, expecting: expectations, at: now) }
    }

    /// Checks requestor, time and resource, in this order.
    private func check(
        _ claims: MediaTokenClaims,
        against expectations: TokenExpectations,
        at now: Timestamp
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
