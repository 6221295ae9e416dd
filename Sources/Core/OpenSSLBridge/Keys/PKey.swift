import COpenSSL

/// The properties of a key that decide whether it may be used.
package struct KeyFacts: Sendable, Hashable {
    /// OpenSSL's name of the algorithm: `RSA`, `RSA-PSS`, `EC`, `ED25519`, `DSA`.
    package let algorithm: String
    /// Length of the modulus in bits, or what other algorithms call their size.
    package let bits: Int
    package let modulusIsOdd: Bool
    /// The public exponent; `nil` if it has more than 64 bits, or the key is not RSA.
    package let exponent: UInt64?
}

/// Owns a key of libcrypto (`EVP_PKEY`).
@safe
package struct PKey: ~Copyable, @unchecked Sendable {
    // Several threads may use an EVP_PKEY that is not changed (openssl-threads(7)); only the initialisers change it.
    let raw: OpaquePointer

    init(owning raw: OpaquePointer) {
        unsafe self.raw = raw
    }

    deinit {
        unsafe EVP_PKEY_free(raw)
    }

    /// Reads a SubjectPublicKeyInfo (RFC 5280 §4.1.2.7) in DER, and refuses bytes after it.
    package init(subjectPublicKeyInfo der: Span<UInt8>) throws(OpenSSLFailure) {
        let raw = try unsafe readDER(der, "reading a SubjectPublicKeyInfo", free: { unsafe EVP_PKEY_free($0) }) {
            unsafe d2i_PUBKEY(nil, &$0, $1)
        }
        unsafe self.init(owning: raw)
    }

    /// Reads a PKCS#1 RSAPublicKey (RFC 8017 appendix A.1.1) in DER, and refuses bytes after it.
    package init(pkcs1PublicKey der: Span<UInt8>) throws(OpenSSLFailure) {
        let raw = try unsafe readDER(der, "reading a PKCS#1 public key", free: { unsafe EVP_PKEY_free($0) }) {
            unsafe d2i_PublicKey(EVP_PKEY_RSA, nil, &$0, $1)
        }
        unsafe self.init(owning: raw)
    }

    /// Reads a PKCS#8 PrivateKeyInfo (RFC 5958 §2) in DER, and refuses bytes after it.
    package init(pkcs8PrivateKey der: Span<UInt8>) throws(OpenSSLFailure) {
        let info = try unsafe readDER(
            der, "reading a PKCS#8 private key", free: { unsafe PKCS8_PRIV_KEY_INFO_free($0) }
        ) {
            unsafe d2i_PKCS8_PRIV_KEY_INFO(nil, &$0, $1)
        }
        defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
        ERR_clear_error()
        guard let raw = unsafe EVP_PKCS82PKEY(info) else { throw OpenSSLFailure("reading a PKCS#8 private key") }
        unsafe self.init(owning: raw)
    }

    /// Reads a PKCS#1 RSAPrivateKey (RFC 8017 appendix A.1.2) in DER, and refuses bytes after it.
    package init(pkcs1PrivateKey der: Span<UInt8>) throws(OpenSSLFailure) {
        unsafe self.init(owning: try Self.privateKey(der, type: EVP_PKEY_RSA))
    }

    /// Reads an EC private key in its traditional form (RFC 5915).
    package init(ecPrivateKey der: Span<UInt8>) throws(OpenSSLFailure) {
        unsafe self.init(owning: try Self.privateKey(der, type: EVP_PKEY_EC))
    }

    /// Reads a DSA private key in its traditional form, which no role takes, so that an error can name it.
    package init(dsaPrivateKey der: Span<UInt8>) throws(OpenSSLFailure) {
        unsafe self.init(owning: try Self.privateKey(der, type: EVP_PKEY_DSA))
    }

    private static func privateKey(_ der: Span<UInt8>, type: Int32) throws(OpenSSLFailure) -> OpaquePointer {
        try unsafe readDER(der, "reading a private key", free: { unsafe EVP_PKEY_free($0) }) {
            unsafe d2i_PrivateKey(type, nil, &$0, $1)
        }
    }

    /// Makes a new RSA key pair with the exponent 65537; `bits` is the length of its modulus.
    package init(generatingRSA bits: Int) throws(OpenSSLFailure) {
        let raw = try unsafe withCleanErrorQueue { () throws(OpenSSLFailure) in
            guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, "RSA", nil) else {
                throw OpenSSLFailure("making an RSA key")
            }
            defer { unsafe EVP_PKEY_CTX_free(context) }
            var raw: OpaquePointer?
            guard unsafe EVP_PKEY_keygen_init(context) == 1,
                unsafe EVP_PKEY_CTX_set_rsa_keygen_bits(context, Int32(clamping: bits)) == 1,
                unsafe EVP_PKEY_generate(context, &raw) == 1, let raw = unsafe raw
            else { throw OpenSSLFailure("making an RSA key") }
            return unsafe raw
        }
        unsafe self.init(owning: raw)
    }

    /// Length of a signature in bytes: that of the modulus.
    package var signatureLength: Int {
        get throws(OpenSSLFailure) {
            // 0 if libcrypto had no memory to look it up while the key was read.
            let length = Int(unsafe EVP_PKEY_get_size(raw))
            guard length > 0 else { throw OpenSSLFailure("reading the size of a key") }
            return length
        }
    }

    /// The algorithm and, for RSA, the size and the exponent.
    package var facts: KeyFacts {
        get throws(OpenSSLFailure) {
            try withCleanErrorQueue { () throws(OpenSSLFailure) in
                guard let name = unsafe EVP_PKEY_get0_type_name(raw) else { throw OpenSSLFailure("naming a key") }
                let algorithm = unsafe String(cString: name)
                guard algorithm == "RSA" else {
                    return KeyFacts(
                        algorithm: algorithm, bits: max(0, Int(unsafe EVP_PKEY_get_bits(raw))), modulusIsOdd: false,
                        exponent: nil)
                }
                let modulus = try number(OSSL_PKEY_PARAM_RSA_N)
                let exponent = try number(OSSL_PKEY_PARAM_RSA_E)
                return KeyFacts(
                    algorithm: algorithm,
                    bits: modulus.bits,
                    modulusIsOdd: modulus.isOdd,
                    exponent: exponent.value
                )
            }
        }
    }

    private func number(
        _ parameter: String
    ) throws(OpenSSLFailure) -> (bits: Int, isOdd: Bool, value: UInt64?) {
        var number: OpaquePointer?
        guard unsafe EVP_PKEY_get_bn_param(raw, parameter, &number) == 1, let number = unsafe number else {
            throw OpenSSLFailure("reading a number of a key")
        }
        defer { unsafe BN_free(number) }
        let bits = Int(unsafe BN_num_bits(number))
        let value = bits > 64 ? nil : UInt64(unsafe BN_get_word(number))
        return (bits, unsafe BN_is_odd(number) == 1, value)
    }
}
