import HostSystem
import COpenSSL

extension PKey {
    /// Decrypts one block again and again with libcrypto's calls alone: the floor that measurements compare with.
    ///
    /// One context and one buffer for all rounds, PKCS#1 v1.5, and nothing is looked at but the return code.
    package func decryptBarely(_ block: Span<UInt8>, rounds: Int) throws(OpenSSLFailure) {
        var text = WipedBuffer(capacity: try signatureLength)
        try withCleanErrorQueue { () throws(OpenSSLFailure) in
            guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, raw, nil) else {
                throw OpenSSLFailure("decrypting")
            }
            defer { unsafe EVP_PKEY_CTX_free(context) }
            guard unsafe EVP_PKEY_decrypt_init(context) == 1, unsafe setPadding(.pkcs1v15, in: context) else {
                throw OpenSSLFailure("decrypting")
            }
            let isDone = unsafe text.append { room in
                for _ in 0..<rounds {
                    var count = room.count
                    let answer = unsafe block.withUnsafeBufferPointer { block in
                        unsafe EVP_PKEY_decrypt(context, room.baseAddress, &count, block.baseAddress, block.count)
                    }
                    guard answer == 1 else { return nil }
                }
                return 0
            }
            guard isDone else { throw OpenSSLFailure("decrypting") }
        }
    }
}
