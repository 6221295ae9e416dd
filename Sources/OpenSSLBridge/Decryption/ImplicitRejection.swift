import COpenSSL

/// Whether a PKCS#1 v1.5 decryption with a wrong key, or of a damaged block, ends in made-up bytes instead of an error.
///
/// Asked of the implementation and not of the version: distributions have taken it into older ones. Setting the parameter
/// tells nothing either, since OpenSSL ignores parameters that it does not know.
package let rejectsImplicitly: Bool = withCleanErrorQueue {
    guard let cipher = unsafe EVP_ASYM_CIPHER_fetch(nil, "RSA", nil) else { return false }
    defer { unsafe EVP_ASYM_CIPHER_free(cipher) }
    guard let parameters = unsafe EVP_ASYM_CIPHER_settable_ctx_params(cipher) else { return false }
    // The name is a macro of 3.2 and later only.
    return unsafe OSSL_PARAM_locate_const(parameters, "implicit-rejection") != nil
}
