public import EntitlementValues
package import OpenSSLBridge
import TextCodecs

/// A public RSA key that verifies signatures.
public struct VerificationKey: Sendable {
    /// The file's name, with `#2`, `#3` … for further keys of the same file.
    public var label: String { storage.label }
    /// Where the key was read from: a path, or the name given with keys in memory.
    public var source: String { storage.source }
    /// Length of the modulus, 1024 to 8192.
    public var bits: Int { storage.bits }
    /// SHA-256 of the SubjectPublicKeyInfo in DER, 64 lowercase hexadecimal digits.
    public var fingerprint: String { storage.fingerprint }
    /// The dates of the certificate; `nil` for a key without one.
    ///
    /// They are for information, and not enforced.
    public var validity: ClosedRange<Timestamp>? { storage.validity }
    /// The name of the key inside its file: the alias in a Java key store, the friendly name in PKCS#12.
    ///
    /// The maker of the file chose it, so escape it before showing it.
    public var alias: String? { storage.alias }

    /// Whether its own file is unchanged, as `ReadFile` says it; a key from memory has no file.
    package var isInItsFile: Bool { storage.origin?.isUnchanged ?? false }

    package var subjectPublicKeyInfo: [UInt8] { storage.subjectPublicKeyInfo }
    private let storage: VerificationKeyStorage

    /// The key as SubjectPublicKeyInfo in PEM.
    public var publicKeyPEM: String { pem(ofPublicKey: subjectPublicKeyInfo) }

    /// Whether the modulus is shorter than 2048 bits: media tokens use such keys, and a determined attacker can break them.
    public var isWeak: Bool { bits < 2048 }

    /// Whether everybody has the private half, since it is one of this project's test vectors.
    package var isPublishedTestKey: Bool { PublishedTestKeys.contain(fingerprint) }

    /// Whether the modulus is a prime, so that everyone can calculate the private half.
    ///
    /// Takes milliseconds for a good key, so it is not part of loading one. Throws if libcrypto could not tell.
    package var hasPrimeModulus: Bool {
        get throws(KeyError) {
            let information = subjectPublicKeyInfo[...]
            return try naming(source, PKey(subjectPublicKeyInfo: information.span).hasPrimeModulus)
        }
    }

    /// How often it matched, and when it last did: a key that matches no tokens any more can be retired.
    public var use: KeyUse { storage.counter.use }

    /// Counts a signature that the key matched.
    package func noteUse(at instant: Timestamp) {
        storage.counter.note(instant)
    }

    /// The same key, with the counts of use of an older copy of it.
    func continuingUse(of older: VerificationKey) -> VerificationKey {
        VerificationKey(VerificationKeyStorage(storage, label: label, counter: older.storage.counter))
    }

    init(
        _ storage: KeyStorage,
        alias: String?,
        file: String,
        number: Int,
        read origin: ReadFile? = nil
    ) throws(KeyError) {
        try self.init(storage.key, validity: nil, alias: alias, file: file, number: number, read: origin)
    }

    init(
        _ certificate: Certificate,
        alias: String?,
        file: String,
        number: Int,
        read origin: ReadFile? = nil
    ) throws(KeyError) {
        let storage = try naming(file, KeyStorage(try certificate.publicKey()))
        let validity = try naming(file, Validity(of: certificate))
        try self.init(storage.key, validity: validity, alias: alias, file: file, number: number, read: origin)
    }

    private init(
        _ key: borrowing PKey,
        validity: ClosedRange<Timestamp>?,
        alias: String?,
        file: String,
        number: Int,
        read origin: ReadFile?
    ) throws(KeyError) {
        let facts = try KeyLimits.verification.check(key, file: file)
        do throws(OpenSSLFailure) {
            let information = try key.subjectPublicKeyInfo
            let operation = try RSAPublicOperation(key: key)
            storage = VerificationKeyStorage(
                label: numberedLabel(of: file, number: number),
                source: file,
                origin: origin,
                bits: facts.bits,
                fingerprint: try publicKeyFingerprint(of: information),
                validity: validity,
                alias: alias,
                subjectPublicKeyInfo: information,
                verifiers: Verifiers(
                    sha256: try SignatureVerifier(key: key, digest: .sha256, publicOperation: operation),
                    insecureSHA1: try? SignatureVerifier(key: key, digest: .insecureSHA1, publicOperation: operation)
                )
            )
        } catch {
            throw .unreadable(file: file, reason: error.description)
        }
    }

    private init(_ storage: VerificationKeyStorage) {
        self.storage = storage
    }

    func labelled(_ label: String) -> VerificationKey {
        VerificationKey(VerificationKeyStorage(storage, label: label, counter: storage.counter))
    }

    /// Tells whether this key made an RSASSA-PKCS1-v1_5 signature over a digest of the given algorithm.
    ///
    /// The signature is given decoded. Throws if libcrypto could not decide; never for a bad signature.
    package func isValid(
        _ signature: Span<UInt8>,
        digest: Span<UInt8>,
        algorithm: Digest
    ) throws(OpenSSLFailure) -> Bool {
        switch algorithm {
        case .sha256: try storage.verifiers.sha256.isValid(signature, digest: digest)
        case .insecureSHA1: try storage.verifiers.insecureSHA1?.isValid(signature, digest: digest) ?? false
        }
    }
}

/// The contents of a key: every verified token holds a copy of its key, which so is one reference.
private final class VerificationKeyStorage: Sendable {
    let label: String
    let source: String
    /// The file as it was read; `nil` for a key from memory.
    let origin: ReadFile?
    let bits: Int
    let fingerprint: String
    let validity: ClosedRange<Timestamp>?
    let alias: String?
    let subjectPublicKeyInfo: [UInt8]
    let verifiers: Verifiers
    let counter: KeyUseCounter

    init(
        label: String,
        source: String,
        origin: ReadFile?,
        bits: Int,
        fingerprint: String,
        validity: ClosedRange<Timestamp>?,
        alias: String?,
        subjectPublicKeyInfo: [UInt8],
        verifiers: Verifiers
    ) {
        self.label = label
        self.source = source
        self.origin = origin
        self.bits = bits
        self.fingerprint = fingerprint
        self.validity = validity
        self.alias = alias
        self.subjectPublicKeyInfo = subjectPublicKeyInfo
        self.verifiers = verifiers
        counter = KeyUseCounter()
    }

    /// Copies a key under another label, or with the counter of another copy.
    init(_ other: VerificationKeyStorage, label: String, counter: KeyUseCounter) {
        self.label = label
        source = other.source
        origin = other.origin
        bits = other.bits
        fingerprint = other.fingerprint
        validity = other.validity
        alias = other.alias
        subjectPublicKeyInfo = other.subjectPublicKeyInfo
        verifiers = other.verifiers
        self.counter = counter
    }
}

/// Shares the prepared verifiers between copies of a key.
private final class Verifiers: Sendable {
    let sha256: SignatureVerifier
    /// `nil` if the system's policy forbids SHA-1: then no such signature is good.
    let insecureSHA1: SignatureVerifier?

    init(sha256: consuming SignatureVerifier, insecureSHA1: consuming SignatureVerifier?) {
        self.sha256 = sha256
        self.insecureSHA1 = insecureSHA1
    }
}

extension VerificationKey: CustomStringConvertible {
    /// The label, the size and the start of the fingerprint.
    public var description: String { "\(label) (RSA \(bits), \(fingerprint.prefix(16)))" }
}
