import TextCodecs
package import OpenSSLBridge

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

/// SHA-256 of a SubjectPublicKeyInfo in DER, in hexadecimal digits.
func publicKeyFingerprint(of information: [UInt8]) throws(OpenSSLFailure) -> String {
    Hex.encode(try Digest.sha256.hash(information.span, in: 0..<information.count))
}

/// What every RSA key must satisfy before it is used for anything.
struct KeyLimits {
    let minimumBits: Int

    /// Public keys: tokens signed with 1024 bits are in use.
    static let verification = KeyLimits(minimumBits: 1024)
    /// Private keys for new signatures.
    static let signing = KeyLimits(minimumBits: 2048)

    /// Refuses what is no RSA key of an acceptable size with a sound exponent.
    ///
    /// An exponent of 1 makes every padded digest its own signature, and OpenSSL verifies it without complaint; sizes
    /// above the limit cost time for nothing. Primes are not tested beyond tiny factors: that takes longer than a thousand
    /// verifications, and the issuer of the key is trusted.
    func check(_ key: borrowing PKey, file: String) throws(KeyError) -> KeyFacts {
        let facts: KeyFacts
        do throws(OpenSSLFailure) {
            facts = try key.facts
        } catch {
            throw .unreadable(file: file, reason: error.description)
        }
        guard facts.algorithm == "RSA" else {
            throw .unsupported(file: file, found: "a key for \(facts.algorithm)", advice: "an RSA key is needed")
        }
        guard facts.bits >= minimumBits else {
            throw .tooSmall(file: file, bits: facts.bits, minimum: minimumBits)
        }
        guard facts.bits <= 8192 else { throw .tooLarge(file: file, bits: facts.bits) }
        guard facts.modulusIsOdd else {
            throw .unsupported(file: file, found: "an RSA key with an even modulus", advice: "the file is damaged")
        }
        guard let exponent = facts.exponent, exponent > 1, exponent % 2 == 1, exponent <= UInt32.max else {
            throw .weakExponent(file: file)
        }
        let factor: Int?
        do throws(OpenSSLFailure) {
            factor = try key.tinyFactor
        } catch {
            throw .unreadable(file: file, reason: error.description)
        }
        if let factor {
            throw .unsupported(
                file: file, found: "an RSA key whose modulus is divisible by \(factor)",
                advice: "it protects nothing; ask its owner for a new one")
        }
        return facts
    }
}
