public import EntitlementKeys
package import OpenSSLBridge

/// The outcome of a verification, with everything that was established on the way.
///
/// For a route that logs each verdict, or that answers a refusal with its details: start the stream in the `success` of
/// ``result`` alone. Where a refusal is an error like others, use `verify`, which returns the token or throws.
public struct MediaTokenVerdict: Sendable {
    /// The verified token, or why there is none.
    public let result: Result<VerifiedMediaToken, MediaTokenError>
    /// What the token says, if its signature is good and its fields can be read, even if a later check failed.
    public let authenticClaims: MediaTokenClaims?
    /// The trusted key that signed the token, if its signature is good.
    public let key: VerificationKey?
    /// SHA-256 of the signed bytes, if the signature is good.
    package let signedDigest: SHA256Digest?

    /// The same verdict, refused by a check that comes after all others, such as one-time use.
    package func refused(_ error: MediaTokenError) -> MediaTokenVerdict {
        MediaTokenVerdict(
            result: .failure(error), authenticClaims: authenticClaims, key: key, signedDigest: signedDigest)
    }

    /// The status, as the Java verifier names it.
    public var status: MediaTokenStatus {
        switch result {
        case .success: .validToken
        case .failure(let error): error.status
        }
    }

    /// The stable name of the outcome: `valid`, or the error's code.
    public var code: String {
        switch result {
        case .success: "valid"
        case .failure(let error): error.code
        }
    }

    /// One line for a person to read: until when the token is valid, or the error's description.
    public var detail: String {
        switch result {
        case .success(let token): "valid until \(token.expires)"
        case .failure(let error): error.description
        }
    }
}
