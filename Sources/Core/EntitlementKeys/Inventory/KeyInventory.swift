public import EntitlementValues
import HostSystem
import OpenSSLBridge
import TextCodecs

/// A list of what a key file holds, usable or not.
///
/// It is for inspection: a key of a bad size or another algorithm is listed with the reason why it would be refused.
public struct KeyInventory: Sendable {
    /// The kind of an entry.
    @nonexhaustive
    public enum Kind: String, Sendable, Hashable {
        /// An X.509 certificate.
        case certificate
        /// A public key without a certificate.
        case publicKey = "public key"
        /// A private key.
        case privateKey = "private key"
        /// A private key that was not decrypted, since no password was given or only Java can; only its format is known.
        case encryptedPrivateKey = "encrypted private key"
    }

    /// One certificate or key.
    public struct Entry: Sendable {
        /// Certificate, public or private key.
        public let kind: Kind
        /// The file's name, with `#2`, `#3` … for further entries.
        public let label: String
        /// The name inside the file; `nil` if there is none.
        ///
        /// The maker of the file chose it, so escape it before showing it.
        public let alias: String?
        /// The format that was recognised: `PEM, PKCS#8 private key (PBES2, AES-256-CBC)`.
        public let format: String
        /// OpenSSL's name of the algorithm, such as `RSA`; `nil` while encrypted.
        public let algorithm: String?
        /// Length of the modulus, or what other algorithms call their size; `nil` while encrypted.
        public let bits: Int?
        /// The public exponent; `nil` if it is longer than 64 bits, and for other algorithms than RSA.
        public let exponent: UInt64?
        /// SHA-256 of the SubjectPublicKeyInfo in DER, 64 lowercase hexadecimal digits; `nil` while encrypted.
        public let fingerprint: String?
        /// The key as SubjectPublicKeyInfo in PEM; `nil` while encrypted.
        public let publicKeyPEM: String?
        /// The dates of a certificate.
        public let validity: ClosedRange<Timestamp>?
        /// The subject of a certificate, as RFC 2253 writes names; escape it before showing it.
        public let subject: String?
        /// The issuer of a certificate, as RFC 2253 writes names; escape it before showing it.
        public let issuer: String?
        /// Whether it is the certificate of an authority (basic constraints, CA:TRUE; RFC 5280 §4.2.1.9).
        ///
        /// ``VerificationKeys`` leaves it out if the file has the certificate of a signer, too.
        public let isAuthority: Bool
        /// The reason why the key cannot be used: not RSA, a bad size or exponent, or encrypted so that only Java opens it;
        /// `nil` if it can.
        public internal(set) var problem: KeyError?
        /// Whether it is an RSA key of fewer than 2048 bits: good for verifying old tokens, and for nothing new.
        public var isWeak: Bool { algorithm == "RSA" && (bits ?? 0) < 2048 }

        /// Tells whether the certificate has expired.
        ///
        /// - Parameter now: The time to judge by.
        /// - Returns: Whether its last instant has passed; `false` for a key without dates.
        public func isExpired(at now: Timestamp) -> Bool { validity.map { $0.upperBound < now } ?? false }

        /// Tells whether the certificate is not valid yet.
        ///
        /// - Parameter now: The time to judge by.
        /// - Returns: Whether its first instant is still to come; `false` for a key without dates.
        public func isNotYetValid(at now: Timestamp) -> Bool { validity.map { now < $0.lowerBound } ?? false }
    }

    /// Where the keys were read from: a path, or the name given with keys in memory.
    public let source: String
    /// The formats recognised, without repetitions.
    public let formats: [String]
    /// The certificates and keys, in the order of the file.
    public let entries: [Entry]

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - path: One file; see ``files(at:)`` for folders.
    ///   - password: Opens what is encrypted. Without one, encrypted private keys are listed as such, and a PKCS#12 file
    ///     or Java key store is an error.
    /// - Throws: `KeyError`.
    public init(contentsOfFile path: String, password: KeyPassword? = nil) throws(KeyError) {
        try self.init(KeyReader(password: password).items(inFile: path), file: path)
    }

