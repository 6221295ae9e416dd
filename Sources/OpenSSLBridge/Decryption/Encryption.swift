import COpenSSL

extension PKey {
    /// Encrypts one block with the public half, for tests of decrypters.
    ///
    /// - Parameters:
    ///   - bytes: The text, or without padding a whole block.
    ///   - padding: `nil` for none at all: then the bytes are the whole block, which may be a bad one.
    /// - Returns: A block as long as the modulus.
    /// - Throws: `OpenSSLFailure`, for example where the bytes are too many.
    package func encrypt(_ bytes: Span<UInt8>, padding: EncryptionPadding?) throws(OpenSSLFailure) -> [UInt8] {
        try withCleanErrorQueue { () throws(OpenSSLFailure) in
            guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, raw, nil) else {
                throw OpenSSLFailure("encrypting")
            }
            defer { unsafe EVP_PKEY_CTX_free(context) }
            guard unsafe EVP_PKEY_encrypt_init(context) == 1, unsafe setPadding(padding, in: context) else {
                throw OpenSSLFailure("encrypting")
            }
            let length = try signatureLength
            var isDone = false
            let block = [UInt8](capacity: length) { output in
                unsafe output.withUnsafeMutableBufferPointer { buffer, initialized in
                    var count = buffer.count
                    isDone =
                        unsafe bytes.withUnsafeBufferPointer { bytes in
                            unsafe EVP_PKEY_encrypt(
                                context, buffer.baseAddress, &count, bytes.baseAddress, bytes.count)
                        } == 1
                    initialized = isDone ? count : 0
                }
            }
            guard isDone else { throw OpenSSLFailure("encrypting") }
            return block
        }
    }
}
