import EntitlementValues
package import OpenSSLBridge
import TextCodecs

/// Never decide anything with this: its signature was not checked.
///
/// Takes a media token apart without a key, to show what is in it: for diagnosis, or for logs of test systems. AuthN and
/// AuthZ tokens can be taken apart too, since they have the same layout.
public struct UnverifiedMediaToken: Sendable {
    /// What was removed from the text.
    public let layers: TokenLayers
    /// Length of the signature in bytes; a signing key has eight times as many bits.
    public let signatureLength: Int
    /// The marker between signature and signed text, as it is spelled in this token.
    public let closingMarker: String
    /// Length of the signed text in bytes.
    public let signedLength: Int
    /// Name of the signed text's root.
    public let root: String
    /// The elements in their order, unknown and repeated ones included.
    public let elements: [Element]
    /// The claims, or why a verifier would refuse the fields even under a good signature.
    public let claims: Result<MediaTokenClaims, MediaTokenError>

    /// One element of the signed text.
    public struct Element: Sendable, Hashable {
        /// Name of the element.
        public let name: String
        /// Its text, with references and CDATA resolved.
        public let text: String
    }

    /// Takes a token apart, in any form that a verifier reads.
    ///
    /// - Parameters:
    ///   - text: The token.
    ///   - policy: Limits its length and its TTL.
    ///   - format: The format of the wire.
    /// - Throws: `MediaTokenError` if the text cannot be taken apart: `.tooLarge`, `.malformed` or `.foreignToken`.
    public init(
        parsing text: String,
        policy: VerificationPolicy = .standard,
        format: MediaTokenFormat = .wire
    ) throws(MediaTokenError) {
        self = try text.withBytes { bytes throws(MediaTokenError) in
            try UnverifiedMediaToken(parsing: bytes, policy: policy, format: format)
        }
    }

    /// Takes a token apart that is given as bytes.
    ///
    /// - Parameters:
    ///   - bytes: The token.
    ///   - policy: Limits its length and its TTL.
    ///   - format: The format of the wire.
    /// - Throws: `MediaTokenError` if the text cannot be taken apart: `.tooLarge`, `.malformed` or `.foreignToken`.
    public init(
        parsing bytes: Span<UInt8>,
        policy: VerificationPolicy = .standard,
        format: MediaTokenFormat = .wire
    ) throws(MediaTokenError) {
        guard bytes.count <= policy.maximumLength else {
            throw .tooLarge(limit: policy.maximumLength)
        }
        do throws(SignedTextError) {
            try self.init(parsing: bytes, maximumTTL: policy.maximumTTL, format: format)
        } catch {
            throw MediaTokenError(error)
        }
    }

    /// Takes a token apart that is given as an array.
    ///
    /// - Parameters:
    ///   - bytes: The token.
    ///   - policy: Limits its length and its TTL.
    ///   - format: The format of the wire.
    /// - Throws: `MediaTokenError` if the text cannot be taken apart: `.tooLarge`, `.malformed` or `.foreignToken`.
    public init(
        parsing bytes: [UInt8],
        policy: VerificationPolicy = .standard,
        format: MediaTokenFormat = .wire
    ) throws(MediaTokenError) {
        self = try bytes.withSpan { bytes throws(MediaTokenError) in
            try UnverifiedMediaToken(parsing: bytes, policy: policy, format: format)
        }
    }

    /// SHA-256 of the signed bytes of a token, whether or not their signature is good; `nil` if the text has none.
    ///
    /// The token may have any form that a verifier reads.
    package static func signedDigest(of text: String) -> SHA256Digest? {
        guard text.utf8.count <= VerificationPolicy.standard.maximumLength else { return nil }
        let format = FormatBytes(.wire)
        return text.withBytes { input in
            guard let text = try? TokenText(input, format: format) else { return nil }
            let bytes = text.bytes[...]
            guard let range = try? TokenEnvelope(bytes.span, format: format).signedRange,
                let hash = try? Digest.sha256.hash(bytes.span, in: range)
            else { return nil }
            let digest = hash[...]
            return SHA256Digest(digest.span)
        }
    }

    private init(
        parsing input: Span<UInt8>,
        maximumTTL: TimeToLive,
        format: MediaTokenFormat
    ) throws(SignedTextError) {
        let names = FormatBytes(format)
        let text = try TokenText(input, format: names)
        let literal = Result { () throws(SignedTextError) in
            try UnverifiedMediaToken(text, maximumTTL: maximumTTL, format: format, names)
        }
        // A verifier would find out by the signature. Here it is what can be read that decides.
        if text.hasFormPlus, (try? literal.get().claims.get()) == nil {
            let bytes = text.bytes[...]
            let signedStart = try TokenEnvelope(bytes.span, format: names).signedRange.lowerBound
            let spaced = try TokenText(input, format: names, plusIsSpaceFrom: signedStart)
            let token = try? UnverifiedMediaToken(spaced, maximumTTL: maximumTTL, format: format, names)
            if let token, case .success = token.claims {
                self = token
                return
            }
        }
        self = try literal.get()
    }

    private init(
        _ text: TokenText,
        maximumTTL: TimeToLive,
        format: MediaTokenFormat,
        _ names: FormatBytes
    ) throws(SignedTextError) {
        let bytes = text.bytes[...]
        let plain = bytes.span
        let envelope = try TokenEnvelope(plain, format: names)
        let range = envelope.signedRange.lowerBound..<plain.trimmingWhiteSpace(envelope.signedRange).upperBound
        var scanner = try SignedTextScanner(plain, in: range)
        var elements: [Element] = []
        while let element = try scanner.next(plain) {
            let name = ElementText(range: element.name, isLiteral: true).string(plain)
            elements.append(Element(name: name, text: element.content.string(plain)))
        }
        layers = text.layers
        signatureLength = envelope.signature.count
        closingMarker = format.closingMarkers[envelope.closingMarker]
        signedLength = range.count
        root = ElementText(range: scanner.root, isLiteral: true).string(plain)
        self.elements = elements
        do throws(SignedTextError) {
            claims = .success(
                try ClaimsReader.claims(in: plain, range: range, format: names, maximumTTL: maximumTTL))
        } catch {
            claims = .failure(MediaTokenError(error))
        }
    }
}
