import COpenSSL
package import HostSystem

extension PKey {
    /// Writes the private key as encrypted PKCS#8 in PEM: PBES2, PBKDF2 with HMAC-SHA-256, AES-256-CBC (RFC 8018 §6.2).
    ///
    /// The password is UTF-8 without a NUL. PBKDF2 runs as often as `iterations` says.
    package func encryptedPEM(password: WipedBytes, iterations: Int) throws(OpenSSLFailure) -> WipedBytes {
        let operation = "writing an encrypted private key"
        return try withCleanErrorQueue { () throws(OpenSSLFailure) in
            guard let info = unsafe EVP_PKEY2PKCS8(raw) else { throw OpenSSLFailure(operation) }
            defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
            // No salt given: OpenSSL draws one.
            let algorithm = unsafe PKCS5_pbe2_set_iv(
                EVP_aes_256_cbc(), Int32(clamping: iterations), nil, 16, nil, NID_hmacWithSHA256)
            guard let algorithm = unsafe algorithm else { throw OpenSSLFailure(operation) }
            let encrypted = unsafe password.withCharacters { characters, count in
                unsafe PKCS8_set0_pbe(characters, count, info, algorithm)
            }
            guard let encrypted = unsafe encrypted else {
                unsafe X509_ALGOR_free(algorithm)
                throw OpenSSLFailure(operation)
            }
            defer { unsafe X509_SIG_free(encrypted) }
            return try unsafe writePEM(operation) { unsafe PEM_write_bio_PKCS8($0, encrypted) }
        }
    }

    /// Writes the private key as PKCS#8 in PEM, unencrypted.
    package func plainPEM() throws(OpenSSLFailure) -> WipedBytes {
        let operation = "writing a private key"
        return try withCleanErrorQueue { () throws(OpenSSLFailure) in
            guard let info = unsafe EVP_PKEY2PKCS8(raw) else { throw OpenSSLFailure(operation) }
            defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
            return try unsafe writePEM(operation) { unsafe PEM_write_bio_PKCS8_PRIV_KEY_INFO($0, info) }
        }
    }
}
