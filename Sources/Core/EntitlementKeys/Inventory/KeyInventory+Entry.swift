import OpenSSLBridge

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
                try KeyLimits.verification.checkPrivate(storage, file: file)
            } else {
                _ = try KeyLimits.verification.check(storage.key, file: file)
            }
            return nil
        } catch {
            return error
        }
    }
}
