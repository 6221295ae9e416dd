import HostSystem
import OpenSSLBridge
import TextCodecs

/// The private keys that decrypt, in the order in which they are tried: give the newest first.
///
/// While a key is replaced, values for the old and for the new key arrive at the same time. A set never changes: rotate by
/// making a new one. The formats are those of ``SigningKey``, with any number of keys in a file.
public struct DecryptionKeys: Sendable {
    /// The keys, without repetitions.
    public let keys: [DecryptionKey]

    /// Reads a file, or every visible file of a folder in the order of their names.
    ///
    /// - Parameters:
    ///   - path: A file or a folder.
    ///   - password: Opens what is encrypted; ignored if nothing is.
    ///   - allowingWeakKeys: Admits 1024 to 2047 bits.
    /// - Throws: `KeyError`.
    public init(
        contentsOfFile path: String,
        password: KeyPassword? = nil,
        allowingWeakKeys: Bool = false
    ) throws(KeyError) {
        try self.init(contentsOf: [path], password: password, allowingWeakKeys: allowingWeakKeys)
    }

    /// Reads files and folders into one ring, the newest key first.
    ///
    /// One bad file fails the whole ring, so that a missing key is noticed at once.
    ///
    /// - Parameters:
    ///   - paths: Files and folders, the newest key first.
    ///   - password: Opens what is encrypted; ignored if nothing is.
    ///   - allowingWeakKeys: Admits 1024 to 2047 bits.
    /// - Throws: `KeyError`; `.noKey` if the list is empty.
    public init(
        contentsOf paths: [String],
        password: KeyPassword? = nil,
        allowingWeakKeys: Bool = false
    ) throws(KeyError) {
        var refused: [KeyError]?
        try self.init(
            Self.read(paths, password: password, allowingWeakKeys: allowingWeakKeys, refused: &refused))
    }

    /// Reads keys from memory, in the same formats as from a file.
    ///
    /// - Parameters:
    ///   - content: What a key file would hold.
    ///   - name: Names the keys in results and errors.
    ///   - password: Opens what is encrypted; ignored if nothing is.
    ///   - allowingWeakKeys: Admits 1024 to 2047 bits.
    /// - Throws: `KeyError`.
    public init(
        _ content: Span<UInt8>,
        named name: String,
        password: KeyPassword? = nil,
        allowingWeakKeys: Bool = false
    ) throws(KeyError) {
        let content = WipedBytes(content)
        self = try blamingMemory(for: name) { () throws(KeyError) in
            let items = try KeyReader(password: password).items(in: content, named: name)
            return try DecryptionKeys(Self.keys(in: items, file: name, allowingWeakKeys: allowingWeakKeys))
        }
    }

    /// Reads keys from an array, in the same formats as from a file.
    ///
    /// Overwrite the array afterwards.
    ///
    /// - Parameters:
    ///   - content: What a key file would hold.
    ///   - name: Names the keys in results and errors.
    ///   - password: Opens what is encrypted; ignored if nothing is.
    ///   - allowingWeakKeys: Admits 1024 to 2047 bits.
    /// - Throws: `KeyError`.
    public init(
        _ content: [UInt8],
        named name: String,
        password: KeyPassword? = nil,
        allowingWeakKeys: Bool = false
    ) throws(KeyError) {
        self = try content.withSpan { content throws(KeyError) in
            try DecryptionKeys(content, named: name, password: password, allowingWeakKeys: allowingWeakKeys)
        }
    }

    /// Reads keys from a text, for example one that a secret manager keeps.
    ///
    /// A `String` cannot be overwritten, so a copy of the keys may stay in memory. From a file none does.
    ///
    /// - Parameters:
    ///   - pem: PEM: what a key file would hold, with its line breaks.
    ///   - name: Names the keys in results and errors.
    ///   - password: Opens what is encrypted; ignored if nothing is.
    ///   - allowingWeakKeys: Admits 1024 to 2047 bits.
    /// - Throws: `KeyError`.
    public init(
        pem: String,
        named name: String = "PEM",
        password: KeyPassword? = nil,
        allowingWeakKeys: Bool = false
    ) throws(KeyError) {
        self = try pem.withBytes { content throws(KeyError) in
            try DecryptionKeys(content, named: name, password: password, allowingWeakKeys: allowingWeakKeys)
        }
    }

    /// Reads files and folders into one ring, and leaves bad files out.
    ///
    /// For programs that must go on with the good keys; show the user what was refused.
    ///
    /// - Parameters:
    ///   - paths: Files and folders, the newest key first.
    ///   - password: Opens what is encrypted; ignored if nothing is.
    ///   - allowingWeakKeys: Admits 1024 to 2047 bits.
    /// - Returns: The good keys, at least one, and an error for each bad file.
    /// - Throws: `KeyError`, the first one, if no key is good.
    public static func lenient(
        contentsOf paths: [String],
        password: KeyPassword? = nil,
        allowingWeakKeys: Bool = false
    ) throws(KeyError) -> (keys: DecryptionKeys, refused: [KeyError]) {
        var refused: [KeyError]? = []
        let keys = try read(paths, password: password, allowingWeakKeys: allowingWeakKeys, refused: &refused)
        return (DecryptionKeys(keys), refused ?? [])
    }

    /// Takes the key of a signer, to measure decryption with it; otherwise a key has one role.
    package init(of key: SigningKey) throws(KeyError) {
        let items = [KeyItem(content: .privateKey(key.storage), format: "given")]
        self.init(try Self.keys(in: items, file: key.source, allowingWeakKeys: true))
    }

    init(_ found: [DecryptionKey]) {
        var keys: [DecryptionKey] = []
        for key in found where !keys.contains(where: { $0.fingerprint == key.fingerprint }) { keys.append(key) }
        let labels = distinctLabels(keys.map { ($0.label, $0.source) })
        self.keys = zip(keys, labels).map { $0.labelled($1) }
    }

    private static func read(
        _ paths: [String],
        password: KeyPassword?,
        allowingWeakKeys: Bool,
        refused: inout [KeyError]?
    ) throws(KeyError) -> [DecryptionKey] {
        try KeyReader(password: password).read(paths, refused: &refused) { file, items throws(KeyError) in
            try keys(in: items, file: file.path, allowingWeakKeys: allowingWeakKeys)
        }
    }

    private static func keys(
        in items: [KeyItem],
        file: String,
        allowingWeakKeys: Bool
    ) throws(KeyError) -> [DecryptionKey] {
        let limits = allowingWeakKeys ? KeyLimits.verification : .signing
        var keys: [DecryptionKey] = []
        for entry in try items.privateKeys(file: file, limits: limits, purpose: "decryption") {
            keys.append(try DecryptionKey(entry, file: file, number: keys.count + 1))
        }
        return keys
    }
}
