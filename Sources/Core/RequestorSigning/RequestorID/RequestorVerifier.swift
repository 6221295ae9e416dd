public import EntitlementKeys
public import EntitlementValues
import TextCodecs

/// Verifies signed requestor IDs, so that a wrong key or certificate is found before it is deployed.
public struct RequestorVerifier: Sendable {
    private let keys: SignerSearch

    /// Makes a verifier that trusts some keys.
    ///
    /// - Parameters:
    ///   - keys: The public keys or certificates of the signers.
    ///   - acceptsLegacySHA1: Whether signatures with SHA-1 are accepted besides those with SHA-256.
    public init(keys: VerificationKeys, acceptsLegacySHA1: Bool = false) {
        self.keys = SignerSearch(keys, acceptsLegacySHA1: acceptsLegacySHA1)
    }

    /// Verifies the signature of a requestor ID.
    ///
    /// - Parameters:
    ///   - signature: Base64, padded, on one line or in lines of 76 symbols.
    ///   - requestor: The ID that must have been signed, byte by byte.
    /// - Returns: The trusted key that made the signature.
    /// - Throws: `.unsuitable` for an ID that cannot be signed, `.tooLarge` or `.malformed` for a text that is not a
    ///   signature, `.badSignature`, `.undecided`.
    public func verify(
        _ signature: String,
        of requestor: RequestorID
    ) throws(RequestorSigningError) -> VerificationKey {
        try requestor.rawValue.withBytes { bytes throws(RequestorSigningError) in
            try verify(signature, of: bytes)
        }
    }

    /// Verifies the signature of a requestor ID given as bytes.
    ///
    /// - Parameters:
    ///   - signature: Base64, padded, on one line or in lines of 76 symbols.
    ///   - bytes: The ID that must have been signed.
    /// - Returns: The trusted key that made the signature.
    /// - Throws: As for a `RequestorID`.
    public func verify(
        _ signature: String,
        of bytes: Span<UInt8>
    ) throws(RequestorSigningError) -> VerificationKey {
        try checkSignable(bytes, as: "requestor ID")
        guard signature.utf8.count <= SignatureText.maximumLength else {
            throw .tooLarge(limit: SignatureText.maximumLength)
        }
        guard let signature = SignatureText.bytes(signature) else { throw .malformed(.signatureNotBase64) }
        let range = 0..<bytes.count
        guard let key = try keys.key(of: bytes, in: range, signature: signature, at: .now) else {
            throw .badSignature
        }
        return key
    }

    /// Verifies the signature of a requestor ID given as an array.
    ///
    /// - Parameters:
    ///   - signature: Base64, padded, on one line or in lines of 76 symbols.
    ///   - bytes: The ID that must have been signed.
    /// - Returns: The trusted key that made the signature.
    /// - Throws: As for a `RequestorID`.
    public func verify(
        _ signature: String,
        of bytes: [UInt8]
    ) throws(RequestorSigningError) -> VerificationKey {
        try bytes.withSpan { bytes throws(RequestorSigningError) in try verify(signature, of: bytes) }
    }
}
