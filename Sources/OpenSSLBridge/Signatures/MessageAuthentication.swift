import COpenSSL

/// Computes an HMAC (RFC 2104) over some bytes.
package func authenticationCode(
    of message: Span<UInt8>,
    key: Span<UInt8>,
    digest: Digest
) throws(OpenSSLFailure) -> [UInt8] {
    // libcrypto takes the key's length as a C int, and an absent key as a wish to go on with the last one.
    guard !key.isEmpty, let keyLength = Int32(exactly: key.count) else {
        throw OpenSSLFailure("authenticating with a key of \(key.count) bytes")
    }
    return try withCleanErrorQueue { () throws(OpenSSLFailure) in
        var count: UInt32 = 0
        var isDone = false
        let code = [UInt8](capacity: Int(EVP_MAX_MD_SIZE)) { output in
            unsafe output.withUnsafeMutableBufferPointer { buffer, initialized in
                unsafe key.withUnsafeBufferPointer { key in
                    unsafe message.withUnsafeBufferPointer { message in
                        isDone =
                            unsafe HMAC(
                                digest.fetched.pointer, key.baseAddress, keyLength, message.baseAddress,
                                message.count, buffer.baseAddress, &count) != nil
                    }
                }
                initialized = isDone ? Int(count) : 0
            }
        }
        guard isDone, code.count == digest.length else { throw OpenSSLFailure("authenticating") }
        return code
    }
}

/// Compares bytes in a time that depends on their count alone.
package func isEqualInConstantTime(_ one: Span<UInt8>, _ other: Span<UInt8>) -> Bool {
    guard one.count == other.count else { return false }
    return unsafe one.withUnsafeBufferPointer { one in
        unsafe other.withUnsafeBufferPointer { other in
            // Nothing to compare has no address either, and memcmp wants one.
            guard let start = one.baseAddress, let otherStart = other.baseAddress else { return true }
            return unsafe CRYPTO_memcmp(start, otherStart, one.count) == 0
        }
    }
}