    /// Reads a file with a given reader.
    package init(contentsOfFile path: String, reader: KeyReader) throws(KeyError) {
        try self.init(reader.items(inFile: path), file: path)
    }

    /// Reads bytes with a given reader.
    package init(_ content: Span<UInt8>, named name: String, reader: KeyReader) throws(KeyError) {
        try self.init(reader.items(in: WipedBytes(content), named: name), file: name)
    }

    /// Reads keys and certificates from memory, in the same formats as from a file.
    ///
    /// - Parameters:
    ///   - content: What a key file would hold.
    ///   - name: Names the keys in results and errors.
    ///   - password: Opens what is encrypted, as for a file.
    /// - Throws: `KeyError`.
    public init(_ content: Span<UInt8>, named name: String, password: KeyPassword? = nil) throws(KeyError) {
        try self.init(KeyReader(password: password).items(in: WipedBytes(content), named: name), file: name)
    }

    /// Reads keys and certificates from an array, in the same formats as from a file.
    ///
    /// - Parameters:
    ///   - content: What a key file would hold.
    ///   - name: Names the keys in results and errors.
    ///   - password: Opens what is encrypted, as for a file.
    /// - Throws: `KeyError`.
    public init(_ content: [UInt8], named name: String, password: KeyPassword? = nil) throws(KeyError) {
        self = try content.withSpan { content throws(KeyError) in
            try KeyInventory(content, named: name, password: password)
        }
    }

    /// Lists the files of a path: the file itself, or the visible files of a folder by name.
    ///
    /// - Parameter path: A file or a folder.
    /// - Returns: The paths of the files, at least one.
    /// - Throws: `KeyError`; `.noKey` if the folder is empty.
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

extension KeyInventory.Entry {
    /// Describes an item of a file.
    init(_ item: KeyItem, file: String, number: Int) throws(KeyError) {
        do throws(OpenSSLFailure) {
            switch item.content {
            case .certificate(let certificate):
                let storage = KeyStorage(try certificate.publicKey())
                try self.init(
                    item, kind: .certificate, storage: storage, certificate: certificate, file: file, number: number)
            case .publicKey(let storage):
                try self.init(item, kind: .publicKey, storage: storage, file: file, number: number)
            case .privateKey(let storage):
                try self.init(item, kind: .privateKey, storage: storage, file: file, number: number)
            case .lockedPrivateKey:
                try self.init(item, kind: .encryptedPrivateKey, storage: nil, file: file, number: number)
            case .foreignPrivateKey(let reason):
                try self.init(item, kind: .encryptedPrivateKey, storage: nil, file: file, number: number)
                problem = reason
            }
        } catch {
            throw .unreadable(file: file, reason: error.description)
        }
    }

    private init(
        _ item: KeyItem,
        kind: KeyInventory.Kind,
        storage: KeyStorage?,
        certificate: Certificate? = nil,
        file: String,
        number: Int
    ) throws(OpenSSLFailure) {
        self.kind = kind
        label = numberedLabel(of: file, number: number)
        alias = item.alias
        format = item.format
        subject = certificate?.subject
        issuer = certificate?.issuer
        isAuthority = certificate?.isAuthority ?? false
        if let certificate { validity = try Validity(of: certificate) } else { validity = nil }
        guard let storage else {
            (algorithm, bits, exponent, fingerprint, publicKeyPEM, problem) = (nil, nil, nil, nil, nil, nil)
            return
        }
        let facts = try storage.key.facts
        algorithm = facts.algorithm
        bits = facts.bits
        exponent = facts.exponent
        fingerprint = try storage.key.fingerprint
        publicKeyPEM = pem(ofPublicKey: try storage.key.subjectPublicKeyInfo)
        problem = Self.problem(of: storage, isPrivate: kind == .privateKey, file: file)
    }

    private static func problem(of storage: KeyStorage, isPrivate: Bool, file: String) -> KeyError? {
        do throws(KeyError) {
            if isPrivate {
                try KeyLimits.inspection.checkPrivate(storage, file: file)
            } else {
                _ = try KeyLimits.inspection.check(storage.key, file: file)
            }
            return nil
        } catch {
            return error
        }
    }
}
