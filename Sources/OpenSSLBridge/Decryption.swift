import COpenSSL

/// How a text is padded to the size of an RSA modulus before it is encrypted.
package enum EncryptionPadding: Sendable, Hashable {
    case pkcs1v15
    /// The digest of the label, which is empty here, and the one of the mask generation (MGF1).
    case oaep(Digest, mgf1: Digest)
}

/// Decrypts RSA blocks with one key and one padding.
///
/// Everything that does not depend on the block is prepared once; a decryption copies the prepared context, and so
/// shares nothing that changes. Implicit rejection stays as this OpenSSL has it: see `rejectsImplicitly`.
@safe
package struct BlockDecrypter: ~Copyable, @unchecked Sendable {
    // Only ever the source of EVP_PKEY_CTX_dup, which reads it and counts references with atomics.
    private let prepared: OpaquePointer
    /// Length of a block in octets: that of the modulus.
    package let blockLength: Int

    package init(key: borrowing PKey, padding: EncryptionPadding) throws(OpenSSLFailure) {
        let raw = unsafe key.raw
        let length = try key.signatureLength
        let context = try unsafe withCleanErrorQueue { () throws(OpenSSLFailure) in
            guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, raw, nil) else {
                throw OpenSSLFailure("preparing a decryption")
            }
            guard unsafe EVP_PKEY_decrypt_init(context) == 1, unsafe setPadding(padding, in: context) else {
                let failure = OpenSSLFailure("preparing a decryption")
                unsafe EVP_PKEY_CTX_free(context)
                throw failure
            }
            return unsafe context
        }
        unsafe prepared = context
        blockLength = length
    }

    deinit {
        unsafe EVP_PKEY_CTX_free(prepared)
    }

    /// Decrypts one block and appends its text to a buffer.
    ///
    /// With PKCS#1 v1.5 "opened" proves nothing: with implicit rejection any other key opens any block.
    ///
    /// - Parameters:
    ///   - octets: Where the block is.
    ///   - range: Its place, as long as `blockLength`: libcrypto itself takes shorter ones.
    ///   - text: Needs room for a whole block.
    /// - Returns: Whether the block opened; where not, nothing is appended, for whatever reason.
    /// - Throws: `OpenSSLFailure` where libcrypto could not decide (out of memory); never for a bad block.
    package func decrypt(
        _ octets: Span<UInt8>,
        in range: Range<Int>,
        into text: inout WipedBuffer
    ) throws(OpenSSLFailure) -> Bool {
        guard range.count == blockLength else { return false }
        guard text.room >= blockLength else { throw OpenSSLFailure("decrypting into too little room") }
        return try withCleanErrorQueue { () throws(OpenSSLFailure) in
            guard let context = unsafe EVP_PKEY_CTX_dup(prepared) else { throw OpenSSLFailure("decrypting") }
            defer { unsafe EVP_PKEY_CTX_free(context) }
            var answer: Int32 = -1
            let isOpen = unsafe text.append { room in
                var count = room.count
                answer = unsafe octets.extracting(range).withUnsafeBufferPointer { block in
                    unsafe EVP_PKEY_decrypt(context, room.baseAddress, &count, block.baseAddress, block.count)
                }
                return answer == 1 ? count : nil
            }
            // 0 is "no", with a record about why that nobody gets to see, unless libcrypto ran out of memory on the
            // way. Below 0 the operation itself is not there.
            if answer < 0 { throw OpenSSLFailure("decrypting") }
            if queueTellsOfAllocation() { throw OpenSSLFailure("finding memory to decrypt") }
            return isOpen
        }
    }
}

/// Sets a padding on a context; `nil` for none, which no decryption has.
func setPadding(_ padding: EncryptionPadding?, in context: OpaquePointer) -> Bool {
    switch padding {
    case nil:
        return unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_NO_PADDING) == 1
    case .pkcs1v15:
        return unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1
    case .oaep(let label, let mask):
        // Both named: OpenSSL would take the first for the second, other libraries take SHA-1.
        guard let labelDigest = unsafe label.fetched.pointer, let maskDigest = unsafe mask.fetched.pointer else {
            return false
        }
        return unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING) == 1
            && EVP_PKEY_CTX_set_rsa_oaep_md(context, labelDigest) == 1
            && EVP_PKEY_CTX_set_rsa_mgf1_md(context, maskDigest) == 1
    }
}

/// Looks at all records, and takes them off.
private func queueTellsOfAllocation() -> Bool {
    while true {
        let code = ERR_get_error()
        if code == 0 { return false }
        if copenssl_is_allocation_failure(code) == 1 { return true }
    }
}
