import HostSystem
public import EntitlementValues

/// Lists what a key file holds, usable here or not.
///
/// For inspection: unlike the sets of keys it refuses no key for its size or algorithm, but says what would be refused.
public struct KeyInventory: Sendable {
    /// What an entry is.
    @nonexhaustive
    public enum Kind: String, Sendable, Hashable {
        /// An X.509 certificate.
        case certificate
        /// A public key without a certificate.
        case publicKey = "public key"
        /// A private key.
        case privateKey = "private key"
        /// A private key that no password was given for; nothing but its format is known.
        case encryptedPrivateKey = "encrypted private key"
    }

    /// One certificate or key.
    public struct Entry: Sendable {
        /// What it is.
        public let kind: Kind
        /// The file's name, with `#2`, `#3` … for further entries.
        public let label: String
        /// The name inside the file, where there is one; chosen by whoever made the file, so escape it.
        public let alias: String?
        /// What was recognised: `PEM, PKCS#8 private key (PBES2, AES-256-CBC)`.
        public let format: String
        /// OpenSSL's name of the algorithm, such as `RSA`; `nil` while encrypted.
        public let algorithm: String?
        /// Length of the modulus, or what other algorithms call their size; `nil` while encrypted.
        public let bits: Int?
        /// The public exponent; `nil` where it is longer than 64 bits, and for other algorithms than RSA.
        public let exponent: UInt64?
        /// SHA-256 of the SubjectPublicKeyInfo in DER, 64 lowercase hexadecimal digits; `nil` while encrypted.
        public let fingerprint: String?
        /// The key as SubjectPublicKeyInfo in PEM; `nil` while encrypted.
        public let publicKeyPEM: String?
        /// The dates of a certificate.
        public let validity: ClosedRange<Timestamp>?
        /// Whom a certificate is about, as RFC 2253 writes names; escape it before showing it.
        public let subject: String?
        /// Who issued a certificate, as RFC 2253 writes names; escape it before showing it.
        public let issuer: String?
        /// Why no role takes the key: another algorithm than RSA, a size or an exponent out of bounds; `nil` where
        /// one does.
        public let problem: KeyError?
        /// Whether it is an RSA key of fewer than 2048 bits: good for verifying old tokens, and for nothing new.
        public var isWeak: Bool { algorithm == "RSA" && (bits ?? 0) < 2048 }

        /// Tells whether a certificate's last second has passed.
        public func isExpired(at now: Timestamp) -> Bool { validity.map { $0.upperBound < now } ?? false }

        /// Tells whether a certificate's first second is still to come.
        public func isNotYetValid(at now: Timestamp) -> Bool { validity.map { now < $0.lowerBound } ?? false }
    }

    /// Where it was read from.
    public let source: String
    /// The formats recognised, without repetitions.
    public let formats: [String]
    /// What was found, in the order of the file.
    public let entries: [Entry]

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - path: One file; see ``files(at:)`` for folders.
    ///   - password: Opens what is encrypted. Without one, encrypted private keys are listed as such; PKCS#12 files and
    ///     Java key stores are not listed at all.
    /// - Throws: `KeyError`.
    public init(contentsOfFile path: String, password: KeyPassword? = nil) throws(KeyError) {
        try self.init(KeyReader(password: password).items(inFile: path), file: path)
    }

    /// Reads a file with a reader of one's own settings.
    package init(contentsOfFile path: String, reader: KeyReader) throws(KeyError) {
        try self.init(reader.items(inFile: path), file: path)
    }

    /// Reads bytes with a reader of one's own settings.
    package init(_ content: Span<UInt8>, named name: String, reader: KeyReader) throws(KeyError) {
        try self.init(reader.items(in: WipedBytes(content), named: name), file: name)
    }

    /// Reads what a key file would hold from memory.
    ///
    /// - Throws: `KeyError`.
    public init(_ content: Span<UInt8>, named name: String, password: KeyPassword? = nil) throws(KeyError) {
        try self.init(KeyReader(password: password).items(in: WipedBytes(content), named: name), file: name)
    }

    /// Lists the files that a path stands for: itself, or the visible files of a folder by name.
    ///
    /// - Throws: `KeyError`; `.noKey` where the folder is empty.
    public static func files(at path: String) throws(KeyError) -> [String] {
        try KeyReader.files(at: path)
    }

    init(_ items: [KeyItem], file: String) throws(KeyError) {
        source = file
        var formats: [String] = []
        var entries: [Entry] = []
        for item in items {
            if !formats.contains(item.format) { formats.append(item.format) }
            entries.append(try Entry(item, file: file, number: entries.count + 1))
        }
        self.formats = formats
        self.entries = entries
    }
}
