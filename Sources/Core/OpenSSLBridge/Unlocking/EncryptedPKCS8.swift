import COpenSSL
package import HostSystem

/// Owns a PKCS#8 EncryptedPrivateKeyInfo (RFC 5958 §3).
@safe
package struct EncryptedPKCS8: ~Copyable {
    private let raw: OpaquePointer

    /// Reads the structure in DER, with nothing after it; nothing is decrypted yet.
    package init(der: Span<UInt8>) throws(OpenSSLFailure) {
        unsafe raw = try readDER(der, "reading an encrypted PKCS#8 key", free: { unsafe X509_SIG_free($0) }) {
            unsafe d2i_X509_SIG(nil, &$0, $1)
        }
    }

    deinit {
        unsafe X509_SIG_free(raw)
    }

    /// How it is encrypted.
    package var scheme: EncryptionScheme {
        get throws(UnlockFailure) {
            try withCleanErrorQueue { () throws(UnlockFailure) in
                var algorithm: UnsafePointer<X509_ALGOR>?
                unsafe X509_SIG_get0(raw, &algorithm, nil)
                return try unsafe EncryptionScheme(algorithm)
            }
        }
    }

    /// Decrypts the private key: a PKCS#8 PrivateKeyInfo in DER.
    package func decrypted(by unlocker: Unlocker) throws(UnlockFailure) -> WipedBytes {
        let scheme = try scheme
        let password = try unlocker.usablePassword()
        return try withCleanErrorQueue { () throws(UnlockFailure) in
            try unlocker.charge(scheme)
            let context = try unsafe unlocker.context(for: scheme)
            let info = unsafe password.withCharacters { password, count in
                unsafe PKCS8_decrypt_ex(raw, password, count, context, nil)
            }
            guard let info = unsafe info else { throw unlocker.failure(opening: scheme) }
            defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
            return try unsafe privateKeyInfo(info)
        }
    }
}

/// Writes a PrivateKeyInfo as DER into memory that is wiped when released.
func privateKeyInfo(_ info: OpaquePointer) throws(UnlockFailure) -> WipedBytes {
    guard let bytes = unsafe writeDER({ unsafe i2d_PKCS8_PRIV_KEY_INFO(info, $0) }) else {
        throw .failed(OpenSSLFailure("writing a private key"))
    }
    return bytes
}
