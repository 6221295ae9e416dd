import OpenSSLBridge

/// A certificate or key that was found in a file.
struct KeyItem: Sendable {
    enum Content: Sendable {
        case certificate(Certificate)
        case publicKey(KeyStorage)
        case privateKey(KeyStorage)
        /// A private key that is still encrypted, because it was not asked for or no password was given.
        case lockedPrivateKey
        /// A private key that no password opens here, with the reason.
        case foreignPrivateKey(KeyError)
    }

    let content: Content
    /// The format for people: `PEM, PKCS#8 private key (PBES2, AES-256-CBC)`.
    let format: String
    /// The name inside a container; `nil` if there is none.
    var alias: String?
}

/// The formats of a single key or certificate, in the order in which they are tried if no PEM label names one.
enum KeyFormat: CaseIterable {
    case certificate
    case trustedCertificate
    case subjectPublicKeyInfo
    case pkcs1PublicKey
    case pkcs8PrivateKey
    case pkcs1PrivateKey
    case ecPrivateKey
    case dsaPrivateKey

    /// Finds the format of a PEM block (RFC 7468 §4 to §13, and OpenSSL's older labels).
    init?(label: String) {
        switch label {
        case "CERTIFICATE", "X509 CERTIFICATE": self = .certificate
        case "TRUSTED CERTIFICATE": self = .trustedCertificate
        case "PUBLIC KEY": self = .subjectPublicKeyInfo
        case "RSA PUBLIC KEY": self = .pkcs1PublicKey
        case "PRIVATE KEY": self = .pkcs8PrivateKey
        case "RSA PRIVATE KEY": self = .pkcs1PrivateKey
        case "EC PRIVATE KEY": self = .ecPrivateKey
        case "DSA PRIVATE KEY": self = .dsaPrivateKey
        default: return nil
        }
    }

    var name: String {
        switch self {
        case .certificate, .trustedCertificate: "X.509 certificate"
        case .subjectPublicKeyInfo: "public key"
        case .pkcs1PublicKey: "PKCS#1 public key"
        case .pkcs8PrivateKey: "PKCS#8 private key"
        case .pkcs1PrivateKey: "PKCS#1 private key"
        case .ecPrivateKey: "EC private key"
        case .dsaPrivateKey: "DSA private key"
        }
    }

    var isPrivate: Bool {
        switch self {
        case .certificate, .trustedCertificate, .subjectPublicKeyInfo, .pkcs1PublicKey: false
        case .pkcs8PrivateKey, .pkcs1PrivateKey, .ecPrivateKey, .dsaPrivateKey: true
        }
    }

    /// Reads a key or certificate in this format, and refuses bytes after it.
    func read(_ der: Span<UInt8>) throws(OpenSSLFailure) -> KeyItem.Content {
        switch self {
        case .certificate: .certificate(try Certificate(der: der))
        case .trustedCertificate: .certificate(try Certificate(trusted: der))
        case .subjectPublicKeyInfo: .publicKey(KeyStorage(try PKey(subjectPublicKeyInfo: der)))
        case .pkcs1PublicKey: .publicKey(KeyStorage(try PKey(pkcs1PublicKey: der)))
        case .pkcs8PrivateKey: .privateKey(KeyStorage(try PKey(pkcs8PrivateKey: der)))
        case .pkcs1PrivateKey: .privateKey(KeyStorage(try PKey(pkcs1PrivateKey: der)))
        case .ecPrivateKey: .privateKey(KeyStorage(try PKey(ecPrivateKey: der)))
        case .dsaPrivateKey: .privateKey(KeyStorage(try PKey(dsaPrivateKey: der)))
        }
    }
}

/// A private key that was found in a file, and passed all checks.
struct PrivateKeyEntry {
    let storage: KeyStorage
    /// SHA-256 of the SubjectPublicKeyInfo in DER, in hexadecimal digits.
    let fingerprint: String
    /// The dates of the certificate for the key; `nil` if the file does not hold one.
    let validity: Validity?
    let alias: String?
}

extension [KeyItem] {
    /// The items without the certificates of authorities that are part of a chain.
    ///
    /// A chain has the certificate of the signer, and those of the authorities above it. If all are authorities, they are
    /// signers whose certificates were made with a tool's defaults.
    var withoutAuthorities: [KeyItem] {
        let isChain = contains {
            if case .certificate(let found) = $0.content { !found.isAuthority } else { false }
        }
        return filter {
            if isChain, case .certificate(let found) = $0.content { !found.isAuthority } else { true }
        }
    }

    /// Takes the private keys out of the items of a file in their order, at least one, and checks each of them.
    ///
    /// A key that the file holds several times, for example in two formats, is one.
    ///
    /// `purpose` says in errors what the keys are for, such as `signing`. Throws `.passwordRequired` if one is still
    /// encrypted.
    func privateKeys(file: String, limits: KeyLimits, purpose: String) throws(KeyError) -> [PrivateKeyEntry] {
        var entries: [PrivateKeyEntry] = []
        for item in self {
            switch item.content {
            case .lockedPrivateKey: throw .passwordRequired(file: file, format: item.format)
            case .foreignPrivateKey(let reason): throw reason
            case .privateKey(let storage):
                try limits.checkPrivate(storage, file: file)
                let fingerprint = try naming(file, storage.key.fingerprint)
                guard !entries.contains(where: { $0.fingerprint == fingerprint }) else { continue }
                let validity = try validity(of: fingerprint, file: file)
                entries.append(
                    PrivateKeyEntry(
                        storage: storage, fingerprint: fingerprint, validity: validity, alias: item.alias))
            case .certificate, .publicKey: continue
            }
        }
        guard entries.isEmpty else { return entries }
        throw .unsupported(
            file: file, found: "no private key, only \(kinds)", advice: "\(purpose) takes the private key")
    }

    private var kinds: String {
        var names: [String] = []
        for item in self {
            let name = if case .certificate = item.content { "a certificate" } else { "a public key" }
            if !names.contains(name) { names.append(name) }
        }
        return names.joined(separator: " and ")
    }

    private func validity(of fingerprint: String, file: String) throws(KeyError) -> Validity? {
        do throws(OpenSSLFailure) {
            for item in self {
                guard case .certificate(let certificate) = item.content else { continue }
                if try certificate.publicKey().fingerprint == fingerprint { return try Validity(of: certificate) }
            }
            return nil
        } catch {
            throw .unreadable(file: file, reason: error.description)
        }
    }
}
