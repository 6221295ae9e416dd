import COpenSSL
package import HostSystem

/// Draws unpredictable bytes from libcrypto's generator.
///
/// Throws if the count is negative or the generator fails.
package func randomBytes(_ count: Int) throws(OpenSSLFailure) -> [UInt8] {
    guard count >= 0, let length = Int32(exactly: count) else { throw OpenSSLFailure("drawing \(count) random bytes") }
    return try withCleanErrorQueue { () throws(OpenSSLFailure) in
        var isDone = false
        let bytes = [UInt8](capacity: count) { output in
            unsafe output.withUnsafeMutableBufferPointer { buffer, initialized in
                isDone = unsafe RAND_bytes(buffer.baseAddress, length) == 1
                initialized = isDone ? count : 0
            }
        }
        guard isDone else { throw OpenSSLFailure("drawing random bytes") }
        return bytes
    }
}

/// A key of HMACs (RFC 2104), made ready once: with each message, libcrypto would look up its algorithms and hash the key
/// again, which takes longer than a short message.
@safe
package final class AuthenticationKey: @unchecked Sendable {
    /// The key itself.
    package let bytes: WipedBytes
    private let digest: Digest
    // It is only copied, which changes nothing in it, so all threads may use one. `nil` if it could not be made.
    private let prepared: OpaquePointer?

    /// Takes a key of at least one byte.
    ///
    /// One that libcrypto does not take, such as an empty one, authenticates nothing: each use fails.
    package init(_ bytes: WipedBytes, digest: Digest) {
        (self.bytes, self.digest) = (bytes, digest)
        unsafe prepared = Self.prepare(bytes, digest)
        ERR_clear_error()
    }

    private static func prepare(_ bytes: WipedBytes, _ digest: Digest) -> OpaquePointer? {
        // libcrypto reads an absent key as "go on with the last one".
        guard bytes.count > 0, let name = unsafe EVP_MD_get0_name(digest.fetched.pointer),
            let algorithm = unsafe EVP_MAC_fetch(nil, OSSL_MAC_NAME_HMAC, nil)
        else { return nil }
        // The context keeps the algorithm.
        defer { unsafe EVP_MAC_free(algorithm) }
        guard let context = unsafe EVP_MAC_CTX_new(algorithm) else { return nil }
        // The parameter holds the address of its name, which must be there until libcrypto has read it.
        let isReady = unsafe OSSL_MAC_PARAM_DIGEST.withCString { parameter in
            // libcrypto only reads the digest's name.
            let parameters = unsafe [
                OSSL_PARAM_construct_utf8_string(parameter, UnsafeMutablePointer(mutating: name), 0),
                OSSL_PARAM_construct_end(),
            ]
            return bytes.withSpan { key in
                unsafe key.withUnsafeBufferPointer { key in
                    unsafe EVP_MAC_init(context, key.baseAddress, key.count, parameters) == 1
                }
            }
        }
        guard isReady else {
            unsafe EVP_MAC_CTX_free(context)
            return nil
        }
        return unsafe context
    }

    deinit {
        // Wipes the key, too.
        unsafe EVP_MAC_CTX_free(prepared)
    }

    /// Computes the HMAC of some bytes, which is as long as the digest.
    ///
    /// Throws also for an empty key.
    package func code(of message: [UInt8]) throws(OpenSSLFailure) -> [UInt8] {
        try [UInt8](capacity: digest.length) { output throws(OpenSSLFailure) in
            try authenticate(message, into: &output)
        }
    }

    /// Derives a key from this one: the HMAC of some bytes, in memory that is wiped when released.
    ///
    /// The bytes tell this key from others that are derived. Throws also for an empty key.
    package func derivedKey(from message: [UInt8]) throws(OpenSSLFailure) -> WipedBytes {
        try WipedBytes(capacity: digest.length) { output throws(OpenSSLFailure) in
            try authenticate(message, into: &output)
        }
    }

    private func authenticate(
        _ message: [UInt8],
        into output: inout OutputSpan<UInt8>
    ) throws(OpenSSLFailure) {
        try withCleanErrorQueue { () throws(OpenSSLFailure) in
            guard let prepared = unsafe prepared, let context = unsafe EVP_MAC_CTX_dup(prepared) else {
                throw OpenSSLFailure("preparing a key of \(bytes.count) bytes to authenticate")
            }
            defer { unsafe EVP_MAC_CTX_free(context) }
            var isDone = false
            unsafe output.withUnsafeMutableBufferPointer { buffer, initialized in
                var count = 0
                isDone =
                    unsafe EVP_MAC_update(context, message, message.count) == 1
                    && EVP_MAC_final(context, buffer.baseAddress, &count, buffer.count) == 1
                    && count == digest.length
                initialized = isDone ? count : 0
            }
            guard isDone else { throw OpenSSLFailure("authenticating") }
        }
    }
}

extension AuthenticationKey: CustomReflectable {
    /// Empty: nothing of the key is shown to debuggers and dumps.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Compares bytes, such as a code that came with a request with the expected one, in a time that depends only on their
/// count.
package func isEqualInConstantTime(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    unsafe one.count == other.count && CRYPTO_memcmp(one, other, one.count) == 0
}
