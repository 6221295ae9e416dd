public import EntitlementValues
public import MediaTokens
import TextCodecs

/// The reason why a response's media token does not prove what the response says.
///
/// The checks run in a fixed order, and the first that fails is thrown: the response itself, the token as
/// `MediaTokenVerifier` checks it, then the token against the response.
@nonexhaustive
public enum ResponseTokenError: Error, Sendable, Hashable {
    /// The service does not authorize playback and sent no token; the error says why, if the service sent one.
    case notAuthorized(EnhancedError?)
    /// The service does not authorize playback but sent a token, which was not verified.
    case tokenWithoutAuthorization
    /// The service authorizes playback but sent no token, as for preauthorization.
    case noToken
    /// The token is not valid.
    case refused(MediaTokenError)
    /// The token is valid but differs from the response; all differences, in a fixed order.
    case mismatch([ResponseTokenDifference])

    /// The stable name of the error, for programs and log searches.
    public var code: String {
        switch self {
        case .notAuthorized: "not_authorized"
        case .tokenWithoutAuthorization: "token_without_authorization"
        case .noToken: "no_token"
        case .refused(let error): error.code
        case .mismatch: "token_mismatch"
        }
    }

    /// Every value that `code` can have.
    public static let allCodes =
        ["not_authorized", "token_without_authorization", "no_token", "token_mismatch"] + MediaTokenError.allCodes
}

/// One difference between a valid media token and the response that contains it.
@nonexhaustive
public enum ResponseTokenDifference: Sendable, Hashable {
    /// The token is for another requestor.
    case requestor(response: RequestorID, token: RequestorID)
    /// The token is for another resource.
    case resource(response: ResourceID, token: ResourceID)
    /// The token is from another provider.
    case mvpd(response: MVPDID, token: MVPDID)
    /// The token's start differs from the response's by more than a minute.
    case start(response: Timestamp, token: Timestamp)
    /// The token's end differs from the response's by more than a minute.
    case end(response: Timestamp, token: Timestamp)
}

extension ResponseTokenError: CustomStringConvertible {
    /// What happened and what to do, in one line, without the token.
    public var description: String {
        switch self {
        case .notAuthorized(let error):
            "not authorized\(error.map { ": \($0)" } ?? "")"
        case .tokenWithoutAuthorization:
            "the response has a token but does not authorize playback, so it may have been changed; do not play"
        case .noToken:
            "the response has no token; ask for authorization, not preauthorization, before playback"
        case .refused(let error):
            error.description
        case .mismatch(let differences):
            "the token does not belong to this response: \(differences.map(\.description).joined(separator: "; "))"
        }
    }
}

extension ResponseTokenDifference: CustomStringConvertible {
    /// Both values, which never look the same.
    public var description: String {
        switch self {
        case .requestor(let response, let token):
            difference(of: "requestor", response: response.rawValue, token: token.rawValue)
        case .resource(let response, let token):
            difference(of: "resource", response: response.rawValue, token: token.rawValue)
        case .mvpd(let response, let token):
            difference(of: "MVPD", response: response.rawValue, token: token.rawValue)
        case .start(let response, let token):
            difference(of: "start", response: response.description, token: token.description)
        case .end(let response, let token):
            difference(of: "end", response: response.description, token: token.description)
        }
    }

    private func difference(of field: String, response: String, token: String) -> String {
        let texts = String.quotedApart(response, token)
        return "the \(field) is \(texts.one) in the response and \(texts.other) in the token"
    }
}
