import COpenSSL

/// Names a digest for signatures.
package enum Digest: Sendable {
    case sha256
    /// For verifying what old issuers signed; never for new signatures without being asked.
    case legacySHA1

    package var length: Int {
        switch self {
        case .sha256: 32
        case .legacySHA1: 20
        }
    }

    /// DigestInfo in DER up to the digest itself (RFC 8017 §9.2, note 1).
    var information: [UInt8] {
        switch self {
        case .sha256:
            [
                0x30, 0x31, 0x30, 0x0D, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00,
                0x04, 0x20,
            ]
        case .legacySHA1: [0x30, 0x21, 0x30, 0x09, 0x06, 0x05, 0x2B, 0x0E, 0x03, 0x02, 0x1A, 0x05, 0x00, 0x04, 0x14]
        }
    }

    /// Hashes a part of some bytes.
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

    /// The algorithm, fetched once per process: fetching costs more than hashing a token.
    var fetched: FetchedDigest {
        switch self {
        case .sha256: fetchedSHA256
        case .legacySHA1: fetchedSHA1
        }
    }
}

/// Holds a SHA-256 digest in place: no memory of its own.
package struct SHA256Digest: Sendable, Hashable {
    /// The first eight bytes, and so on, each as a big-endian number.
    package let words: (UInt64, UInt64, UInt64, UInt64)

    /// Takes over the 32 bytes of a digest.
    package init(_ bytes: Span<UInt8>) {
        words = (bytes.word(at: 0), bytes.word(at: 8), bytes.word(at: 16), bytes.word(at: 24))
    }

    package static func == (left: Self, right: Self) -> Bool { left.words == right.words }

    /// Digests are as good as random already: one word tells enough.
    package func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}

extension Span<UInt8> {
    fileprivate func word(at start: Int) -> UInt64 {
        var word: UInt64 = 0
        for index in start..<start + 8 { word = word << 8 | UInt64(self[index]) }
        return word
    }
}

/// Keeps an algorithm for the life of the process.
///
/// Where the fetch failed the pointer is `nil`, and every use of it fails in libcrypto with an error.
@safe
struct FetchedDigest: @unchecked Sendable {
    // An EVP_MD is reference counted and never changes after the fetch, so all threads may use one.
    let pointer: OpaquePointer?

    fileprivate init(_ name: String) {
        unsafe pointer = EVP_MD_fetch(nil, name, nil)
        ERR_clear_error()
    }
}

private let fetchedSHA256 = FetchedDigest("SHA256")
private let fetchedSHA1 = FetchedDigest("SHA1")
