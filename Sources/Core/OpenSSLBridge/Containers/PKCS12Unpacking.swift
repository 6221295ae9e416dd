import COpenSSL
import HostSystem

/// Takes a PKCS#12 file apart, safe by safe and bag by bag (RFC 7292 §4).
///
/// OpenSSL's own `PKCS12_parse` returns only one key, and up to 3.0 it looks for the old algorithms of key bags in the
/// default context, even if it was given another one.
struct PKCS12Unpacking {
    let unlocker: Unlocker
    let password: PKCS12Password
    let takesPrivateKeys: Bool
    private var entries: [ContainedEntry] = []
    private var schemes: [String] = []

    init(unlocker: Unlocker, password: PKCS12Password, takesPrivateKeys: Bool) {
        self.unlocker = unlocker
        self.password = password
        self.takesPrivateKeys = takesPrivateKeys
    }

    var content: PKCS12Content { PKCS12Content(entries: entries, schemes: schemes) }

    /// Tells whether one of the encrypted parts needs the legacy provider.
    ///
    /// Key bags do not count: they are decrypted with a context of their own.
    func needsLegacyProvider(_ file: OpaquePointer) throws(UnlockFailure) -> Bool {
        var isNeeded = false
        try unsafe forEachSafe(of: file) { safe throws(UnlockFailure) in
            guard unsafe OBJ_obj2nid(safe.pointee.type) == NID_pkcs7_encrypted else { return }
            if try unsafe encryption(of: safe).usesOldCipher { isNeeded = true }
        }
        return isNeeded
    }

    /// Reads all entries.
    mutating func unpack(_ file: OpaquePointer) throws(UnlockFailure) {
        try unsafe forEachSafe(of: file) { safe throws(UnlockFailure) in
            let bags: OpaquePointer?
            switch unsafe OBJ_obj2nid(safe.pointee.type) {
            case NID_pkcs7_data:
                unsafe bags = PKCS12_unpack_p7data(safe)
            case NID_pkcs7_encrypted:
                let scheme = try unsafe encryption(of: safe)
                try unlocker.charge(scheme)
                note(scheme)
                unsafe bags = password.withCharacters { unsafe PKCS12_unpack_p7encdata(safe, $0, $1) }
                if unsafe bags == nil { throw unlocker.failure(opening: scheme) }
            default:
                throw .unsupported(unsafe objectName(safe.pointee.type))
            }
            guard let bags = unsafe bags else { throw .damaged }
            defer { unsafe copenssl_bags_free(bags) }
            try unsafe take(bags, depth: 0)
        }
    }

    private func forEachSafe(
        of file: OpaquePointer,
        _ body: (UnsafeMutablePointer<PKCS7>) throws(UnlockFailure) -> Void
    ) throws(UnlockFailure) {
        guard let safes = unsafe PKCS12_unpack_authsafes(file) else { throw .damaged }
        defer { unsafe copenssl_safes_free(safes) }
        for index in 0..<max(0, unsafe copenssl_safe_count(safes)) {
            guard let safe = unsafe copenssl_safe(safes, index) else { throw .damaged }
            try unsafe body(safe)
        }
    }

    private func encryption(of safe: UnsafeMutablePointer<PKCS7>) throws(UnlockFailure) -> EncryptionScheme {
        guard let encrypted = unsafe safe.pointee.d.encrypted, let content = unsafe encrypted.pointee.enc_data else {
            throw .damaged
        }
        return try unsafe EncryptionScheme(content.pointee.algorithm)
    }

    private mutating func take(_ bags: OpaquePointer, depth: Int) throws(UnlockFailure) {
        // Bags may hold bags. No known tool writes such files, and the recursion must end.
        guard depth < 4 else { throw .damaged }
        for index in 0..<max(0, unsafe copenssl_bag_count(bags)) {
            guard let bag = unsafe copenssl_bag(bags, index) else { throw .damaged }
            switch unsafe PKCS12_SAFEBAG_get_nid(bag) {
            case NID_keyBag:
                guard let info = unsafe PKCS12_SAFEBAG_get0_p8inf(bag) else { throw .damaged }
                let content =
                    takesPrivateKeys
                    ? ContainedEntry.Content.privateKey(try unsafe privateKeyInfo(info)) : .lockedPrivateKey
                unsafe add(content, of: bag)
            case NID_pkcs8ShroudedKeyBag:
                unsafe add(try decryptKey(bag), of: bag)
            case NID_certBag where unsafe PKCS12_SAFEBAG_get_bag_nid(bag) == NID_x509Certificate:
                unsafe add(.certificate(try certificate(bag)), of: bag)
            case NID_safeContentsBag:
                guard let inner = unsafe PKCS12_SAFEBAG_get0_safes(bag) else { throw .damaged }
                try unsafe take(inner, depth: depth + 1)
            default:
                // Revocation lists and secrets are ignored.
                continue
            }
        }
    }

    private mutating func decryptKey(_ bag: OpaquePointer) throws(UnlockFailure) -> ContainedEntry.Content {
        guard let encrypted = unsafe PKCS12_SAFEBAG_get0_pkcs8(bag) else { throw .damaged }
        var algorithm: UnsafePointer<X509_ALGOR>?
        unsafe X509_SIG_get0(encrypted, &algorithm, nil)
        let scheme = try unsafe EncryptionScheme(algorithm)
        note(scheme)
        guard takesPrivateKeys else { return .lockedPrivateKey }
        try unlocker.charge(scheme)
        let context = try unsafe unlocker.context(for: scheme)
        let info = unsafe password.withCharacters { unsafe PKCS12_decrypt_skey_ex(bag, $0, $1, context, nil) }
        guard let info = unsafe info else { throw unlocker.failure(opening: scheme) }
        defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
        return .privateKey(try unsafe privateKeyInfo(info))
    }

    /// Copies a certificate as bytes, so that nothing refers to the context in which it was read.
    private func certificate(_ bag: OpaquePointer) throws(UnlockFailure) -> WipedBytes {
        guard let certificate = unsafe PKCS12_SAFEBAG_get1_cert(bag) else { throw .damaged }
        defer { unsafe X509_free(certificate) }
        guard let bytes = unsafe writeDER({ unsafe i2d_X509(certificate, $0) }) else { throw .damaged }
        return bytes
    }

    private mutating func add(_ content: ContainedEntry.Content, of bag: OpaquePointer) {
        var alias: String?
        if let name = unsafe PKCS12_get_friendlyname(bag) {
            alias = unsafe String(cString: name)
            unsafe copenssl_free(name)
        }
        entries.append(ContainedEntry(content: content, alias: alias))
    }

    private mutating func note(_ scheme: EncryptionScheme) {
        if !schemes.contains(scheme.name) { schemes.append(scheme.name) }
    }
}
