import COpenSSL

/// Verifies RSASSA-PKCS1-v1_5 signatures (RFC 8017 §8.2.2) with one key and one digest.
///
/// Everything that does not depend on the signature is prepared once. Keys of usual sizes and exponents are checked by
/// `RSAPublicOperation`, all others by EVP, which copies a prepared context each time.
package struct SignatureVerifier: ~Copyable, Sendable {
    private let prepared: SignatureContext
    private let signatureLength: Int
    private let publicOperation: RSAPublicOperation?
    private let encodedMessagePrefix: EncodedMessagePrefix
    private let digestLength: Int

    /// Prepares an RSA key for one digest; EVP does everything if `RSAPublicOperation` is not allowed.
    package init(
        key: borrowing PKey,
        digest: Digest,
        allowingRSAPublicOperation: Bool = true
    ) throws(OpenSSLFailure) {
        try self.init(
            key: key, digest: digest, publicOperation: allowingRSAPublicOperation ? RSAPublicOperation(key: key) : nil)
    }

    /// Prepares an RSA key for one digest; verifiers for several digests share a prepared operation.
    ///
    /// The operation is prepared for the same key; without one, EVP does everything.
    package init(
        key: borrowing PKey,
        digest: Digest,
        publicOperation: RSAPublicOperation?
    ) throws(OpenSSLFailure) {
        let length = try key.signatureLength
        let prefix = try EncodedMessagePrefix(digest: digest, length: length)
        prepared = try SignatureContext(key: key, digest: digest, padding: RSA_PKCS1_PADDING, for: .verifying)
        signatureLength = length
        self.publicOperation = publicOperation
        encodedMessagePrefix = prefix
        digestLength = digest.length
    }

    /// Whether verifications go through `RSAPublicOperation` instead of EVP.
    package var usesRSAPublicOperation: Bool { publicOperation != nil }

    /// Tells whether this key made the signature over this digest.
    ///
    /// A signature whose length is not that of the modulus is refused. Throws if libcrypto could not decide (out of
    /// memory); never for a bad signature.
    package func isValid(_ signature: Span<UInt8>, digest: Span<UInt8>) throws(OpenSSLFailure) -> Bool {
        guard signature.count == signatureLength else { return false }
        if let publicOperation {
            guard digest.count == digestLength else { return false }
            return try withCleanErrorQueue { () throws(OpenSSLFailure) in
                try publicOperation.isValid(signature, digest: digest, after: encodedMessagePrefix)
            }
        }
        return try prepared.isValid(signature, digest: digest)
    }
}

extension PKey {
    /// Signs a digest with RSASSA-PKCS1-v1_5 (RFC 8017 §8.2.1).
    ///
    /// The bytes are as many as the digest has, and the signature is as long as the modulus.
    package func sign(_ digest: [UInt8], as algorithm: Digest) throws(OpenSSLFailure) -> [UInt8] {
        let context = try SignatureContext(key: self, digest: algorithm, padding: RSA_PKCS1_PADDING, for: .signing)
        return try context.sign(digest, length: signatureLength)
    }
}

/// A context of EVP that signs or verifies digests of one algorithm with one key, and that each operation copies.
@safe
struct SignatureContext: ~Copyable, @unchecked Sendable {
    /// What a context is for.
    enum Purpose: String {
        case signing, verifying
    }

    // Only copied by EVP_PKEY_CTX_dup, which reads it and counts references with atomics.
    private let prepared: OpaquePointer

    /// Prepares a key: one of RSA for its padding, or one of ECDSA, which has none.
    init(
        key: borrowing PKey,
        digest: Digest,
        padding: Int32?,
        for purpose: Purpose
    ) throws(OpenSSLFailure) {
        let raw = unsafe key.raw
        unsafe prepared = try unsafe withCleanErrorQueue { () throws(OpenSSLFailure) in
            guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, raw, nil) else {
                throw OpenSSLFailure("preparing for \(purpose.rawValue)")
            }
            let isStarted =
                switch purpose {
                case .signing: unsafe EVP_PKEY_sign_init(context) == 1
                case .verifying: unsafe EVP_PKEY_verify_init(context) == 1
                }
            guard isStarted, let algorithm = unsafe digest.fetched.pointer,
                padding.map({ unsafe EVP_PKEY_CTX_set_rsa_padding(context, $0) == 1 }) ?? true,
                unsafe EVP_PKEY_CTX_set_signature_md(context, algorithm) == 1
            else {
                let failure = OpenSSLFailure("preparing for \(purpose.rawValue)")
                unsafe EVP_PKEY_CTX_free(context)
                throw failure
            }
            return unsafe context
        }
    }

    deinit {
        unsafe EVP_PKEY_CTX_free(prepared)
    }

    /// Signs a digest; the signature has at most `length` bytes.
    func sign(_ digest: [UInt8], length: Int) throws(OpenSSLFailure) -> [UInt8] {
        try withCleanErrorQueue { () throws(OpenSSLFailure) in
            guard let context = unsafe EVP_PKEY_CTX_dup(prepared) else { throw OpenSSLFailure("signing") }
            defer { unsafe EVP_PKEY_CTX_free(context) }
            var isDone = false
            let signature = [UInt8](capacity: length) { output in
                unsafe output.withUnsafeMutableBufferPointer { buffer, initialized in
                    var count = buffer.count
                    isDone = unsafe EVP_PKEY_sign(context, buffer.baseAddress, &count, digest, digest.count) == 1
                    initialized = isDone ? count : 0
                }
            }
            guard isDone else { throw OpenSSLFailure("signing") }
            return signature
        }
    }

    /// Tells whether the key made a signature over a digest; throws if memory ran out, never for a bad signature.
    func isValid(_ signature: Span<UInt8>, digest: Span<UInt8>) throws(OpenSSLFailure) -> Bool {
        try withCleanErrorQueue { () throws(OpenSSLFailure) in
            guard let context = unsafe EVP_PKEY_CTX_dup(prepared) else { throw OpenSSLFailure("verifying") }
            defer { unsafe EVP_PKEY_CTX_free(context) }
            let answer = unsafe signature.withUnsafeBufferPointer { signature in
                unsafe digest.withUnsafeBufferPointer { digest in
                    unsafe EVP_PKEY_verify(
                        context, signature.baseAddress, signature.count, digest.baseAddress, digest.count)
                }
            }
            if answer == 1 { return true }
            // Anything else is "no", with records of the reason, unless libcrypto ran out of memory on the way.
            if hasAllocationFailure() { throw OpenSSLFailure("finding memory to verify") }
            return false
        }
    }
}
