import EntitlementValues
package import OpenSSLBridge
import TextCodecs

/// Shares one key of libcrypto between copies of the public key types.
package final class KeyStorage: Sendable {
    package let key: PKey

    init(_ key: consuming PKey) {
        self.key = key
    }
}

extension PKey {
    /// SHA-256 of the SubjectPublicKeyInfo in DER, in hexadecimal digits: the same for a key and its certificate.
    var fingerprint: String {
        get throws(OpenSSLFailure) { try publicKeyFingerprint(of: subjectPublicKeyInfo) }
    }
}

/// Computes SHA-256 of a SubjectPublicKeyInfo in DER, in hexadecimal digits.
func publicKeyFingerprint(of information: [UInt8]) throws(OpenSSLFailure) -> String {
    Hex.encode(try Digest.sha256.hash(information))
}

/// Writes a SubjectPublicKeyInfo in DER as PEM (RFC 7468): lines of 64 characters.
func pem(ofPublicKey information: [UInt8]) -> String {
    let text = Array(Base64.encode(information).utf8)
    var lines = ["-----BEGIN PUBLIC KEY-----"]
    for start in stride(from: 0, to: text.count, by: 64) {
        lines.append(String(decoding: text[start..<min(start + 64, text.count)], as: UTF8.self))
    }
    lines.append("-----END PUBLIC KEY-----")
    return lines.joined(separator: "\n") + "\n"
}

/// The dates of a certificate, which are shown and not enforced.
typealias Validity = ClosedRange<Timestamp>

extension ClosedRange<Timestamp> {
    /// Reads the dates of a certificate; `nil` if the last is before the first.
    init?(of certificate: Certificate) throws(OpenSSLFailure) {
        let dates = try certificate.validity()
        let epoch = Timestamp(milliseconds: 0)
        let (first, last) = (epoch + .seconds(dates.notBefore), epoch + .seconds(dates.notAfter))
        guard first <= last else { return nil }
        self = first...last
    }
}
