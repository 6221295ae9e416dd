package import HostSystem
import COpenSSL
import Synchronization

/// How a text is padded to the size of an RSA modulus before it is encrypted.
package enum EncryptionPadding: Sendable, Hashable {
    case pkcs1v15
    /// The digest of the label, which is empty here, and the one of the mask generation (MGF1).
    case oaep(Digest, mgf1: Digest)
}

/// Decrypts RSA blocks with one key and one padding.
///
/// Everything that does not depend on the block is prepared, as often as threads decrypt at once. Each works on a copy of
/// the key: what libcrypto blinds a secret exponent with belongs to the key, behind a lock, and is made anew every 32
/// times, for which the other threads wait. Implicit rejection stays as this OpenSSL has it: see `rejectsImplicitly`.
package final class BlockDecrypter: Sendable {
    private let original: DecryptionContext
    /// Contexts that no thread works with just now.
    private let idle: Mutex<[DecryptionContext]>
    /// Length of a block in bytes: that of the modulus.
    package let blockLength: Int

    package init(key: borrowing PKey, padding: EncryptionPadding) throws(OpenSSLFailure) {
        let length = try key.signatureLength
        original = try unsafe DecryptionContext(of: key.raw, padding)
        idle = Mutex([])
        blockLength = length
    }

    /// Decrypts one block and appends its text to a buffer.
    ///
    /// With PKCS#1 v1.5 "opened" proves nothing: with implicit rejection any other key opens any block.
    ///
    /// - Parameters:
    ///   - bytes: Where the block is.
    ///   - range: Its place, as long as `blockLength`: libcrypto itself takes shorter ones.
    ///   - text: Needs room for a whole block.
    /// - Returns: Whether the block opened; where not, nothing is appended, for whatever reason.
    /// - Throws: `OpenSSLFailure` where libcrypto could not decide (out of memory); never for a bad block.
    package func decrypt(
        _ bytes: Span<UInt8>,
        in range: Range<Int>,
        into text: inout WipedBuffer
    ) throws(OpenSSLFailure) -> Bool {
        guard range.count == blockLength else { return false }
        guard text.room >= blockLength else { throw OpenSSLFailure("decrypting into too little room") }
        return try withCleanErrorQueue { () throws(OpenSSLFailure) in
            let context = if let kept = idle.withLock({ $0.popLast() }) { kept } else { try original.copy() }
            defer { idle.withLock { $0.append(context) } }
            var answer: Int32 = -1
            let isOpen = unsafe text.append(writtenBy: { room in
                var count = room.count
                answer = unsafe bytes.extracting(range).withUnsafeBufferPointer { block in
                    unsafe EVP_PKEY_decrypt(context.raw, room.baseAddress, &count, block.baseAddress, block.count)
                }
                return answer == 1 ? count : nil
            })
            // 0 is "no", with a record about why that nobody gets to see, unless libcrypto ran out of memory on the
            // way. Below 0 the operation itself is not there.
            if answer < 0 { throw OpenSSLFailure("decrypting") }
            if queueTellsOfAllocation() { throw OpenSSLFailure("finding memory to decrypt") }
            return isOpen
        }
    }
}

/// What libcrypto needs to decrypt; for one thread at a time.
@safe
private final class DecryptionContext: @unchecked Sendable {
    // Counts the key's references, so that the key lives as long as this.
    let raw: OpaquePointer
    private let padding: EncryptionPadding

    init(of key: OpaquePointer, _ padding: EncryptionPadding) throws(OpenSSLFailure) {
        self.padding = padding
        unsafe raw = try unsafe withCleanErrorQueue { () throws(OpenSSLFailure) in
            guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, key, nil) else {
                throw OpenSSLFailure("preparing a decryption")
            }
            guard unsafe EVP_PKEY_decrypt_init(context) == 1, unsafe setPadding(padding, in: context) else {
                let failure = OpenSSLFailure("preparing a decryption")
                unsafe EVP_PKEY_CTX_free(context)
                throw failure
            }
            return unsafe context
        }
    }

    deinit {
        unsafe EVP_PKEY_CTX_free(raw)
    }

    /// The same with a key of its own.
    func copy() throws(OpenSSLFailure) -> DecryptionContext {
        guard let key = unsafe EVP_PKEY_dup(EVP_PKEY_CTX_get0_pkey(raw)) else {
            throw OpenSSLFailure("copying a key to decrypt with")
        }
        defer { unsafe EVP_PKEY_free(key) }
        return try unsafe DecryptionContext(of: key, padding)
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
