import HostSystem
import OpenSSLBridge
import TextCodecs

/// The public keys whose signatures are trusted, in the order in which they were given.
///
/// Tokens carry no key id, so during a rotation several keys are trusted at once and each is tried. A set never changes:
/// rotate by making a new one.
///
/// The content of a file decides, not its name: PEM and DER; X.509 certificates of any version, SubjectPublicKeyInfo, PKCS#1 public
/// keys; PKCS#7, PKCS#12 and Java key stores (JKS); several in one file. Dates in certificates are exposed and not
/// enforced: a key is trusted because it was configured. The certificate of an authority (CA:TRUE) beside another one in
/// the same file counts as part of its chain, and its key is not trusted; to trust it too, give it a file of its own.
public struct VerificationKeys: Sendable {
    /// The keys, without repetitions.
    public let keys: [VerificationKey]

    /// Reads a file, or every visible file of a folder.
    ///
    /// One bad file fails the whole set, so that a missing key is noticed at once.
    ///
    /// - Parameters:
    ///   - path: A file or a folder.
    ///   - password: Opens PKCS#12 files and Java key stores; ignored if nothing is encrypted.
    /// - Throws: `KeyError`.
    public init(contentsOfFile path: String, password: KeyPassword? = nil) throws(KeyError) {
        try self.init(contentsOf: [path], password: password)
    }

    /// Reads files and folders into one set.
    ///
    /// - Parameters:
    ///   - paths: Files and folders.
    ///   - password: Opens PKCS#12 files and Java key stores; ignored if nothing is encrypted.
    /// - Throws: `KeyError`; `.noKey` if the list is empty.
    public init(contentsOf paths: [String], password: KeyPassword? = nil) throws(KeyError) {
        var refused: [KeyError]?
        try self.init(Self.read(paths, password: password, refused: &refused))
    }

    /// Reads files and folders into one set, and leaves bad files out.
    ///
    /// For programs that must go on with the good keys; show the user what was refused.
    ///
    /// - Parameters:
    ///   - paths: Files and folders.
    ///   - password: Opens PKCS#12 files and Java key stores; ignored if nothing is encrypted.
    /// - Returns: The good keys, at least one, and an error for each bad file.
    /// - Throws: `KeyError`, the first one, if no key is good.
    public static func lenient(
        contentsOf paths: [String],
        password: KeyPassword? = nil
    ) throws(KeyError) -> (keys: VerificationKeys, refused: [KeyError]) {
        var refused: [KeyError]? = []
        let keys = try read(paths, password: password, refused: &refused)
        return (VerificationKeys(keys), refused ?? [])
    }

    /// Reads keys and certificates from memory, in the same formats as from a file.
    ///
    /// - Parameters:
    ///   - content: What a key file would hold.
    ///   - name: Names the keys in results and errors.
    ///   - password: Opens PKCS#12 files and Java key stores; ignored if nothing is encrypted.
    /// - Throws: `KeyError`.
    public init(_ content: Span<UInt8>, named name: String, password: KeyPassword? = nil) throws(KeyError) {
        let reader = KeyReader(password: password, takesPrivateKeys: false)
        let content = WipedBytes(content)
        self = try blamingMemory(for: name) { () throws(KeyError) in
            try VerificationKeys(Self.keys(in: reader.items(in: content, named: name), file: name))
        }
    }

    /// Reads keys and certificates from an array, in the same formats as from a file.
    ///
    /// - Parameters:
    ///   - content: What a key file would hold.
    ///   - name: Names the keys in results and errors.
    ///   - password: Opens PKCS#12 files and Java key stores; ignored if nothing is encrypted.
    /// - Throws: `KeyError`.
    public init(_ content: [UInt8], named name: String, password: KeyPassword? = nil) throws(KeyError) {
        self = try content.withSpan { content throws(KeyError) in
            try VerificationKeys(content, named: name, password: password)
        }
    }

    /// Reads keys and certificates from a text, for example one that a secret manager keeps.
    ///
    /// - Parameters:
    ///   - pem: PEM: what a key file would hold, with its line breaks.
    ///   - name: Names the keys in results and errors.
    ///   - password: Opens what is encrypted; ignored if nothing is.
    /// - Throws: `KeyError`.
    public init(pem: String, named name: String = "PEM", password: KeyPassword? = nil) throws(KeyError) {
        self = try pem.withBytes { content throws(KeyError) in
            try VerificationKeys(content, named: name, password: password)
        }
    }

    /// Takes the public half of a signing key, for tests.
    package init(of key: SigningKey) throws(KeyError) {
        try self.init(key.subjectPublicKeyInfo, named: key.label)
    }

    init(_ found: [VerificationKey]) {
        var keys: [VerificationKey] = []
        for key in found where !keys.contains(where: { $0.fingerprint == key.fingerprint }) { keys.append(key) }
        let labels = distinctLabels(keys.map { ($0.label, $0.source) })
        self.keys = zip(keys, labels).map { $0.labelled($1) }
    }

    static func read(
        _ paths: [String],
        password: KeyPassword?,
        refused: inout [KeyError]?
    ) throws(KeyError) -> [VerificationKey] {
        let reader = KeyReader(password: password, takesPrivateKeys: false)
        return try reader.read(paths, refused: &refused) { file, items throws(KeyError) in
            try keys(in: items, file: file.path, read: file)
        }
    }

    /// Takes the public keys and certificates out of the items of a file.
    static func keys(
        in items: [KeyItem],
        file: String,
        read origin: ReadFile? = nil
    ) throws(KeyError) -> [VerificationKey] {
        var keys: [VerificationKey] = []
        for item in items.withoutAuthorities {
            switch item.content {
            case .publicKey(let storage):
                keys.append(
                    try VerificationKey(
                        storage, alias: item.alias, file: file, number: keys.count + 1, read: origin))
            case .certificate(let certificate):
                keys.append(
                    try VerificationKey(
                        certificate, alias: item.alias, file: file, number: keys.count + 1, read: origin))
            case .privateKey, .lockedPrivateKey, .foreignPrivateKey:
                // A file with a certificate and its key is common; the certificate is what is needed here.
                continue
            }
        }
        guard keys.isEmpty else { return keys }
        throw .unsupported(
            file: file,
            found: "a private key",
            advice: "verification takes the public key or certificate: openssl pkey -in FILE -pubout"
        )
    }
}
