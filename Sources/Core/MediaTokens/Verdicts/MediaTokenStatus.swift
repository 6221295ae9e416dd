/// The outcome of a verification, as the Java verifier names it, with three additions.
///
/// Source: the table of outcomes on the page on media tokens in the service's public documentation.
@nonexhaustive
public enum MediaTokenStatus: String, Sendable, Hashable, CaseIterable {
    /// The signature is good and every check passed.
    case validToken = "VALID_TOKEN"
    /// The text cannot be a media token.
    case invalidTokenFormat = "INVALID_TOKEN_FORMAT"
    /// No trusted key signed the text.
    case invalidSignature = "INVALID_SIGNATURE"
    /// The token has expired.
    case tokenExpired = "TOKEN_EXPIRED"
    /// The token's issue time is in the future; the Java verifier has no such status.
    case tokenNotYetValid = "TOKEN_NOT_YET_VALID"
    /// The token is for another resource.
    case invalidResourceID = "INVALID_RESOURCE_ID"
    /// The token is for another requestor; the Java verifier has no such status.
    case invalidRequestorID = "INVALID_REQUESTOR_ID"
    /// The token was used before; the Java verifier has no such status.
    case tokenReplayed = "TOKEN_REPLAYED"
    /// No decision could be made: do not start the stream.
    case errorUnknown = "ERROR_UNKNOWN"

    /// The HTTP status that a service answers with.
    public var httpStatus: Int {
        switch self {
        case .validToken: 200
        case .invalidTokenFormat, .invalidSignature, .tokenExpired, .tokenNotYetValid: 401
        case .invalidResourceID, .invalidRequestorID, .tokenReplayed: 403
        case .errorUnknown: 503
        }
    }

    /// The exit code of the command line.
    public var exitCode: Int32 {
        switch self {
        case .validToken: 0
        case .invalidTokenFormat: 10
        case .invalidSignature: 11
        case .tokenExpired: 12
        case .tokenNotYetValid: 13
        case .invalidResourceID: 14
        case .invalidRequestorID: 15
        case .tokenReplayed: 16
        case .errorUnknown: 69
        }
    }
}

extension MediaTokenStatus: CustomStringConvertible {
    /// The raw value, for example `TOKEN_EXPIRED`.
    public var description: String { rawValue }
}
