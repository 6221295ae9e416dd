package import HostSystem
import COpenSSL

/// Owns a PKCS#8 EncryptedPrivateKeyInfo.
@safe
package struct EncryptedPKCS8: ~Copyable {
    private let raw: OpaquePointer

    /// Reads the DER, all of it.
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

    /// Decrypts to a PKCS#8 PrivateKeyInfo in DER.
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

/// Writes a PrivateKeyInfo as DER into memory that is wiped.
///
/// What libcrypto made in a private context must not outlive that context; bytes do.
func privateKeyInfo(_ info: OpaquePointer) throws(UnlockFailure) -> WipedBytes {
    let length = Int(unsafe i2d_PKCS8_PRIV_KEY_INFO(info, nil))
    let bytes = unsafe WipedBytes(
        capacity: max(0, length),
        writtenBy: { buffer in
            var position = buffer.baseAddress
            return unsafe length > 0 && Int(i2d_PKCS8_PRIV_KEY_INFO(info, &position)) == length ? length : nil
        })
    guard let bytes else { throw .failed(OpenSSLFailure("writing a private key")) }
    return bytes
}
