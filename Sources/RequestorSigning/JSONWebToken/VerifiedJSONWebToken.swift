import TextCodecs
public import EntitlementKeys

/// A JSON Web Token whose signature is good and which says what was expected, at the time it was verified.
///
/// Only a verifier makes one.
public struct VerifiedJSONWebToken: Sendable {
    /// The header's members.
    public let header: ClaimSet
    /// What the token says.
    public let claims: JSONWebTokenClaims
    /// The trusted key that signed it.
    public let key: VerificationKey

    init(header: ClaimSet, claims: JSONWebTokenClaims, key: VerificationKey) {
        self.header = header
        self.claims = claims
        self.key = key
    }

    /// The key's name in the signer's words (`kid`); it was not used to choose a key.
    public var keyID: String? { header["kid"]?.string }
}

extension VerifiedJSONWebToken: CustomStringConvertible {
    /// Everything but the subject, which may be a person.
    public var description: String { "verified JSON Web Token (\(claims))" }
}

/// Never decide anything with this: nobody has checked who wrote it.
///
/// Takes a JSON Web Token apart without any key, to see what is in it: when an access token expires, what a software
/// statement allows. To rely on it, verify it with ``JSONWebTokenVerifier``.
public struct UnverifiedJSONWebToken: Sendable {
    /// The header's members.
    public let header: ClaimSet
    /// `alg`: the algorithm that the token names.
    public let algorithm: String
    /// The key's name in the signer's words (`kid`).
    public let keyID: String?
    /// The claims as they stand.
    public let payload: ClaimSet
    /// The claims by their types, or why a verifier would refuse them even under a good signature.
    public let claims: Result<JSONWebTokenClaims, RequestorSigningError>
    /// Length of the signature in bytes; for RSA, a signing key has eight times as many bits.
    public let signatureLength: Int

    /// Takes a token apart.
    ///
    /// - Parameters:
    ///   - text: Header, payload and signature between dots, and nothing around them.
    ///   - maximumLength: The longest text that is read, in bytes.
    /// - Throws: `.tooLarge` or `.malformed` where the text cannot be taken apart.
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
    /// Says first that nobody checked it; everything but the subject, which may be a person.
    public var description: String {
        switch claims {
        case .success(let claims): "UNVERIFIED JSON Web Token (\(algorithm.printable), \(claims))"
        case .failure(let error): "UNVERIFIED JSON Web Token (\(algorithm.printable), \(error))"
        }
    }
}
