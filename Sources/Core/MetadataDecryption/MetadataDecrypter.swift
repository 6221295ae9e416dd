public import EntitlementKeys
package import OpenSSLBridge
import TextCodecs

/// Decrypts user metadata with a ring of private keys.
///
/// ```swift
/// let keys = try DecryptionKeys(contentsOf: ["2026.key", "2024.key"])
/// let decrypter = MetadataDecrypter(keys: keys)
/// let zip = try decrypter.decrypt(value, of: .zip).text
/// ```
///
/// Make one per ring of keys and share it: it is immutable, and any number of threads may use it at once. Name the
/// attribute if you know it: a wrong key may decrypt a value to random text, which is recognised much more reliably if the
/// form of the real text is known.
///
/// What is *not* checked: where the value comes from. Anyone who has the certificate can encrypt.
public struct MetadataDecrypter: Sendable {
    /// The maximum number of RSA blocks in a value; longer values are refused before a key is used.
    ///
    /// With a key of 2048 bits this is 7840 bytes of text. The longest known attributes take three blocks.
    public static let maximumBlocks = 32

    private let ring: Result<PreparedRing, MetadataDecryptionError>
    private let memo: MetadataMemo?

    /// Makes a decrypter with a ring of keys.
    ///
    /// - Parameters:
    ///   - keys: The keys, in the order in which they are tried. A key whose size does not divide a value's length is skipped.
    ///   - padding: The padding of the values; no other one is tried.
    ///   - memo: Remembers decrypted values; `nil` to decrypt every value.
    public init(keys: DecryptionKeys, padding: MetadataPadding = .insecurePKCS1v15, memo: MetadataMemo? = nil) {
        do throws(MetadataDecryptionError) {
            ring = .success(try PreparedRing(keys, padding))
        } catch {
            ring = .failure(error)
        }
        self.memo = memo
    }

    /// Whether OpenSSL itself hides how a decryption failed (implicit rejection, PKCS#1 v1.5).
    ///
    /// `true` for OpenSSL 3.2 and later, and for older versions into which a distribution has taken it; `false` on
    /// Debian 12. If it is `false`, the only protection against a padding oracle is that all failures are one error here.
    public static var paddingOracleHardened: Bool { rejectsImplicitly }

    /// Decrypts a value.
    ///
    /// - Parameters:
    ///   - value: Base64 of one or more RSA blocks: standard or URL-safe alphabet, padded or not, with or without line
    ///     breaks. A space is read as a `+` that a form decoder replaced.
    ///   - attribute: The attribute that the value belongs to; `nil` accepts any printable text.
    /// - Returns: The text and the key that decrypted it.
    /// - Throws: `MetadataDecryptionError`. Every failure that only a key can reveal is `.undecryptable`.
    public func decrypt(
        _ value: String,
        of attribute: MetadataAttribute? = nil
    ) throws(MetadataDecryptionError) -> DecryptedMetadata {
        // A copy costs less than the retains of a closure.
        let bytes = ContiguousArray(value.utf8)
        return try decrypt(bytes.span, of: attribute)
    }

    /// Decrypts a value that is given as the bytes of its Base64.
    ///
    /// - Parameters:
    ///   - value: Base64, in the same forms as a text.
    ///   - attribute: The attribute that the value belongs to; `nil` accepts any printable text.
    /// - Returns: The text and the key that decrypted it.
    /// - Throws: `MetadataDecryptionError`. Every failure that only a key can reveal is `.undecryptable`.
    public func decrypt(
        _ value: Span<UInt8>,
        of attribute: MetadataAttribute? = nil
    ) throws(MetadataDecryptionError) -> DecryptedMetadata {
        if let attribute, attribute == .encryptedZip { throw .foreignScheme(attribute) }
        let ciphertext = try EncryptedValue.bytes(of: value)[...]
        let ring = try ring.get()
        try ring.check(ciphertext.span, of: value)
        let plain: KeyText?
        do throws(OpenSSLFailure) {
            plain = try text(of: ciphertext.span, as: PlausibleText(attribute), by: ring)
        } catch {
            throw .undecided(.backend(error.description))
        }
        guard let plain, let text = plain.string else { throw .undecryptable }
        return DecryptedMetadata(text: text, key: ring.members[plain.keyIndex].key)
    }

