public import EntitlementKeys
public import TextCodecs

/// A JSON Web Token that passed every check at the time it was verified.
///
/// Only a verifier makes one.
public struct VerifiedJSONWebToken: Sendable {
    /// The header's members.
    public let header: JSON.Object
    /// The claims.
    public let claims: JSONWebTokenClaims
    /// The trusted key that signed it.
    public let key: VerificationKey

    init(header: JSON.Object, claims: JSONWebTokenClaims, key: VerificationKey) {
        self.header = header
        self.claims = claims
        self.key = key
    }

    /// The name that the signer gave the key (`kid`), which was not used to select a key.
    public var keyID: String? { header["kid"]?.string }
}

extension VerifiedJSONWebToken: CustomStringConvertible {
    /// The claims without the subject, which may be a person.
    public var description: String { "verified JSON Web Token (\(claims))" }
}

/// Never decide anything with this: its signature was not checked.
///
/// Takes a JSON Web Token apart without a key, for example to show when an access token expires. To rely on a token,
/// verify it with ``JSONWebTokenVerifier``.
public struct UnverifiedJSONWebToken: Sendable {
    /// The header's members.
    public let header: JSON.Object
    /// `alg`: the algorithm that the token names.
    public let algorithm: String
    /// The name that the signer gave the key (`kid`).
    public let keyID: String?
    /// All claims, not interpreted.
    public let payload: JSON.Object
    /// The claims by their types, or why a verifier would refuse them even under a good signature.
    public let claims: Result<JSONWebTokenClaims, RequestorSigningError>
    /// Length of the signature in bytes; for RSA, a signing key has eight times as many bits.
    public let signatureLength: Int

    /// Takes a token apart.
    ///
    /// - Parameters:
    ///   - text: The token in compact form: header, payload and signature, separated by dots.
    ///   - maximumLength: The maximum length of the text, in bytes.
    /// - Throws: `.tooLarge` or `.malformed` if the text cannot be taken apart.
    public init(
        parsing text: String,
        maximumLength: Int = JSONWebTokenPolicy.standard.maximumLength
    ) throws(RequestorSigningError) {
        let token = try text.withBytes { bytes throws(RequestorSigningError) in
            try CompactToken(bytes, maximumLength: maximumLength)
        }
        header = token.header
        algorithm = token.algorithm
        keyID = token.keyID
        signatureLength = token.signature.count
        let payload = try CompactToken.object(token.payload, .payload)
        self.payload = payload
        do throws(RequestorSigningError) {
            claims = .success(try JSONWebTokenClaims(payload))
        } catch {
            claims = .failure(error)
        }
    }
}

extension UnverifiedJSONWebToken: CustomStringConvertible {
    /// The word UNVERIFIED, and the claims without the subject, which may be a person.
    public var description: String {
        switch claims {
        case .success(let claims): "UNVERIFIED JSON Web Token (\(algorithm.printable), \(claims))"
        case .failure(let error): "UNVERIFIED JSON Web Token (\(algorithm.printable), \(error))"
        }
    }
}
