import TextCodecs
public import EntitlementKeys
public import EntitlementValues
import OpenSSLBridge

/// Signs requestor IDs: SHA-256 with RSA (PKCS#1 v1.5) over the exact UTF-8 bytes.
///
/// ```swift
/// let signer = RequestorSigner(key: try SigningKey(contentsOfFile: "programmer.key"))
/// let signed = try signer.sign("REF30")
/// ```
///
/// The result is Base64 (RFC 4648 §4, padded, one line); a client percent-encodes it where it goes into a form. It is
/// the same for one key and ID at all times: whoever sees it can use it, so nothing more than the ID hangs on it.
public struct RequestorSigner: Sendable {
    private let key: SigningKey

    /// Makes a signer for one key.
    ///
    /// - Parameter key: At least 2048 bits, unless it was read with `allowingWeakKeys`.
    public init(key: SigningKey) {
        self.key = key
    }

    /// Signs a requestor ID.
    ///
    /// - Parameters:
    ///   - requestor: Signed as it stands: case counts, nothing is trimmed.
    ///   - options: What old clients need otherwise.
    /// - Returns: The signature in Base64.
    /// - Throws: `.unsuitable` for an ID that is empty, starts or ends with white space, or holds control characters;
    ///   `.undecided` where libcrypto failed.
    public func sign(
        _ requestor: RequestorID,
        options: RequestorSignatureOptions = []
    ) throws(RequestorSigningError) -> String {
        try requestor.rawValue.withBytes { bytes throws(RequestorSigningError) in
            try sign(bytes, options: options)
        }
    }

    /// Signs a requestor ID given as bytes, UTF-8 and every one of them.
    ///
    /// - Throws: As for a `RequestorID`; `.unsuitable` also where the bytes are not UTF-8.
    public func sign(
        _ bytes: Span<UInt8>,
        options: RequestorSignatureOptions = []
    ) throws(RequestorSigningError) -> String {
        try checkSignable(bytes, as: "requestor ID")
        let signature = try key.signature(over: bytes, options.digest)
        let text = Base64.encode(signature)
        return options.contains(.legacyLineWrapped) ? SignatureText.wrapped(text) : text
    }
}

/// Says what old clients of a signed requestor ID need otherwise than new ones.
public struct RequestorSignatureOptions: OptionSet, Sendable, Hashable {
    /// One bit for each option.
    public let rawValue: UInt8

    /// Takes one bit for each option.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Breaks the Base64 with a line feed after every 76 symbols and at the end, as Android's default flag did.
    public static let legacyLineWrapped = RequestorSignatureOptions(rawValue: 1 << 0)
    /// Signs with SHA-1 instead of SHA-256.
    ///
    /// Never seen on the wire; for archives only.
    public static let legacySHA1 = RequestorSignatureOptions(rawValue: 1 << 1)

    var digest: Digest { contains(.legacySHA1) ? .legacySHA1 : .sha256 }
}

extension SigningKey {
    /// Signs bytes with a digest and PKCS#1 v1.5.
    func signature(over bytes: Span<UInt8>, _ algorithm: Digest) throws(RequestorSigningError) -> [UInt8] {
        do throws(OpenSSLFailure) {
            let digest = try algorithm.hash(bytes, in: 0..<bytes.count)
            return try sign(digest: digest.span, algorithm: algorithm)
        } catch {
            throw .undecided(.backend(error.description))
        }
    }
}
