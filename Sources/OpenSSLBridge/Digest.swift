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

    /// Hashes a part of some octets.
    package func hash(_ octets: Span<UInt8>, in range: Range<Int>) throws(OpenSSLFailure) -> [UInt8] {
        try withCleanErrorQueue { () throws(OpenSSLFailure) in
            let algorithm = unsafe fetched.pointer
            var count: UInt32 = 0
            var isDone = false
            let digest = [UInt8](capacity: Int(EVP_MAX_MD_SIZE)) { output in
                unsafe output.withUnsafeMutableBufferPointer { buffer, initialized in
                    unsafe octets.extracting(range).withUnsafeBufferPointer { source in
                        isDone =
                            unsafe EVP_Digest(
                                source.baseAddress, source.count, buffer.baseAddress, &count, algorithm, nil) == 1
                    }
                    initialized = isDone ? Int(count) : 0
                }
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
