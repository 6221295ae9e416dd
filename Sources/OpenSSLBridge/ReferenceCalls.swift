import COpenSSL

/// The calls that a program would make without this library, to compare speeds with.
@safe
package struct ReferenceCalls: ~Copyable, @unchecked Sendable {
    private let key: OpaquePointer
    private let prepared: OpaquePointer

    /// Prepares an RSA key for both ways.
    package init(key: borrowing PKey) throws(OpenSSLFailure) {
        let raw = unsafe key.raw
        let context = try unsafe withCleanErrorQueue { () throws(OpenSSLFailure) in
            guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, raw, nil) else {
                throw OpenSSLFailure("preparing a verification")
            }
            guard unsafe EVP_PKEY_verify_init(context) == 1,
                unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1,
                unsafe EVP_PKEY_CTX_set_signature_md(context, Digest.sha256.fetched.pointer) == 1,
                unsafe EVP_PKEY_up_ref(raw) == 1
            else {
                let failure = OpenSSLFailure("preparing a verification")
                unsafe EVP_PKEY_CTX_free(context)
                throw failure
            }
            return unsafe context
        }
        unsafe self.key = raw
        unsafe prepared = context
    }

    deinit {
        unsafe EVP_PKEY_CTX_free(prepared)
        unsafe EVP_PKEY_free(key)
    }

    /// The least that EVP needs: SHA-256 and `EVP_PKEY_verify`, with a digest fetched and a context prepared before.
    package func verifyPrepared(_ signature: Span<UInt8>, of text: Span<UInt8>) -> Bool {
        guard let context = unsafe EVP_PKEY_CTX_dup(prepared) else { return false }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Int(EVP_MAX_MD_SIZE)) { digest in
            var count: UInt32 = 0
            return unsafe text.withUnsafeBufferPointer { text in
                unsafe EVP_Digest(
                    text.baseAddress, text.count, digest.baseAddress, &count, Digest.sha256.fetched.pointer, nil) == 1
            }
                && signature.withUnsafeBufferPointer { signature in
                    unsafe EVP_PKEY_verify(
                        context, signature.baseAddress, signature.count, digest.baseAddress, Int(count)) == 1
                }
        }
    }

    /// What the manual shows: `EVP_DigestVerifyInit` and `EVP_DigestVerify`.
    package func verifyUsual(_ signature: Span<UInt8>, of text: Span<UInt8>) -> Bool {
        guard let context = unsafe EVP_MD_CTX_new() else { return false }
        defer { unsafe EVP_MD_CTX_free(context) }
        guard unsafe EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1 else { return false }
        return unsafe signature.withUnsafeBufferPointer { signature in
            unsafe text.withUnsafeBufferPointer { text in
                unsafe EVP_DigestVerify(
                    context, signature.baseAddress, signature.count, text.baseAddress, text.count) == 1
            }
        }
    }
}
