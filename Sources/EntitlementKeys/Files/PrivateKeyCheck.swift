import OpenSSLBridge

/// What is found in a file that holds private keys.
struct PrivateKeyEntry {
    let storage: KeyStorage
    /// The dates of the certificate for the key, where the file has it.
    let validity: Validity?
    let alias: String?
}

extension [KeyItem] {
    /// The private keys among some entries, each checked.
    ///
    /// - Throws: `KeyError`; `.passwordRequired` where one is still encrypted.
    func privateKeys(file: String, limits: KeyLimits, purpose: String) throws(KeyError) -> [PrivateKeyEntry] {
        var entries: [PrivateKeyEntry] = []
        for item in self {
            switch item.content {
            case .lockedPrivateKey: throw .passwordRequired(file: file, format: item.format)
            case .privateKey(let storage):
                try storage.checkPrivate(limits, file: file)
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

extension KeyStorage {
    /// Checks what every private key must satisfy before it is used.
    func checkPrivate(_ limits: KeyLimits, file: String) throws(KeyError) {
        _ = try limits.check(key, file: file)
        let isConsistent: Bool
        let signsWell: Bool
        do throws(OpenSSLFailure) {
            isConsistent = try key.isConsistent
            signsWell = isConsistent ? try self.signsWell() : false
        } catch {
            throw .unreadable(file: file, reason: "the private key is damaged (\(error))")
        }
        guard isConsistent else {
            throw .unreadable(file: file, reason: "the private key is damaged: its numbers do not belong together")
        }
        guard signsWell else {
            throw .unreadable(file: file, reason: "the private key is damaged: its signatures do not verify")
        }
    }

    /// Signs a fixed digest and verifies it: a damaged key signs without an error, and wrongly.
    private func signsWell() throws(OpenSSLFailure) -> Bool {
        let digest = [UInt8](repeating: 0x5A, count: Digest.sha256.length)
        let signature = try key.sign(digest.span, as: .sha256)
        let information = try key.subjectPublicKeyInfo
        let verifier = try SignatureVerifier(key: PKey(subjectPublicKeyInfo: information.span), digest: .sha256)
        return try verifier.isValid(signature.span, digest: digest.span)
    }
}
