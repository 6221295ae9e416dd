import EntitlementKeys
import HostSystem
import OpenSSLBridge
import TextCodecs

/// What a session key is made of, and everything that is calculated with it.
enum SessionKeyMaterial: Sendable {
    /// The secret of HS256.
    case secret(AuthenticationKey)
    /// The public key of RS256, and the private one if it is there.
    case rsa(VerificationKey, signing: SigningKey?)
    /// The key of ES256, private or public.
    case p256(P256Key)

    /// Recognises a key by what its file holds; errors name the file.
    ///
    /// The password opens an encrypted private key.
    init(_ content: WipedBytes, named name: String, password: KeyPassword?) throws(KeyError) {
        switch try SignatureKey(content, named: name, password: password) {
        case .rsa(let keys, let signing): self = .rsa(try Self.onlyKey(keys, of: name), signing: signing)
        case .p256(let key): self = .p256(key)
        case nil: self = .secret(AuthenticationKey(try Self.secret(content, named: name), digest: .sha256))
        }
    }

    private static func onlyKey(_ keys: VerificationKeys, of name: String) throws(KeyError) -> VerificationKey {
        guard let key = keys.keys.first, keys.keys.count == 1 else {
            throw .unsupported(
                file: name, found: "\(keys.keys.count) keys", advice: "give each session key a file of its own")
        }
        guard key.bits >= minimumBits else { throw .tooSmall(file: name, bits: key.bits, minimum: minimumBits) }
        return key
    }

    /// What RS256 demands (RFC 7518 §3.3).
    private static let minimumBits = 2048

    private static func secret(_ content: WipedBytes, named name: String) throws(KeyError) -> WipedBytes {
        guard SecretFile.minimumKeySize...SecretFile.maximumSize ~= content.count else {
            throw .unreadable(
                file: name,
                reason: "neither an RSA or P-256 key nor a secret of \(SecretFile.minimumKeySize) to "
                    + "\(SecretFile.maximumSize) bytes; make one with: \(SecretFile.makingKey)")
        }
        return content
    }

    // MARK: What follows from the key

    var algorithm: SessionAlgorithm {
        switch self {
        case .secret: .hs256
        case .rsa: .rs256
        case .p256: .es256
        }
    }

    /// The public key; `nil` for a secret.
    var publicKey: SessionJWK? {
        get throws(OpenSSLFailure) {
            switch self {
            case .secret: nil
            case .rsa(let key, _): try SessionJWK(key)
            case .p256(let key): SessionJWK(key)
            }
        }
    }

    /// The name of the key in sessions.
    var id: String {
        get throws(OpenSSLFailure) {
            if case .secret(let secret) = self {
                let code = try secret.code(of: Array("tve session key".utf8))
                return Hex.encode(Array(code.prefix(8)))
            }
            let members = try publicKey?.thumbprintInput ?? []
            return Base64.encodeURLSafe(try Digest.sha256.hash(members))
        }
    }

    /// The key that hides addresses; `nil` for a public key.
    ///
    /// With RS256 it is made of the signature of a fixed text, which has a space in it as no session has: RS256 signs
    /// the same bytes the same way each time, and only the holder of the private key can do it. Signatures of ES256 differ
    /// each time, so it is made of the private number itself.
    var clientKey: AuthenticationKey? {
        get throws(OpenSSLFailure) {
            let label = Array("tve session client".utf8)
            let source: AuthenticationKey
            switch self {
            case .secret(let secret): source = secret
            case .rsa(_, nil): return nil
            case .rsa(_, let key?):
                let signature = WipedBytes(try key.sign(digest: Digest.sha256.hash(label), algorithm: .sha256))
                source = AuthenticationKey(signature, digest: .sha256)
            case .p256(let key):
                return try key.derivedKey(from: label).map { AuthenticationKey($0, digest: .sha256) }
            }
            return AuthenticationKey(try source.derivedKey(from: label), digest: .sha256)
        }
    }

    /// How many bytes a signature has.
    var signatureLength: Int {
        switch self {
        case .secret: 32
        case .rsa(let key, _): (key.bits + 7) / 8
        case .p256: 64
        }
    }

    /// Signs the first two parts of a session; `nil` for a public key.
    func sign(_ text: [UInt8]) throws(OpenSSLFailure) -> [UInt8]? {
        switch self {
        case .secret(let secret): try secret.code(of: text)
        case .rsa(_, let key): try key?.sign(digest: Digest.sha256.hash(text), algorithm: .sha256)
        case .p256(let key): try key.sign(text, as: .concatenated)
        }
    }

    /// Tells whether this key made the signature over the first two parts of a session.
    ///
    /// The signature is given decoded. A secret's answer takes the same time for all signatures. Throws if libcrypto
    /// could not decide.
    func isValid(_ signature: [UInt8], of text: [UInt8]) throws(OpenSSLFailure) -> Bool {
        switch self {
        case .secret(let secret):
            return isEqualInConstantTime(signature, try secret.code(of: text))
        case .rsa(let key, _):
            let digest = try Digest.sha256.hash(text)[...]
            let signature = signature[...]
            return try key.isValid(signature.span, digest: digest.span, algorithm: .sha256)
        case .p256(let key):
            // What this library signs has a low s. If the other one were good too, whoever has a session could make a second
            // text of it, and a session has one.
            guard P256Signature(concatenated: signature)?.hasLowS ?? false else { return false }
            return try key.isValid(signature, of: text, as: .concatenated)
        }
    }
}
