package import HostSystem
package import OpenSSLBridge

/// A P-256 key for ECDSA with SHA-256 (FIPS 186-5 §6), which signs if it is private.
package struct P256Key: Sendable {
    /// SHA-256 of the SubjectPublicKeyInfo in DER with an uncompressed point (RFC 5480 §2), however the file has it: 64
    /// lowercase hexadecimal digits.
    package let fingerprint: String
    /// The public point, big-endian in 32 bytes each.
    package let coordinates: (x: [UInt8], y: [UInt8])
    /// Whether the key is private; a public one only verifies.
    package let canSign: Bool

    private let storage: KeyStorage
    private let operations: P256

    /// Whether everybody has the private half, since it is one of this project's test vectors.
    package var isPublishedTestKey: Bool { PublishedTestKeys.contain(fingerprint) }

    /// How the two numbers of a signature are written.
    package enum SignatureForm: Sendable {
        /// r and s, big-endian in 32 bytes each, as JOSE and COSE have them (RFC 7518 §3.4, RFC 9053 §2.1).
        case concatenated
        /// An ECDSA-Sig-Value in DER (RFC 3279 §2.2.3), 8 to 72 bytes.
        case der
    }

    /// Takes the one key of a file, which may hold it several times; `nil` if it holds no EC key.
    ///
    /// Beside a private key, public keys and certificates are ignored; so are the authorities of a chain. Throws
    /// `.unsupported` also for a key that is neither RSA nor EC.
    init?(_ items: [KeyItem], file: String) throws(KeyError) {
        var privateKeys: [KeyStorage] = []
        var publicKeys: [KeyStorage] = []
        for item in items.withoutAuthorities {
            switch item.content {
            case .privateKey(let storage): privateKeys.append(storage)
            case .publicKey(let storage): publicKeys.append(storage)
            case .certificate(let certificate):
                publicKeys.append(try naming(file, KeyStorage(try certificate.publicKey())))
            case .lockedPrivateKey, .foreignPrivateKey: return nil
            }
        }
        let found = privateKeys.isEmpty ? publicKeys : privateKeys
        let algorithms = try naming(
            file, found.map { key throws(OpenSSLFailure) in try key.key.facts.algorithm })
        if let other = algorithms.first(where: { $0 != "EC" && $0 != "RSA" }) {
            throw .unsupported(file: file, found: "a key for \(other)", advice: KeyLimits.rsaOrP256IsNeeded)
        }
        var keys: [P256Key] = []
        for (storage, algorithm) in zip(found, algorithms) where algorithm == "EC" {
            let key = try P256Key(storage, isPrivate: !privateKeys.isEmpty, file: file)
            if !keys.contains(where: { $0.fingerprint == key.fingerprint }) { keys.append(key) }
        }
        guard let key = keys.first else { return nil }
        guard keys.count == 1, !algorithms.contains("RSA") else {
            throw .unsupported(file: file, found: "several keys", advice: "give each P-256 key a file of its own")
        }
        self = key
    }

    private init(_ storage: KeyStorage, isPrivate: Bool, file: String) throws(KeyError) {
        switch try naming(file, storage.key.p256Fault(isPrivate: isPrivate)) {
        case .otherCurve(let name):
            throw .unsupported(
                file: file, found: "an EC key of \(name.map { "the curve \($0)" } ?? "a curve without a name")",
                advice: "P-256 is needed: openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256")
        case .damaged:
            throw .unreadable(file: file, reason: "the EC key is damaged: its numbers do not belong together")
        case nil: break
        }
        (self.storage, canSign) = (storage, isPrivate)
        coordinates = try naming(file, storage.key.p256Coordinates)
        let information = Self.informationPrefix + coordinates.x + coordinates.y
        fingerprint = try naming(file, publicKeyFingerprint(of: information))
        operations = try naming(file, P256(storage.key, isPrivate: isPrivate))
    }

    /// SEQUENCE of id-ecPublicKey with prime256v1 and a bit string, up to the numbers of an uncompressed point.
    private static let informationPrefix: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A,
        0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
    ]

    /// Signs SHA-256 of a text, differently each time, with an s of at most half the order of the curve; `nil` for a public
    /// key.
    package func sign(_ text: [UInt8], as form: SignatureForm) throws(OpenSSLFailure) -> [UInt8]? {
        let signature = try operations.sign(text)
        return switch form {
        case .concatenated: signature?.concatenated
        case .der: signature?.der
        }
    }

    /// Tells whether this key made a signature over SHA-256 of a text.
    ///
    /// Each good signature has a second one, with the order of the curve less s, which is good too: see
    /// `P256Signature.hasLowS`. Throws if libcrypto could not decide; never for a bad signature.
    package func isValid(
        _ signature: [UInt8],
        of text: [UInt8],
        as form: SignatureForm
    ) throws(OpenSSLFailure) -> Bool {
        let signature =
            switch form {
            case .concatenated: P256Signature(concatenated: signature)
            case .der: P256Signature(der: signature)
            }
        guard let signature else { return false }
        return try operations.isValid(signature, of: text)
    }

    /// Derives a key that only holders of the private key know: HMAC-SHA-256 of a label, keyed with the private number;
    /// `nil` for a public key.
    package func derivedKey(from label: [UInt8]) throws(OpenSSLFailure) -> WipedBytes? {
        guard canSign else { return nil }
        return try AuthenticationKey(storage.key.p256PrivateNumber, digest: .sha256).derivedKey(from: label)
    }
}

extension P256Key: CustomStringConvertible, CustomReflectable {
    /// Role and curve; nothing of the key itself.
    package var description: String { canSign ? "signing key (P-256)" : "verification key (P-256)" }
    /// Empty: nothing of the key is shown to debuggers and dumps.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The key of a file that signs, or only verifies, with RSA or ECDSA.
package enum SignatureKey: Sendable {
    /// The public half of an RSA key or several public keys, and the private key if the file holds it.
    case rsa(VerificationKeys, signing: SigningKey?)
    case p256(P256Key)

    /// Recognises a key by what its file holds, which is not more than one private key; errors name the file.
    ///
    /// The password opens an encrypted private key. `nil` if the content is not a key, and not a damaged one either.
    package init?(_ content: WipedBytes, named name: String, password: KeyPassword?) throws(KeyError) {
        let items: [KeyItem]
        do throws(KeyError) {
            items = try KeyReader(password: password).items(in: content, named: name)
        } catch {
            guard case .unreadable = error, !content.withSpan({ $0.looksLikeKeyFile }) else { throw error }
            return nil
        }
        self = try blamingMemory(for: name) { () throws(KeyError) in try SignatureKey(items, file: name) }
    }

    private init(_ items: [KeyItem], file: String) throws(KeyError) {
        if let key = try P256Key(items, file: file) {
            self = .p256(key)
            return
        }
        do throws(KeyError) {
            let key = try SigningKey(items, file: file, allowingWeakKeys: false)
            self = .rsa(try VerificationKeys(of: key), signing: key)
        } catch {
            guard case .unsupported = error, let keys = try? VerificationKeys.keys(in: items, file: file) else {
                throw error
            }
            self = .rsa(VerificationKeys(keys), signing: nil)
        }
    }
}
