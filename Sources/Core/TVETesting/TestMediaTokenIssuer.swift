public import EntitlementKeys
import OpenSSLBridge
import OpenSSLReference
import TextCodecs

/// Issues valid and broken media tokens with a key of your own, to test a verifier or a service.
///
/// ```swift
/// let issuer = try TestMediaTokenIssuer()
/// let claims = TestTokenClaims(requestor: "REF30", resource: "REF30")
/// let good = try issuer.issue(claims)
/// let bad = try issuer.issue(claims, fault: .bodyByteChanged)
/// let verifier = MediaTokenVerifier(keys: try issuer.verificationKeys)
/// ```
///
/// For tests only: real tokens are issued by the service.
public struct TestMediaTokenIssuer: Sendable {
    /// The key that signs the tokens.
    public let key: SigningKey

    /// Makes an issuer that signs with a given key.
    ///
    /// - Parameter key: The key.
    public init(key: SigningKey) {
        self.key = key
    }

    /// Makes an issuer with a new throw-away key of 2048 bits.
    ///
    /// - Throws: `KeyError` if no key could be made.
    public init() throws(KeyError) {
        key = try SigningKey.generated(named: "test-only")
    }

    /// The keys that a verifier must trust to accept these tokens.
    public var verificationKeys: VerificationKeys {
        get throws(KeyError) { try VerificationKeys(of: key) }
    }

    /// Issues a token.
    ///
    /// - Parameters:
    ///   - claims: The claims.
    ///   - layout: The form of the token.
    ///   - fault: What is wrong with it; `nil` for a valid token.
    /// - Returns: The token's bytes. They are UTF-8, except for the fault `invalidUTF8` in a plain layout.
    /// - Throws: `TestIssuerError.signingFailed`.
    public func issue(
        _ claims: TestTokenClaims,
        layout: TestTokenLayout = TestTokenLayout(),
        fault: TestTokenFault? = nil
    ) throws(TestIssuerError) -> [UInt8] {
        let claims = fault?.changing(claims) ?? claims
        var elements = claims.elements
        if layout.isReversed { elements.reverse() }
        fault?.change(elements: &elements)
        var signed = Array(SignedText.text(elements, layout: layout).utf8)
        fault?.change(signed: &signed, layout: layout)

        var signature = Base64.encode(try sign(signed, fault: fault))
        fault?.change(signature: &signature)
        fault?.changeAfterSigning(signed: &signed)

        var markers = (opening: "<signatureInfo>", closing: layout.secondMarker.text)
        fault?.change(markers: &markers)
        var text = Array(markers.opening.utf8) + Array(signature.utf8) + Array(markers.closing.utf8) + signed
        fault?.change(plain: &text)
        if layout.isPercentEncoded { text = text.percentEncoded }
        for _ in 0..<layout.base64Layers { text = text.base64(layout) }
        fault?.change(token: &text, layout: layout)
        return text
    }

    /// Issues a token as text.
    ///
    /// - Parameters:
    ///   - claims: The claims.
    ///   - layout: The form of the token.
    ///   - fault: What is wrong with it; `nil` for a valid token.
    /// - Returns: The token. One that is not UTF-8, as with the fault `invalidUTF8` in a plain layout, is Base64 of the
    ///   token, since no `String` can hold the bytes; it has the same fault.
    /// - Throws: `TestIssuerError.signingFailed`.
    public func issueText(
        _ claims: TestTokenClaims,
        layout: TestTokenLayout = TestTokenLayout(),
        fault: TestTokenFault? = nil
    ) throws(TestIssuerError) -> String {
        let bytes = try issue(claims, layout: layout, fault: fault)
        return String(validating: bytes, as: UTF8.self) ?? Base64.encode(bytes)
    }

    /// An issuer with a throw-away key, made once for the whole process: to make a key takes a tenth of a second.
    ///
    /// - Throws: `KeyError` if no key could be made.
    public static var shared: TestMediaTokenIssuer {
        get throws(KeyError) { try made.get() }
    }

    private static let made = Result { () throws(KeyError) in try TestMediaTokenIssuer() }

    private func sign(_ signed: [UInt8], fault: TestTokenFault?) throws(TestIssuerError) -> [UInt8] {
        let algorithm: Digest = fault == .sha1 ? .insecureSHA1 : .sha256
        let key = fault == .otherKey ? try otherKey() : key
        do throws(OpenSSLFailure) {
            let digest = try algorithm.hash(signed)
            switch fault {
            case .pss:
                return try ReferenceKey(copying: key.storage.key).signatureWithPSS(over: digest)
            case .shortPadding:
                // Low-exponent forgeries have a short run of FF and put their own bytes after the digest.
                let block = paddedBlock(digest, fillers: 8, prefix: algorithm.digestInfoPrefix)
                return try ReferenceKey(copying: key.storage.key).signatureRepresentative(of: block)
            case .bareDigest:
                let fillers = (key.bits + 7) / 8 - 3 - digest.count
                let block = paddedBlock(digest, fillers: fillers, prefix: [])
                return try ReferenceKey(copying: key.storage.key).signatureRepresentative(of: block)
            default:
                return try key.sign(digest: digest, algorithm: algorithm)
            }
        } catch {
            throw .signingFailed(error.description)
        }
    }

    /// Makes a key of the same size that no verifier trusts.
    private func otherKey() throws(TestIssuerError) -> SigningKey {
        do throws(KeyError) {
            return try SigningKey.generated(bits: key.bits, named: "other")
        } catch {
            throw .signingFailed(error.description)
        }
    }

    /// 00 01 FF … FF 00 prefix digest, and zeros after it up to the length of the modulus.
    private func paddedBlock(_ digest: [UInt8], fillers: Int, prefix: [UInt8]) -> [UInt8] {
        let block = [0, 1] + [UInt8](repeating: 0xFF, count: fillers) + [0] + prefix + digest
        return block + [UInt8](repeating: 0, count: max(0, (key.bits + 7) / 8 - block.count))
    }
}

/// Says why no test token was made.
@nonexhaustive
public enum TestIssuerError: Error, Sendable, Hashable {
    /// libcrypto could not sign. Carries OpenSSL's message.
    case signingFailed(String)
}

extension TestIssuerError: CustomStringConvertible {
    /// What failed.
    public var description: String {
        switch self {
        case .signingFailed(let words): "the test token could not be signed (\(words))"
        }
    }
}

extension TestTokenLayout.SecondMarker {
    fileprivate var text: String {
        switch self {
        case .opening: "<signatureInfo>"
        case .closing: "</signatureInfo>"
        }
    }
}

extension [UInt8] {
    /// Percent-encodes everything but letters and digits.
    fileprivate var percentEncoded: [UInt8] {
        Array(Percent.encode(self, leaving: { $0.isASCIILetter || $0.isASCIIDigit }).utf8)
    }

    fileprivate func base64(_ layout: TestTokenLayout) -> [UInt8] {
        var text = layout.isURLSafe ? Base64.encodeURLSafe(self) : Base64.encode(self)
        if layout.isURLSafe, layout.isPadded { text += String(repeating: "=", count: (4 - text.utf8.count % 4) % 4) }
        if !layout.isPadded { text = String(text.prefix { $0 != "=" }) }
        guard let length = layout.lineLength, length > 0 else { return Array(text.utf8) }
        let symbols = Array(text.utf8)
        return stride(from: 0, to: symbols.count, by: length).reduce(into: []) { lines, start in
            lines += symbols[start..<Swift.min(start + length, symbols.count)] + Array("\r\n".utf8)
        }
    }
}
