import COpenSSL

/// How a digest is padded to the size of an RSA modulus.
package enum SignaturePadding: Sendable {
    case pkcs1v15
    /// For tests of verifiers that must refuse it.
    case pss
    /// No padding at all: the bytes signed are the whole block. For tests of verifiers that must refuse a bad block.
    case none
}

/// Verifies RSASSA-PKCS1-v1_5 signatures with one key and one digest.
///
/// Everything that does not depend on the signature is prepared once. The usual keys are checked by `RSAPublicOperation`, all
/// others by EVP, which copies a prepared context each time.
@safe
package struct SignatureVerifier: ~Copyable, @unchecked Sendable {
    // Only ever the source of EVP_PKEY_CTX_dup, which reads it and counts references with atomics.
    private let prepared: OpaquePointer
    private let signatureLength: Int
    private let power: RSAPublicOperation?
    /// The encoded message up to its digest (RFC 8017 §9.2).
    private let encodingStart: EncodedMessagePrefix
    private let digestLength: Int

    /// Prepares a key for one digest.
    ///
    /// - Parameters:
    ///   - key: An RSA key.
    ///   - digest: What the signer hashed with.
    ///   - allowingPublicPower: Says whether `RSAPublicOperation` may be taken; without, all goes through EVP.
    /// - Throws: `OpenSSLFailure` where libcrypto could not prepare it.
    package init(
        key: borrowing PKey,
        digest: Digest,
        allowingPublicPower: Bool = true
    ) throws(OpenSSLFailure) {
        try self.init(key: key, digest: digest, power: allowingPublicPower ? RSAPublicOperation(key: key) : nil)
    }

    /// Prepares a key for one digest, with what was prepared for another one.
    ///
    /// - Parameters:
    ///   - key: An RSA key.
    ///   - digest: What the signer hashed with.
    ///   - power: The same key; `nil` where all goes through EVP.
    /// - Throws: `OpenSSLFailure` where libcrypto could not prepare it.
    package init(key: borrowing PKey, digest: Digest, power: RSAPublicOperation?) throws(OpenSSLFailure) {
        let raw = unsafe key.raw
        let length = try key.signatureLength
        let padding = [UInt8](repeating: 0xFF, count: max(0, length - 3 - digest.information.count - digest.length))
        let encodingStart = try EncodedMessagePrefix(
            [0x00, 0x01] + padding + [0x00] + digest.information, following: digest.length)
        let context = try unsafe withCleanErrorQueue { () throws(OpenSSLFailure) in
            guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, raw, nil) else {
                throw OpenSSLFailure("preparing a verification")
            }
            guard let algorithm = unsafe digest.fetched.pointer,
                unsafe EVP_PKEY_verify_init(context) == 1,
                unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1,
                unsafe EVP_PKEY_CTX_set_signature_md(context, algorithm) == 1
            else {
                let failure = OpenSSLFailure("preparing a verification")
                unsafe EVP_PKEY_CTX_free(context)
                throw failure
            }
            return unsafe context
        }
        unsafe prepared = context
        signatureLength = length
        self.power = power
        self.encodingStart = encodingStart
        digestLength = digest.length
    }

    deinit {
        unsafe EVP_PKEY_CTX_free(prepared)
    }

    /// Whether verifications go through `RSAPublicOperation` instead of EVP.
    package var usesRSAPublicOperation: Bool { power != nil }

    /// Tells whether this key made the signature over this digest.
    ///
    /// - Throws: `OpenSSLFailure` where libcrypto could not decide (out of memory); never for a bad signature.
    package func isValid(_ signature: Span<UInt8>, digest: Span<UInt8>) throws(OpenSSLFailure) -> Bool {
        guard signature.count == signatureLength else { return false }
        if let power {
            guard digest.count == digestLength else { return false }
            return try withCleanErrorQueue { () throws(OpenSSLFailure) in
                try power.isValid(signature, message: digest, after: encodingStart)
            }
        }
        return try withCleanErrorQueue { () throws(OpenSSLFailure) in
            guard let context = unsafe EVP_PKEY_CTX_dup(prepared) else { throw OpenSSLFailure("verifying") }
            defer { unsafe EVP_PKEY_CTX_free(context) }
            let answer = unsafe signature.withUnsafeBufferPointer { signature in
                unsafe digest.withUnsafeBufferPointer { digest in
                    unsafe EVP_PKEY_verify(
                        context, signature.baseAddress, signature.count, digest.baseAddress, digest.count)
                }
            }
            if answer == 1 { return true }
            // Anything else is "no", with records about why, unless libcrypto ran out of memory on the way.
            let code = ERR_peek_error()
            if code != 0, copenssl_is_allocation_failure(code) == 1 { throw OpenSSLFailure("verifying") }
            return false
        }
    }
}

extension PKey {
    /// Signs a digest (or, without padding, a whole block) with a private key.
    package func sign(
        _ digest: Span<UInt8>,
        as algorithm: Digest,
        padding: SignaturePadding = .pkcs1v15
    ) throws(OpenSSLFailure) -> [UInt8] {
        try withCleanErrorQueue { () throws(OpenSSLFailure) in
            guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, raw, nil) else {
                throw OpenSSLFailure("signing")
            }
            defer { unsafe EVP_PKEY_CTX_free(context) }
            guard unsafe EVP_PKEY_sign_init(context) == 1,
                unsafe EVP_PKEY_CTX_set_rsa_padding(context, padding.identifier) == 1
            else { throw OpenSSLFailure("signing") }
            if padding != .none {
                guard unsafe EVP_PKEY_CTX_set_signature_md(context, algorithm.fetched.pointer) == 1 else {
                    throw OpenSSLFailure("signing")
                }
            }
            let length = try signatureLength
            var isDone = false
            let signature = [UInt8](capacity: length) { output in
                unsafe output.withUnsafeMutableBufferPointer { buffer, initialized in
                    var count = buffer.count
                    isDone =
                        unsafe digest.withUnsafeBufferPointer { digest in
                            unsafe EVP_PKEY_sign(context, buffer.baseAddress, &count, digest.baseAddress, digest.count)
                        } == 1
                    initialized = isDone ? count : 0
                }
            }
            guard isDone else { throw OpenSSLFailure("signing") }
            return signature
        }
    }
}

extension SignaturePadding {
    fileprivate var identifier: Int32 {
        switch self {
        case .pkcs1v15: RSA_PKCS1_PADDING
        case .pss: RSA_PKCS1_PSS_PADDING
        case .none: RSA_NO_PADDING
        }
    }
}
