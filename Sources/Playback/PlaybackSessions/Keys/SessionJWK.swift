import EntitlementKeys
import OpenSSLBridge
import TextCodecs

/// The numbers of a public RSA key, as a JSON Web Key has them (RFC 7518 §6.3.1).
struct SessionJWK {
    private let modulus: String
    private let exponent: String

    init(_ key: VerificationKey) throws(OpenSSLFailure) {
        let information = key.subjectPublicKeyInfo[...]
        let numbers = try PKey(subjectPublicKeyInfo: information.span).rsaPublicNumbers
        (modulus, exponent) = (Base64.encodeURLSafe(numbers.modulus), Base64.encodeURLSafe(numbers.exponent))
    }

    /// What the thumbprint of the key is the hash of: the required members in the order of the alphabet (RFC 7638 §3.2).
    var thumbprintInput: [UInt8] {
        var object = JSONWriter(escaping: .minimal)
        object.member("e", exponent)
        object.member("kty", "RSA")
        object.member("n", modulus)
        return object.finished
    }

    /// The key as a member of a set (RFC 7517 §4).
    func member(id: String) -> JSONWriter {
        var object = JSONWriter(escaping: .minimal)
        object.member("kty", "RSA")
        object.member("use", "sig")
        object.member("alg", SessionAlgorithm.rs256.rawValue)
        object.member("kid", id)
        object.member("n", modulus)
        object.member("e", exponent)
        return object
    }
}
