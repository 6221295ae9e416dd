import TextCodecs
public import EntitlementValues
import OpenSSLBridge

/// Names the device that entitlements are bound to, as tokens spell it.
///
/// It stands for a person's device: keep it out of logs.
public struct DeviceID: EntitlementIdentifier {
    /// As it stands in tokens.
    public let rawValue: String

    /// Takes the text as it is.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// Makes the ID that tokens of native clients carry: SHA-1 of the `device_id` parameter as text, in lowercase
    /// hexadecimal digits.
    ///
    /// Browser tokens carry the parameter itself. `nil` where libcrypto could not hash.
    public init?(hashing parameter: String) {
        let bytes = Array(parameter.utf8)
        guard let digest = try? Digest.legacySHA1.hash(bytes.span, in: 0..<bytes.count) else { return nil }
        rawValue = Hex.encode(digest)
    }
}
