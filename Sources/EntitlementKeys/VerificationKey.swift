public import EntitlementValues
package import OpenSSLBridge

/// Verifies RSA signatures, and nothing else: it cannot sign or decrypt.
public struct VerificationKey: Sendable {
    /// The file's name, with `#2`, `#3` … for further keys of the same file.
    public private(set) var label: String
    /// Where the key was read from: a path, or the name given with keys in memory.
    public let source: String
    /// Length of the modulus, 1024 to 8192.
    public let bits: Int
    /// SHA-256 of the SubjectPublicKeyInfo in DER, 64 lowercase hexadecimal digits.
    public let fingerprint: String
    /// The dates of the certificate, where there was one.
    ///
    /// For information: they are not enforced.
    public let validity: ClosedRange<Timestamp>?

    private let verifiers: Verifiers
    private var counter = KeyUseCounter()

    /// Whether the modulus is shorter than 2048 bits: in use for media tokens, and within reach of a determined attacker.
    public var isWeak: Bool { bits < 2048 }

    /// How often it matched, and when it last did: a key that nobody signs with any more can be retired.
    public var use: KeyUse { counter.use }

    /// Notes that the key matched.
    package func noteUse(at instant: Timestamp) {
        counter.note(instant)
    }

    /// The same key, counting on where an older copy of it stopped.
    func countingOn(_ older: VerificationKey) -> VerificationKey {
        var copy = self
        copy.counter = older.counter
        return copy
    }

    init(_ storage: KeyStorage, file: String, number: Int) throws(KeyError) {
        try self.init(storage.key, validity: nil, file: file, number: number)
    }

    init(_ certificate: Certificate, file: String, number: Int) throws(KeyError) {
        let storage: KeyStorage
        let validity: ClosedRange<Timestamp>?
        do throws(OpenSSLFailure) {
            storage = KeyStorage(try certificate.publicKey())
            let dates = try certificate.validity()
            let (first, last) = (Timestamp(seconds: dates.notBefore), Timestamp(seconds: dates.notAfter))
            validity = first <= last ? first...last : nil
        } catch {
            throw .unreadable(file: file, reason: error.description)
        }
        try self.init(storage.key, validity: validity, file: file, number: number)
    }

    private init(
        _ key: borrowing PKey,
        validity: ClosedRange<Timestamp>?,
        file: String,
        number: Int
    ) throws(KeyError) {
        let facts = try KeyLimits.verification.check(key, file: file)
        bits = facts.bits
        source = file
        let name = file.split(separator: "/").last.map(String.init) ?? file
        label = number == 1 ? name : "\(name)#\(number)"
        self.validity = validity
        do throws(OpenSSLFailure) {
            fingerprint = try key.fingerprint
            verifiers = Verifiers(
                sha256: try SignatureVerifier(key: key, digest: .sha256),
                legacySHA1: try? SignatureVerifier(key: key, digest: .legacySHA1)
            )
        } catch {
            throw .unreadable(file: file, reason: error.description)
        }
    }

    func labelledByPath() -> VerificationKey {
        var copy = self
        let number = label.split(separator: "#").dropFirst().last
        copy.label = number.map { "\(source)#\($0)" } ?? source
        return copy
    }

    /// Tells whether this key made an RSASSA-PKCS1-v1_5 signature over a digest.
    ///
    /// - Throws: `OpenSSLFailure` where libcrypto could not decide; never for a bad signature.
    package func isValid(
        _ signature: Span<UInt8>,
        digest: Span<UInt8>,
        algorithm: Digest
    ) throws(OpenSSLFailure) -> Bool {
        switch algorithm {
        case .sha256: try verifiers.sha256.isValid(signature, digest: digest)
        case .legacySHA1: try verifiers.legacySHA1?.isValid(signature, digest: digest) ?? false
        }
    }
}

/// Shares the prepared verifiers between copies of a key.
private final class Verifiers: Sendable {
    let sha256: SignatureVerifier
    /// Absent where the system's policy forbids SHA-1: then no such signature is good.
    let legacySHA1: SignatureVerifier?

    init(sha256: consuming SignatureVerifier, legacySHA1: consuming SignatureVerifier?) {
        self.sha256 = sha256
        self.legacySHA1 = legacySHA1
    }
}

extension VerificationKey: CustomStringConvertible {
    /// Label, size and the start of the fingerprint.
    public var description: String { "\(label) (RSA \(bits), \(fingerprint.prefix(16)))" }
}

extension Timestamp {
    fileprivate init(seconds: Int64) {
        self = Timestamp(milliseconds: 0) + .seconds(seconds)
    }
}
