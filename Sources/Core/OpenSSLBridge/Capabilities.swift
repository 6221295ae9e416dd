import COpenSSL

/// The version of the libcrypto in use, for people: `OpenSSL 3.0.19 27 Jan 2026`.
package var openSSLVersion: String {
    guard let text = unsafe OpenSSL_version(OPENSSL_VERSION) else { return "unknown" }
    return unsafe String(cString: text)
}

/// Whether libcrypto offers what every key here needs: RSA and SHA-256.
///
/// A configuration file (`OPENSSL_CONF`) can leave either out; then no key loads, from any file.
///
/// It is asked each time: the answer of a moment without memory must not stay.
package var openSSLOffersRSA: Bool {
    withCleanErrorQueue {
        guard let management = unsafe EVP_KEYMGMT_fetch(nil, "RSA", nil) else { return false }
        unsafe EVP_KEYMGMT_free(management)
        guard let digest = unsafe EVP_MD_fetch(nil, "SHA256", nil) else { return false }
        unsafe EVP_MD_free(digest)
        return true
    }
}

/// Whether a PKCS#1 v1.5 decryption with a wrong key, or of a damaged block, gives made-up bytes instead of an error.
///
/// The implementation is asked, not the version: distributions have taken implicit rejection into older versions.
/// Setting the parameter would prove nothing, since OpenSSL ignores parameters that it does not know.
package let rejectsImplicitly: Bool = withCleanErrorQueue {
    guard let cipher = unsafe EVP_ASYM_CIPHER_fetch(nil, "RSA", nil) else { return false }
    defer { unsafe EVP_ASYM_CIPHER_free(cipher) }
    guard let parameters = unsafe EVP_ASYM_CIPHER_settable_ctx_params(cipher) else { return false }
    // The name is a macro of 3.2 and later only.
    return unsafe OSSL_PARAM_locate_const(parameters, "implicit-rejection") != nil
}

/// Tells whether the process's default library context offers a cipher, by OpenSSL's name such as `AES-256-CBC`.
package func defaultContextKnows(cipher name: String) -> Bool {
    withCleanErrorQueue {
        guard let cipher = unsafe EVP_CIPHER_fetch(nil, name, nil) else { return false }
        unsafe EVP_CIPHER_free(cipher)
        return true
    }
}

/// Loads OpenSSL's legacy provider as reading a key file would, and unloads it again.
///
/// Returns `nil` if it loads, else the file that is missing.
package func missingLegacyProvider() -> String? {
    withCleanErrorQueue {
        do throws(UnlockFailure) {
            _ = try OldCipherContext(providersIn: nil)
            return nil
        } catch {
            if case .noLegacyProvider(let file) = error { return file }
            return "legacy"
        }
    }
}

/// Lets libcrypto keep its memory when the process ends; without this call, a handler of `atexit` frees it.
///
/// A program whose other threads may still work at its end would crash in them. It must be called before anything else of
/// this module, and has no effect after that.
package func keepLibcryptoAtExit() {
    _ = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
}
