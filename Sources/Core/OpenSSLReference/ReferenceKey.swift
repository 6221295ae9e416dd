import COpenSSL
import HostSystem
package import OpenSSLBridge

/// A private RSA key for calls of libcrypto that the library itself does not make.
///
/// The tool compares its speed with them, and tests make signatures with them that a verifier must refuse.
@safe
package struct ReferenceKey: ~Copyable, @unchecked Sendable {
    // Several threads may use an EVP_PKEY that is not changed (openssl-threads(7)); only the initialiser changes it.
    let raw: OpaquePointer

    /// Copies a private RSA key, through its PKCS#8 in PEM.
    package init(copying key: borrowing PKey) throws(OpenSSLFailure) {
        let pem = try key.plainPEM()
        unsafe raw = try unsafe withCleanErrorQueue { () throws(OpenSSLFailure) in
            let raw = unsafe pem.withSpan { pem in
                unsafe pem.withUnsafeBufferPointer { pem -> OpaquePointer? in
                    guard let source = unsafe BIO_new_mem_buf(pem.baseAddress, Int32(clamping: pem.count)) else {
                        return nil
                    }
                    defer { unsafe BIO_free_all(source) }
                    return unsafe PEM_read_bio_PrivateKey(source, nil, nil, nil)
                }
            }
            guard let raw = unsafe raw else { throw OpenSSLFailure("copying a private key") }
            return unsafe raw
        }
    }

    deinit {
        unsafe EVP_PKEY_free(raw)
    }

    /// Signs a SHA-256 digest with RSASSA-PSS (RFC 8017 §8.1.1), which no verifier here takes.
    package func signatureWithPSS(over digest: [UInt8]) throws(OpenSSLFailure) -> [UInt8] {
        try unsafe sign(digest) { context in
            unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1
                && EVP_PKEY_CTX_set_signature_md(context, EVP_sha256()) == 1
        }
    }

    /// Raises a number to the private exponent (RSASP1, RFC 8017 §5.2.1): a signature over any block, good or bad.
    ///
    /// The number has as many bytes as the modulus, and so has the result. Throws also if the number is not below the
    /// modulus.
    package func signatureRepresentative(of message: [UInt8]) throws(OpenSSLFailure) -> [UInt8] {
        try unsafe sign(message) { context in
            unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_NO_PADDING) == 1
        }
    }

    private func sign(
        _ bytes: [UInt8],
        settingUp setUp: (OpaquePointer) -> Bool
    ) throws(OpenSSLFailure) -> [UInt8] {
        try withCleanErrorQueue { () throws(OpenSSLFailure) in
            guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, raw, nil) else {
                throw OpenSSLFailure("signing")
            }
            defer { unsafe EVP_PKEY_CTX_free(context) }
            guard unsafe EVP_PKEY_sign_init(context) == 1, unsafe setUp(context) else {
                throw OpenSSLFailure("signing")
            }
            var isDone = false
            let signature = [UInt8](capacity: max(0, Int(unsafe EVP_PKEY_get_size(raw)))) { output in
                unsafe output.withUnsafeMutableBufferPointer { buffer, initialized in
                    var count = buffer.count
                    isDone = unsafe EVP_PKEY_sign(context, buffer.baseAddress, &count, bytes, bytes.count) == 1
                    initialized = isDone ? count : 0
                }
            }
            guard isDone else { throw OpenSSLFailure("signing") }
            return signature
        }
    }

    /// Decrypts one PKCS#1 v1.5 block again and again with nothing but libcrypto's own call.
    ///
    /// One context and one buffer serve all rounds, and only the return code is looked at: no program can be faster.
    /// Throws also if the block does not open.
    package func decrypt(_ block: [UInt8], rounds: Int) throws(OpenSSLFailure) {
        try withCleanErrorQueue { () throws(OpenSSLFailure) in
            guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, raw, nil) else {
                throw OpenSSLFailure("decrypting")
            }
            defer { unsafe EVP_PKEY_CTX_free(context) }
            guard unsafe EVP_PKEY_decrypt_init(context) == 1,
                unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1
            else { throw OpenSSLFailure("decrypting") }
            var isDone = true
            _ = WipedBytes(capacity: max(0, Int(unsafe EVP_PKEY_get_size(raw)))) { output in
                unsafe output.withUnsafeMutableBufferPointer { room, _ in
                    for _ in 0..<rounds where isDone {
                        var count = room.count
                        isDone =
                            unsafe EVP_PKEY_decrypt(context, room.baseAddress, &count, block, block.count) == 1
                    }
                }
            }
            guard isDone else { throw OpenSSLFailure("decrypting") }
        }
    }
}