    /// Decrypts a value that is given as an array with the bytes of its Base64.
    ///
    /// - Parameters:
    ///   - value: Base64, in the same forms as a text.
    ///   - attribute: The attribute that the value belongs to; `nil` accepts any printable text.
    /// - Returns: The text and the key that decrypted it.
    /// - Throws: `MetadataDecryptionError`. Every failure that only a key can reveal is `.undecryptable`.
    public func decrypt(
        _ value: [UInt8],
        of attribute: MetadataAttribute? = nil
    ) throws(MetadataDecryptionError) -> DecryptedMetadata {
        let bytes = value[...]
        return try decrypt(bytes.span, of: attribute)
    }

    /// Decrypts a value, or takes its text from the memo.
    private func text(
        of ciphertext: Span<UInt8>,
        as shape: PlausibleText,
        by ring: PreparedRing
    ) throws(OpenSSLFailure) -> KeyText? {
        guard let memo else { return try ring.decrypt(ciphertext, as: shape) }
        let key = try MemoKey(ciphertext, ring: ring.identity, shape: shape)
        if let known = memo.outcome(for: key) { return known.text }
        let text = try ring.decrypt(ciphertext, as: shape)
        memo.remember(MemoOutcome(text: text), for: key)
        return text
    }
}

/// The text of an attribute, and the key that decrypted it.
///
/// The text may identify a person: keep it out of logs.
public struct DecryptedMetadata: Sendable {
    /// The text as it was encrypted; not empty, without NUL.
    public let text: String
    /// The key of the ring that decrypted it.
    ///
    /// An old key here means that values are still encrypted with its certificate.
    public let key: DecryptionKey
}

extension DecryptedMetadata: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A fixed text without the content.
    public var description: String { "decrypted metadata" }
    /// A fixed text without the content.
    public var debugDescription: String { description }
    /// An empty mirror, so that debuggers and dumps do not show the text.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Names the padding that a value was encrypted with.
///
/// The service uses PKCS#1 v1.5, which its documentation does not say. A decrypter has exactly one padding: trying another
/// one after a failure would mostly help an attacker.
///
/// The raw value is the padding's name in commands and configurations.
@nonexhaustive
public enum MetadataPadding: String, Sendable, Hashable, CaseIterable {
    /// PKCS#1 v1.5 (RFC 8017 §7.2), which the service uses.
    ///
    /// Its dangers are in <doc:DecryptingUserMetadata>.
    case insecurePKCS1v15 = "pkcs1"
    /// OAEP (RFC 8017 §7.1) with SHA-1, also for MGF1; empty label.
    case oaepSHA1 = "oaep-sha1"
    /// OAEP with SHA-256, also for MGF1; empty label.
    case oaepSHA256 = "oaep-sha256"
    /// OAEP with SHA-256, but MGF1 with SHA-1; empty label.
    ///
    /// Java's `OAEPWithSHA-256AndMGF1Padding` means this unless its parameters are set.
    case oaepSHA256MGF1SHA1 = "oaep-sha256-mgf1-sha1"

    package var scheme: EncryptionPadding {
        switch self {
        case .insecurePKCS1v15: .pkcs1v15
        case .oaepSHA1: .oaep(.insecureSHA1, mgf1: .insecureSHA1)
        case .oaepSHA256: .oaep(.sha256, mgf1: .sha256)
        case .oaepSHA256MGF1SHA1: .oaep(.sha256, mgf1: .insecureSHA1)
        }
    }
}
