public import EntitlementKeys
import OpenSSLBridge

/// Decrypts user metadata: an encrypted value in, its text and the key that read it out.
///
/// ```swift
/// let keys = try DecryptionKeys(contentsOf: ["2026.key", "2024.key"])
/// let decrypter = MetadataDecrypter(keys: keys)
/// let zip = try decrypter.decrypt(value, of: .zip).text
/// ```
///
/// Make one per ring of keys and share it: it never changes, and any number of threads may use it at once. Name the
/// attribute where it is known: then a text that a wrong key made up is told from a real one with far more certainty.
///
/// What is *not* checked: where the value comes from. Whoever has the certificate can encrypt.
public struct MetadataDecrypter: Sendable {
    /// The most blocks of a value: longer ones are refused before a key is used.
    ///
    /// 7840 bytes of text with a key of 2048 bits; the longest attributes take three blocks.
    public static let maximumBlocks = 32

    private let ring: Result<PreparedRing, MetadataDecryptionError>
    private let memo: MetadataMemo?

    /// Makes a decrypter with a ring of keys.
    ///
    /// - Parameters:
    ///   - keys: Tried in their order, those whose size divides the length of the value.
    ///   - padding: How values were padded; there is no falling back to another.
    ///   - memo: Remembers values; `nil` to decrypt each one anew.
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
    /// `true` from OpenSSL 3.2 on and where a distribution took it into an older one; `false` on Debian 12. Then this
    /// library's one error is all there is against a padding oracle.
    public static var paddingOracleHardened: Bool { rejectsImplicitly }

    /// Decrypts a value.
    ///
    /// - Parameters:
    ///   - value: Base64 of one or more RSA blocks: standard or URL-safe alphabet, padded or not, wrapped or not; a
    ///     space is read as the `+` that a form decoder took away.
    ///   - attribute: What the value is of; `nil` takes any printable text.
    /// - Returns: The text and the key that read it.
    /// - Throws: `MetadataDecryptionError`; `.undecryptable` for everything that takes a key to find out.
    public func decrypt(
        _ value: String,
        of attribute: MetadataAttribute? = nil
    ) throws(MetadataDecryptionError) -> DecryptedMetadata {
        try decrypt(value.utf8Span.span, of: attribute)
    }

    /// Decrypts the bytes of a value's text.
    ///
    /// - Parameters:
    ///   - value: As for the other method.
    ///   - attribute: What the value is of; `nil` takes any printable text.
    /// - Returns: The text and the key that read it.
    /// - Throws: `MetadataDecryptionError`; `.undecryptable` for everything that takes a key to find out.
    public func decrypt(
        _ value: Span<UInt8>,
        of attribute: MetadataAttribute? = nil
    ) throws(MetadataDecryptionError) -> DecryptedMetadata {
        if let attribute, attribute == .encryptedZip { throw .foreignScheme(attribute) }
        let ciphertext = try EncryptedValue.bytes(of: value)
        let ring = try ring.get()
        try ring.check(length: ciphertext.count)
        let reading: Reading?
        do throws(OpenSSLFailure) {
            reading = try self.reading(of: ciphertext.span, as: PlausibleText(attribute), by: ring)
        } catch {
            throw .undecided(.backend(error.description))
        }
        guard let reading, let text = reading.string else { throw .undecryptable }
        return DecryptedMetadata(text: text, key: ring.members[reading.index].key)
    }

    private func reading(
        of ciphertext: Span<UInt8>,
        as shape: PlausibleText,
        by ring: PreparedRing
    ) throws(OpenSSLFailure) -> Reading? {
        guard let memo else { return try ring.read(ciphertext, as: shape) }
        let key = try MemoKey(ciphertext, ring: ring.identity, shape: shape)
        if let known = memo.outcome(for: key) { return known.reading }
        let reading = try ring.read(ciphertext, as: shape)
        memo.remember(MemoOutcome(reading: reading), for: key)
        return reading
    }
}
