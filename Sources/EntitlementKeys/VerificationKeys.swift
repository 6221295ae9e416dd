import OpenSSLBridge

/// Holds the public keys whose signatures are trusted, in the order in which they were given.
///
/// Tokens carry no key id, so during a rotation several keys are trusted at once and each is tried. A value never
/// changes: rotate by making a new one.
///
/// Read by content, not by name: PEM and DER; X.509 certificates of any version, SubjectPublicKeyInfo, PKCS#1 public
/// keys; several in one PEM file. Dates in certificates are exposed and not enforced: a key is trusted because it was
/// configured. An authority's certificate (CA:TRUE) beside another one in the same file is part of its chain and not a
/// signer of tokens; to trust it too, give it a file of its own.
public struct VerificationKeys: Sendable {
    /// The keys, without repetitions.
    public let keys: [VerificationKey]

    /// Reads a file, or every visible file of a folder.
    ///
    /// One bad file fails the whole set: a key that silently stays out is found at the wrong time.
    ///
    /// - Throws: `KeyError`.
    public init(contentsOfFile path: String) throws(KeyError) {
        try self.init(contentsOf: [path])
    }

    /// Reads files and folders into one set.
    ///
    /// - Throws: `KeyError`; `.noKey` where the list is empty.
    public init(contentsOf paths: [String]) throws(KeyError) {
        var found: [(file: String, items: [KeyItem])] = []
        for path in paths {
            for file in try Self.files(at: path) {
                found.append((file, try KeyItem.items(inFile: file)))
            }
        }
        guard !found.isEmpty else { throw .noKey(file: "", reason: "no key file was given") }
        try self.init(found)
    }

    /// Reads keys and certificates from memory, PEM or DER.
    ///
    /// - Parameters:
    ///   - content: What a key file would hold.
    ///   - name: Names the keys in results and errors.
    /// - Throws: `KeyError`.
    public init(_ content: Span<UInt8>, named name: String) throws(KeyError) {
        try self.init([(name, try KeyItem.items(in: WipedBytes(content), named: name))])
    }

    /// Takes the public half of a signing key, for tests.
    package init(of key: SigningKey) throws(KeyError) {
        try self.init(key.subjectPublicKeyInfo.span, named: key.label)
    }

    private init(_ found: [(file: String, items: [KeyItem])]) throws(KeyError) {
        var keys: [VerificationKey] = []
        for (file, items) in found {
            for key in try Self.keys(in: items, file: file)
            where !keys.contains(where: { $0.fingerprint == key.fingerprint }) {
                keys.append(key)
            }
        }
        self.keys = Self.distinctlyLabelled(keys)
    }

    /// Takes keys that another set has already checked and labelled.
    init(_ keys: [VerificationKey]) {
        self.keys = keys
    }

    private static func files(at path: String) throws(KeyError) -> [String] {
        try KeyItem.refuseKeyText(path)
        do throws(FileFailure) {
            guard try Files.kind(of: path) == .folder else { return [path] }
            let files = try Files.visibleFiles(in: path)
            guard files.isEmpty else { return files }
        } catch {
            throw error.isMissing ? .noSuchFile(file: path) : .unreadable(file: path, reason: error.reason)
        }
        throw .noKey(file: path, reason: "is a folder without visible files")
    }

    private static func keys(in items: [KeyItem], file: String) throws(KeyError) -> [VerificationKey] {
        // A chain: the certificate of the signer, and those of the authorities above it. Authorities alone are signers
        // that were made with a tool's defaults.
        let isChain = items.contains { if case .certificate(let found) = $0 { !found.isAuthority } else { false } }
        var keys: [VerificationKey] = []
        for item in items {
            switch item {
            case .publicKey(let storage):
                keys.append(try VerificationKey(storage, file: file, number: keys.count + 1))
            case .certificate(let certificate):
                if isChain, certificate.isAuthority { continue }
                keys.append(try VerificationKey(certificate, file: file, number: keys.count + 1))
            case .privateKey:
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

    /// Two files of the same name in different folders are told apart by their paths.
    private static func distinctlyLabelled(_ keys: [VerificationKey]) -> [VerificationKey] {
        keys.map { key in
            let isShared = keys.contains { $0.label == key.label && $0.fingerprint != key.fingerprint }
            return isShared ? key.labelledByPath() : key
        }
    }
}
