import OpenSSLBridge

/// A private key that was found in a file, and passed all checks.
struct PrivateKeyEntry {
    let storage: KeyStorage
    /// The dates of the certificate for the key; `nil` if the file does not hold one.
    let validity: Validity?
    let alias: String?
}

extension [KeyItem] {
    /// Takes the private keys out of the items of a file in their order, at least one, and checks each of them.
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
                let validity = try validity(of: storage, file: file)
                entries.append(PrivateKeyEntry(storage: storage, validity: validity, alias: item.alias))
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

    private func validity(of storage: KeyStorage, file: String) throws(KeyError) -> Validity? {
        do throws(OpenSSLFailure) {
            let fingerprint = try storage.key.fingerprint
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
