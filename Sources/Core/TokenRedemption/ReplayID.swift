import OpenSSLBridge
import TextCodecs

/// Identifies a token for one-time use: SHA-256 of the bytes that were signed.
///
/// All spellings of a token have the same ID. What encloses the signed bytes, such as Base64 or the text of the
/// signature, is not signed, and a client can change it. The ID is not a secret, and nothing about the token can be
/// read from it.
public struct ReplayID: Sendable, Hashable {
    let digest: SHA256Digest

    /// Wraps a digest of 32 bytes; `nil` for any other length.
    ///
    /// - Parameter digest: The digest.
    public init?(digest: Span<UInt8>) {
        guard digest.count == 32 else { return nil }
        self.digest = SHA256Digest(digest)
    }

    /// Wraps a digest given as an array of 32 bytes; `nil` for any other length.
    ///
    /// - Parameter digest: The digest.
    public init?(digest: [UInt8]) {
        let slice = digest[...]
        self.init(digest: slice.span)
    }

    /// Reads an ID as ``description`` writes it; `nil` for anything but 64 hexadecimal digits, in either case.
    ///
    /// - Parameter digits: The digits.
    public init?(hexadecimal digits: String) {
        let values = digits.utf8.compactMap(\.hexDigitValue)
        guard values.count == 64, digits.utf8.count == 64 else { return nil }
        self.init(digest: stride(from: 0, to: 64, by: 2).map { values[$0] << 4 | values[$0 + 1] })
    }

    init(_ digest: SHA256Digest) {
        self.digest = digest
    }

    /// The 32 bytes, for stores of your own.
    public var bytes: [UInt8] {
        [digest.words.0, digest.words.1, digest.words.2, digest.words.3].flatMap { word in
            stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
        }
    }
}

extension ReplayID: CustomStringConvertible {
    /// The bytes as 64 lower-case hexadecimal digits.
    public var description: String { Hex.encode(bytes) }
}
