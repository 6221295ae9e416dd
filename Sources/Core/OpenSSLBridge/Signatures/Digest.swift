import COpenSSL
import TextCodecs

/// A digest for signatures and authentication codes.
package enum Digest: Sendable {
    case sha256
    /// SHA-1, which resists no collisions: to verify what old issuers signed, and to speak old protocols.
    case insecureSHA1

    /// Length of the digest in bytes.
    package var length: Int {
        switch self {
        case .sha256: 32
        case .insecureSHA1: 20
        }
    }

    /// The start of a DigestInfo in DER, up to the digest itself (RFC 8017 §9.2, note 1).
    package var digestInfoPrefix: [UInt8] {
        switch self {
        case .sha256:
            [
                0x30, 0x31, 0x30, 0x0D, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00,
                0x04, 0x20,
            ]
        case .insecureSHA1: [0x30, 0x21, 0x30, 0x09, 0x06, 0x05, 0x2B, 0x0E, 0x03, 0x02, 0x1A, 0x05, 0x00, 0x04, 0x14]
        }
    }

    /// Hashes a range of some bytes.
    package func hash(_ bytes: Span<UInt8>, in range: Range<Int>) throws(OpenSSLFailure) -> [UInt8] {
        try withCleanErrorQueue { () throws(OpenSSLFailure) in
            let algorithm = unsafe fetched.pointer
            var count: UInt32 = 0
            var isDone = false
            let digest = unsafe [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) { buffer, initialized in
                unsafe bytes.extracting(range).withUnsafeBufferPointer { source in
                    isDone =
                        unsafe EVP_Digest(
                            source.baseAddress, source.count, buffer.baseAddress, &count, algorithm, nil) == 1
                }
                initialized = isDone ? Int(count) : 0
            }
            guard isDone, digest.count == length else { throw OpenSSLFailure("hashing") }
            return digest
        }
    }

    /// Hashes all of some bytes.
    package func hash(_ bytes: [UInt8]) throws(OpenSSLFailure) -> [UInt8] {
        let slice = bytes[...]
        return try hash(slice.span, in: 0..<slice.count)
    }

    /// The algorithm, fetched once in a process: fetching costs more than hashing a token.
    var fetched: FetchedDigest {
        switch self {
        case .sha256: fetchedSHA256
        case .insecureSHA1: fetchedSHA1
        }
    }
}

/// A SHA-256 digest in four words, which needs no allocation.
package struct SHA256Digest: Sendable, Hashable {
    /// The digest as four big-endian numbers of eight bytes.
    package let words: (UInt64, UInt64, UInt64, UInt64)

    /// Copies the 32 bytes of a digest.
    package init(_ bytes: Span<UInt8>) {
        words = (bytes.word(at: 0), bytes.word(at: 8), bytes.word(at: 16), bytes.word(at: 24))
    }

    package static func == (left: Self, right: Self) -> Bool { left.words == right.words }

    /// Hashes the first word: digests are evenly distributed, so one word is enough.
    package func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}

extension Span<UInt8> {
    fileprivate func word(at start: Int) -> UInt64 {
        var word: UInt64 = 0
        for index in start..<start + 8 { word = word << 8 | UInt64(self[index]) }
        return word
    }
}

/// Keeps a fetched algorithm for the life of the process.
///
/// If the fetch failed, the pointer is `nil`, and every use of it fails in libcrypto with an error.
@safe
struct FetchedDigest: @unchecked Sendable {
    // An EVP_MD never changes after the fetch, so all threads may use one.
    let pointer: OpaquePointer?

    fileprivate init(_ name: String) {
        unsafe pointer = EVP_MD_fetch(nil, name, nil)
        ERR_clear_error()
    }
}

private let fetchedSHA256 = FetchedDigest("SHA256")
private let fetchedSHA1 = FetchedDigest("SHA1")

/// Hashes with MD5, which protects nothing: the broker makes the subscriber's GUID in media tokens with it, and nginx's
/// `secure_link` takes it.
///
/// Throws, for example, where the system's policy forbids MD5.
package func insecureMD5(_ bytes: [UInt8]) throws(OpenSSLFailure) -> [UInt8] {
    try withCleanErrorQueue { () throws(OpenSSLFailure) in
        var isDone = false
        let digest = [UInt8](capacity: 16) { output in
            unsafe output.withUnsafeMutableBufferPointer { buffer, initialized in
                isDone = unsafe EVP_Digest(bytes, bytes.count, buffer.baseAddress, nil, EVP_md5(), nil) == 1
                initialized = isDone ? 16 : 0
            }
        }
        guard isDone else { throw OpenSSLFailure("hashing with MD5") }
        return digest
    }
}
