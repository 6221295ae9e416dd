package import OpenSSLBridge

/// Says how a value was padded before it was encrypted.
///
/// The service uses PKCS#1 v1.5 and says so nowhere. One decrypter has one padding: falling back from one to another
/// would help an attacker more than anybody else.
@nonexhaustive
public enum MetadataPadding: Sendable, Hashable, CaseIterable {
    /// PKCS#1 v1.5 (RFC 8017 §7.2): what is on the wire. See <doc:DecryptingUserMetadata> for its dangers.
    case insecurePKCS1v15
    /// OAEP (RFC 8017 §7.1) with SHA-1, also for MGF1; empty label.
    case oaepSHA1
    /// OAEP with SHA-256, also for MGF1; empty label.
    case oaepSHA256
    /// OAEP with SHA-256, and MGF1 with SHA-1; empty label.
    ///
    /// What Java makes of `OAEPWithSHA-256AndMGF1Padding` where it is not told otherwise.
    case oaepSHA256MGF1SHA1

    package var scheme: EncryptionPadding {
        switch self {
        case .insecurePKCS1v15: .pkcs1v15
        case .oaepSHA1: .oaep(.legacySHA1, mgf1: .legacySHA1)
        case .oaepSHA256: .oaep(.sha256, mgf1: .sha256)
        case .oaepSHA256MGF1SHA1: .oaep(.sha256, mgf1: .legacySHA1)
        }
    }
}
