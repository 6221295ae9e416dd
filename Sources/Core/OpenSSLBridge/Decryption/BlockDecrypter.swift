import COpenSSL
package import HostSystem
import Synchronization

/// Decrypts RSA blocks with one key and one padding.
///
/// Everything that does not depend on the block is prepared once for each thread that decrypts at the same time. Each
/// works on its own copy of the key: libcrypto blinds the secret exponent with a factor that belongs to the key and is
/// made anew every 32 times under a lock, for which the other threads would wait.
///
/// Implicit rejection is left as this OpenSSL has it; see `rejectsImplicitly`.
package final class BlockDecrypter: Sendable {
    private let original: DecryptionContext
    /// Contexts that no thread uses at the moment.
    private let idle: Mutex<[DecryptionContext]>
    /// Length of a block in bytes: that of the modulus.
    package let blockLength: Int

    /// Prepares a private RSA key for one padding.
    package init(key: borrowing PKey, padding: EncryptionPadding) throws(OpenSSLFailure) {
        let length = try key.signatureLength
        original = try unsafe DecryptionContext(of: key.raw, padding: padding)
        idle = Mutex([])
        blockLength = length
    }

    /// Decrypts one block, appends its text to a buffer with room for a whole block, and tells whether the block
    /// opened.
    ///
    /// If it did not, nothing is appended, and the reason is not told. With PKCS#1 v1.5, success proves nothing: under
    /// implicit rejection every key opens every block.
    ///
    /// A range whose length is not `blockLength` is refused, which libcrypto does not do. Throws if libcrypto could not
    /// decide (out of memory); never for a bad block.
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
            // 0 is "no", unless libcrypto ran out of memory on the way; its record of the reason is discarded, so that
            // no caller can tell one bad block from another. Below 0, the operation itself is not available.
            if answer < 0 { throw OpenSSLFailure("decrypting") }
            if hasAllocationFailure() { throw OpenSSLFailure("finding memory to decrypt") }
            return isOpen
        }
    }
}

/// A prepared decryption (`EVP_PKEY_CTX`), for one thread at a time.
@safe
private final class DecryptionContext: @unchecked Sendable {
    // It holds a reference to the key, so the key lives as long as the context.
    let raw: OpaquePointer
    private let padding: EncryptionPadding

    init(of key: OpaquePointer, padding: EncryptionPadding) throws(OpenSSLFailure) {
        self.padding = padding
        unsafe raw = try unsafe withCleanErrorQueue { () throws(OpenSSLFailure) in
            guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, key, nil) else {
                throw OpenSSLFailure("preparing a decryption")
            }
            guard unsafe EVP_PKEY_decrypt_init(context) == 1, unsafe padding.set(in: context) else {
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

    /// Prepares the same decryption with a copy of the key.
    func copy() throws(OpenSSLFailure) -> DecryptionContext {
        guard let key = unsafe EVP_PKEY_dup(EVP_PKEY_CTX_get0_pkey(raw)) else {
            throw OpenSSLFailure("copying a key to decrypt with")
        }
        defer { unsafe EVP_PKEY_free(key) }
        return try unsafe DecryptionContext(of: key, padding: padding)
    }
}
