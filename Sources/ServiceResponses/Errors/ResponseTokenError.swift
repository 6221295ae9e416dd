import TextCodecs
public import EntitlementValues
public import MediaTokens

/// Says why a response's media token does not prove what the response says.
///
/// The checks run in a fixed order — the response itself, the token as `MediaTokenVerifier` checks it, then the token
/// against the response — and the first that fails is the error.
@nonexhaustive
public enum ResponseTokenError: Error, Sendable, Hashable {
    /// The service says no, and sent no token. Its reason, where it gave one.
    case notAuthorized(EnhancedError?)
    /// The service says no, and yet sent a token. The token was not looked at.
    case tokenWithoutAuthorization
    /// The service says yes, and sent no token, as before playback (preauthorization).
    case noToken
    /// The token is not good. Nothing in it is believed.
    case refused(MediaTokenError)
    /// The token is good, and says something else than the response. All differences, in a fixed order.
    case mismatch([ResponseTokenDifference])

    /// The stable name of the error: what programs and log searches should look at.
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

/// Says in what a good media token differs from the response around it.
@nonexhaustive
public enum ResponseTokenDifference: Sendable, Hashable {
    /// The token is for another requestor.
    case requestor(response: RequestorID, token: RequestorID)
    /// The token is for another resource.
    case resource(response: ResourceID, token: ResourceID)
    /// The token is by another provider.
    case mvpd(response: MVPDID, token: MVPDID)
    /// The token starts more than a minute apart from what the response says.
    case start(response: Timestamp, token: Timestamp)
    /// The token ends more than a minute apart from what the response says.
    case end(response: Timestamp, token: Timestamp)
}

extension ResponseTokenError: CustomStringConvertible {
    /// What happened and what to do, in one line, without anything of the token's text.
    public var description: String {
        switch self {
        case .notAuthorized(let error):
            "not authorized\(error.map { ": \($0)" } ?? "")"
        case .tokenWithoutAuthorization:
            "not authorized, and yet there is a token: the response was changed, or the service is wrong; do not play"
        case .noToken:
            "there is no token; ask for authorization, not preauthorization, before playback"
        case .refused(let error):
            error.description
        case .mismatch(let differences):
            "the token is not the one of this response: \(differences.map(\.description).joined(separator: "; "))"
        }
    }
}

extension ResponseTokenDifference: CustomStringConvertible {
    /// Both values, control characters escaped.
    public var description: String {
        switch self {
        case .requestor(let response, let token): differ("requestor", response.rawValue, token.rawValue)
        case .resource(let response, let token): differ("resource", response.rawValue, token.rawValue)
        case .mvpd(let response, let token): differ("MVPD", response.rawValue, token.rawValue)
        case .start(let response, let token): differ("start", response.description, token.description)
        case .end(let response, let token): differ("end", response.description, token.description)
        }
    }

    private func differ(_ what: String, _ response: String, _ token: String) -> String {
        "the \(what) is \"\(response.printable)\" in the response and \"\(token.printable)\" in the token"
    }
}
