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

    /// Recognises a key by what its file holds; errors name the file.
    ///
    /// The password opens an encrypted private key.
    init(_ content: WipedBytes, named name: String, password: KeyPassword?) throws(KeyError) {
        do throws(KeyError) {
            let key = try content.withSpan { content throws(KeyError) in
                try SigningKey(content, named: name, password: password)
            }
            self = .rsa(try Self.onlyKey(VerificationKeys(of: key), of: name), signing: key)
        } catch {
            switch error {
            case .unsupported:
                let keys = content.withSpan { try? VerificationKeys($0, named: name, password: password) }
                guard let keys else { throw error }
                self = .rsa(try Self.onlyKey(keys, of: name), signing: nil)
            case .unreadable where !content.withSpan({ $0.looksLikeKeyFile }):
                self = .secret(AuthenticationKey(try Self.secret(content, named: name), digest: .sha256))
            default: throw error
            }
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
                reason: "neither an RSA key nor a secret of \(SecretFile.minimumKeySize) to \(SecretFile.maximumSize) "
                    + "bytes; make one with: \(SecretFile.makingKey)")
        }
        return content
    }

    // MARK: What follows from the key

    var algorithm: SessionAlgorithm { if case .secret = self { .hs256 } else { .rs256 } }

    /// The name of the key in sessions.
    var id: String {
        get throws(OpenSSLFailure) {
            switch self {
            case .secret(let secret):
                let code = try secret.code(of: Array("tve session key".utf8))
                return Hex.encode(Array(code.prefix(8)))
            case .rsa(let key, _):
                let members = try SessionJWK(key).thumbprintInput
                return Base64.encodeURLSafe(try Digest.sha256.hash(members))
            }
        }
    }

    /// The key that hides addresses; `nil` for a public key.
    ///
    /// With RS256 it is made of the signature of a fixed text, which has a space in it as no session has: RS256 signs
    /// the same bytes the same way each time, and only the holder of the private key can do it.
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
            }
            return AuthenticationKey(try source.derivedKey(from: label), digest: .sha256)
        }
    }

    /// Signs the first two parts of a session; `nil` for a public key.
    func sign(_ text: [UInt8]) throws(OpenSSLFailure) -> [UInt8]? {
        switch self {
        case .secret(let secret): try secret.code(of: text)
        case .rsa(_, let key): try key?.sign(digest: Digest.sha256.hash(text), algorithm: .sha256)
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
        }
    }
}

extension Span where Element == UInt8 {
    /// Whether the bytes are meant as a key in PEM or DER, although they may be damaged.
    ///
    /// A damaged key must not be used as a secret: another copy of it may be public. No RSA key of DER has less than 128
    /// bytes, and hardly any secret of 128 bytes or more begins with its own length.
    fileprivate var looksLikeKeyFile: Bool {
        let pem = Array("-----BEGIN".utf8)
        if count >= pem.count,
            (0...count - pem.count).contains(where: { start in
                pem.indices.allSatisfy { self[start + $0] == pem[$0] }
            })
        {
            return true
        }
        guard count >= 128, self[0] == 0x30 else { return false }
        if self[1] == 0x81 { return Int(self[2]) + 3 == count }
        return self[1] == 0x82 && Int(self[2]) << 8 + Int(self[3]) + 4 == count
    }
}
