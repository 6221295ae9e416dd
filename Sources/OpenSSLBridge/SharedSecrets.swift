import COpenSSL
package import HostSystem

/// Draws unpredictable bytes from libcrypto's generator.
///
/// - Parameter count: How many bytes are drawn.
/// - Returns: The bytes.
/// - Throws: `OpenSSLFailure` if the count is negative or the generator fails.
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

/// Computes an HMAC (RFC 2104).
///
/// - Parameters:
///   - message: The bytes to authenticate.
///   - key: At least one byte.
///   - digest: The hash function.
/// - Returns: As many bytes as the digest has.
/// - Throws: `OpenSSLFailure`, also for an empty key.
package func authenticationCode(
    of message: [UInt8],
    key: WipedBytes,
    digest: Digest
) throws(OpenSSLFailure) -> [UInt8] {
    let code = try [UInt8](capacity: Int(EVP_MAX_MD_SIZE)) { output throws(OpenSSLFailure) in
        try authenticate(message, key: key, digest: digest, into: &output)
    }
    guard code.count == digest.length else { throw OpenSSLFailure("authenticating") }
    return code
}

/// Derives a key from another one: the HMAC (RFC 2104) of some bytes, in memory that is wiped when released.
///
/// - Parameters:
///   - message: The bytes that tell this key from others.
///   - key: At least one byte.
///   - digest: The hash function.
/// - Returns: As many bytes as the digest has.
/// - Throws: `OpenSSLFailure`, also for an empty key.
package func derivedKey(
    from message: [UInt8],
    key: WipedBytes,
    digest: Digest
) throws(OpenSSLFailure) -> WipedBytes {
    let derived = try WipedBytes(capacity: Int(EVP_MAX_MD_SIZE)) { output throws(OpenSSLFailure) in
        try authenticate(message, key: key, digest: digest, into: &output)
    }
    guard derived.count == digest.length else { throw OpenSSLFailure("deriving a key") }
    return derived
}

/// Writes an HMAC; there must be room for the longest one.
private func authenticate(
    _ message: [UInt8],
    key: WipedBytes,
    digest: Digest,
    into output: inout OutputSpan<UInt8>
) throws(OpenSSLFailure) {
    // libcrypto takes the key's length as a C int, and reads an absent key as "go on with the last one".
    guard key.count > 0, let keyLength = Int32(exactly: key.count) else {
        throw OpenSSLFailure("authenticating with a key of \(key.count) bytes")
    }
    try withCleanErrorQueue { () throws(OpenSSLFailure) in
        var count: UInt32 = 0
        var isDone = false
        unsafe output.withUnsafeMutableBufferPointer { buffer, initialized in
            isDone = key.withSpan { key in
                unsafe key.withUnsafeBufferPointer { key in
                    unsafe HMAC(
                        digest.fetched.pointer, key.baseAddress, keyLength, message, message.count,
                        buffer.baseAddress, &count) != nil
                }
            }
            initialized = isDone ? Int(count) : 0
        }
        guard isDone else { throw OpenSSLFailure("authenticating") }
    }
}

/// Compares bytes in a time that depends only on their count.
///
/// - Parameters:
///   - one: Bytes, such as an authentication code that came with a request.
///   - other: The bytes that they should equal.
/// - Returns: Whether both have the same count and the same bytes.
package func isEqualInConstantTime(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    unsafe one.count == other.count && CRYPTO_memcmp(one, other, one.count) == 0
}
