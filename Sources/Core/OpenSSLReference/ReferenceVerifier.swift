import COpenSSL
package import OpenSSLBridge

/// Verifies RSASSA-PKCS1-v1_5 signatures over SHA-256 with the calls that a program would make without this library.
@safe
package struct ReferenceVerifier: ~Copyable, @unchecked Sendable {
    // Only read after the initialiser, or copied by EVP_PKEY_CTX_dup, which counts references with atomics.
    private let key: OpaquePointer
    private let prepared: OpaquePointer
    private let sha256: OpaquePointer

    /// Prepares an RSA key for both ways.
    package init(key: borrowing ReferenceKey) throws(OpenSSLFailure) {
        let raw = unsafe key.raw
        let (context, digest) = try unsafe withCleanErrorQueue { () throws(OpenSSLFailure) in
            let digest = unsafe EVP_MD_fetch(nil, "SHA256", nil)
            let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, raw, nil)
            guard let digest = unsafe digest, let context = unsafe context,
                unsafe EVP_PKEY_verify_init(context) == 1,
                unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1,
                unsafe EVP_PKEY_CTX_set_signature_md(context, digest) == 1,
                unsafe EVP_PKEY_up_ref(raw) == 1
            else {
                let failure = OpenSSLFailure("preparing a verification")
                unsafe EVP_PKEY_CTX_free(context)
                unsafe EVP_MD_free(digest)
                throw failure
            }
            return unsafe (context, digest)
        }
        unsafe self.key = raw
        unsafe prepared = context
        unsafe sha256 = digest
    }

    deinit {
        unsafe EVP_PKEY_CTX_free(prepared)
        unsafe EVP_MD_free(sha256)
        unsafe EVP_PKEY_free(key)
    }

    /// Verifies with as little as EVP needs: SHA-256 and `EVP_PKEY_verify`, with digest and context prepared before.
    package func verifyPrepared(_ signature: [UInt8], of text: [UInt8]) -> Bool {
        guard let context = unsafe EVP_PKEY_CTX_dup(prepared) else { return false }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Int(EVP_MAX_MD_SIZE)) { digest in
            var count: UInt32 = 0
            return unsafe EVP_Digest(text, text.count, digest.baseAddress, &count, sha256, nil) == 1
                && EVP_PKEY_verify(context, signature, signature.count, digest.baseAddress, Int(count)) == 1
        }
    }

    /// Verifies as OpenSSL's manual shows it: `EVP_DigestVerifyInit` and `EVP_DigestVerify`.
    package func verifyUsual(_ signature: [UInt8], of text: [UInt8]) -> Bool {
        guard let context = unsafe EVP_MD_CTX_new() else { return false }
        defer { unsafe EVP_MD_CTX_free(context) }
        guard unsafe EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1 else { return false }
        return unsafe EVP_DigestVerify(context, signature, signature.count, text, text.count) == 1
    }
}
