package import OpenSSLBridge

/// Names the padding that a value was encrypted with.
///
/// The service uses PKCS#1 v1.5, which its documentation does not say. A decrypter has exactly one padding: trying another
/// one after a failure would mostly help an attacker.
///
/// The raw value is the padding's name in commands and configurations.
@nonexhaustive
public enum MetadataPadding: String, Sendable, Hashable, CaseIterable {
    /// PKCS#1 v1.5 (RFC 8017 §7.2), which the service uses.
    ///
    /// Its dangers are in <doc:DecryptingUserMetadata>.
    case insecurePKCS1v15 = "pkcs1"
    /// OAEP (RFC 8017 §7.1) with SHA-1, also for MGF1; empty label.
    case oaepSHA1 = "oaep-sha1"
    /// OAEP with SHA-256, also for MGF1; empty label.
    case oaepSHA256 = "oaep-sha256"
    /// OAEP with SHA-256, but MGF1 with SHA-1; empty label.
    ///
    /// Java's `OAEPWithSHA-256AndMGF1Padding` means this unless its parameters are set.
    case oaepSHA256MGF1SHA1 = "oaep-sha256-mgf1-sha1"

    package var scheme: EncryptionPadding {
        switch self {
        case .insecurePKCS1v15: .pkcs1v15
        case .oaepSHA1: .oaep(.legacySHA1, mgf1: .legacySHA1)
        case .oaepSHA256: .oaep(.sha256, mgf1: .sha256)
        case .oaepSHA256MGF1SHA1: .oaep(.sha256, mgf1: .legacySHA1)
        }
    }
}
