import COpenSSL

/// How a text is padded to the size of an RSA modulus before it is encrypted.
package enum EncryptionPadding: Sendable, Hashable {
    /// RSAES-PKCS1-v1_5 (RFC 8017 §7.2).
    case pkcs1v15
    /// RSAES-OAEP (RFC 8017 §7.1): the digest of the label, which is empty here, and the one of the mask generation.
    case oaep(Digest, mgf1: Digest)
}

extension EncryptionPadding {
    /// Sets the padding on a context for encryption or decryption.
    func set(in context: OpaquePointer) -> Bool {
        switch self {
        case .pkcs1v15:
            return unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1
        case .oaep(let label, let mask):
            // Both are set: if only the first is, OpenSSL uses it for the mask too, and other libraries use SHA-1.
            guard let labelDigest = unsafe label.fetched.pointer, let maskDigest = unsafe mask.fetched.pointer else {
                return false
            }
            return unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING) == 1
                && EVP_PKEY_CTX_set_rsa_oaep_md(context, labelDigest) == 1
                && EVP_PKEY_CTX_set_rsa_mgf1_md(context, maskDigest) == 1
        }
    }
}

extension PKey {
    /// Encrypts one block, as long as the modulus, with the public half, as the sender of user metadata does.
    ///
    /// Throws, for example, if the text is too long.
    package func encrypt(_ text: [UInt8], padding: EncryptionPadding) throws(OpenSSLFailure) -> [UInt8] {
        let length = try signatureLength
        return try withCleanErrorQueue { () throws(OpenSSLFailure) in
            guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, raw, nil) else {
                throw OpenSSLFailure("encrypting")
            }
            defer { unsafe EVP_PKEY_CTX_free(context) }
            guard unsafe EVP_PKEY_encrypt_init(context) == 1, unsafe padding.set(in: context) else {
                throw OpenSSLFailure("encrypting")
            }
            guard let block = unsafe encrypted(text, capacity: length, in: context) else {
                throw OpenSSLFailure("encrypting")
            }
            return block
        }
    }
}

/// Runs `EVP_PKEY_encrypt` with a context that has a key and a padding; `nil` if libcrypto refused.
///
/// `capacity` is the number of bytes that may come out at most.
func encrypted(_ bytes: [UInt8], capacity: Int, in context: OpaquePointer) -> [UInt8]? {
    var isDone = false
    let block = [UInt8](capacity: capacity) { output in
        unsafe output.withUnsafeMutableBufferPointer { buffer, initialized in
            var count = buffer.count
            isDone = unsafe EVP_PKEY_encrypt(context, buffer.baseAddress, &count, bytes, bytes.count) == 1
            initialized = isDone ? count : 0
        }
    }
    return isDone ? block : nil
}
