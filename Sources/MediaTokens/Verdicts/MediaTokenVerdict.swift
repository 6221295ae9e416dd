public import EntitlementKeys

/// The outcome of a verification, with everything that was established on the way.
///
/// For logs and services that answer more than yes or no. To guard a stream, `verify` is simpler: it throws.
public struct MediaTokenVerdict: Sendable {
    /// The verified token, or why there is none.
    public let result: Result<VerifiedMediaToken, MediaTokenError>
    /// What the token says, where its signature is good and its fields can be read, even if a later check failed.
    public let authenticClaims: MediaTokenClaims?
    /// The trusted key that signed the token, where its signature is good.
    public let key: VerificationKey?

    /// The same, refused by a check that came after all others.
    package func refused(_ error: MediaTokenError) -> MediaTokenVerdict {
        MediaTokenVerdict(result: .failure(error), authenticClaims: authenticClaims, key: key)
    }

    /// The status in the words of the Java verifier.
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

    /// One line for people.
    public var detail: String {
        switch result {
        case .success(let token): "valid until \(token.expires)"
        case .failure(let error): error.description
        }
    }
}
