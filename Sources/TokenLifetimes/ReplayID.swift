import EntitlementValues
import OpenSSLBridge

/// Tells tokens apart: SHA-256 of the octets that were signed.
///
/// Every spelling of a token has the same one: what encloses the signed octets, such as Base64 or the signature's text, is
/// not signed, and whoever holds a token can change it. It is no secret, and says nothing of the token.
public struct ReplayID: Sendable, Hashable {
    let digest: SHA256Digest

    /// Wraps a digest of 32 octets; `nil` for any other length.
    public init?(digest: Span<UInt8>) {
        guard digest.count == 32 else { return nil }
        self.digest = SHA256Digest(digest)
    }

    init(_ digest: SHA256Digest) {
        self.digest = digest
    }

    /// The 32 octets, for stores of your own.
    public var octets: [UInt8] {
        [digest.words.0, digest.words.1, digest.words.2, digest.words.3].flatMap { word in
            stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
        }
    }
}

extension ReplayID: CustomStringConvertible {
    /// The octets as 64 lower-case hexadecimal digits.
    public var description: String { hexadecimal(octets) }
}
