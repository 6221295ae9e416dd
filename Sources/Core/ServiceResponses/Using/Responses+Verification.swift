public import EntitlementValues
public import MediaTokens
import TextCodecs

extension DecisionsResponse {
    /// Verifies the media token of each decision, and compares it with the decision.
    ///
    /// - Parameters:
    ///   - verifier: Has the issuer's keys.
    ///   - requestor: The accepted brands.
    ///   - now: The instant at which the tokens must be valid.
    /// - Returns: One result for each decision, in the order of the response.
    public func verified(
        by verifier: MediaTokenVerifier,
        expecting requestor: Expectation<RequestorID>,
        at now: Timestamp = .now
    ) -> [VerifiedDecision] {
        decisions.map { decision in
            do throws(ResponseTokenError) {
                let token = try decision.verified(by: verifier, expecting: requestor, at: now)
                return VerifiedDecision(decision: decision, result: .success(token))
            } catch {
                return VerifiedDecision(decision: decision, result: .failure(error))
            }
        }
    }
}

/// A decision with the media token that proves it, or the reason why none does.
public struct VerifiedDecision: Sendable {
    /// The service's decision, which is not signed.
    public let decision: Decision
    /// The verified token, which agrees with the decision, or the error.
    public let result: Result<VerifiedMediaToken, ResponseTokenError>
}

extension VerifiedDecision: CustomStringConvertible {
    /// The decision and the outcome, without the token's text.
    public var description: String {
        switch result {
        case .success(let token): "\(decision); \(token)"
        case .failure(let error): "\(decision); \(error)"
        }
    }
}

extension Decision {
    /// Verifies the decision's media token, and compares it with the decision.
    ///
    /// If a decision is authorized but also has an error, its token decides. *Not* checked are whether the token was used
    /// before, and the times of the decision, which are those of the authorization and not of the token.
    ///
    /// - Parameters:
    ///   - verifier: Has the issuer's keys.
    ///   - requestor: The accepted brands.
    ///   - now: The instant at which the token must be valid.
    /// - Returns: The token, which is for the requestor, resource and provider of the decision.
    /// - Throws: `ResponseTokenError` of the first check that failed.
    public func verified(
        by verifier: MediaTokenVerifier,
        expecting requestor: Expectation<RequestorID>,
        at now: Timestamp = .now
    ) throws(ResponseTokenError) -> VerifiedMediaToken {
        guard isAuthorized else { throw token == nil ? .notAuthorized(error) : .tokenWithoutAuthorization }
        guard let token else { throw .noToken }
        // `differences(of:from:)` compares the resource, so that a difference has its own error.
        let verified = try rethrowing(
            verifier.verify(
                token.serializedToken, expecting: .init(requestor: requestor, resource: .unchecked), at: now),
            as: ResponseTokenError.refused)
        let differences = differences(of: token, from: verified)
        guard differences.isEmpty else { throw .mismatch(differences) }
        return verified
    }

    /// In what this decision, and what was sent with its token, differ from the verified token.
    private func differences(
        of sent: SerializedMediaToken,
        from token: VerifiedMediaToken
    ) -> [ResponseTokenDifference] {
        var differences: [ResponseTokenDifference] = []
        if serviceProvider != token.requestor {
            differences.append(.requestor(response: serviceProvider, token: token.requestor))
        }
        if resource != token.resource { differences.append(.resource(response: resource, token: token.resource)) }
        if mvpd != token.mvpd { differences.append(.mvpd(response: mvpd, token: token.mvpd)) }
        let starts = [sent.notBefore, sent.issuedAt].compactMap(\.self)
        if let start = starts.first(where: { !$0.isWithinAMinute(of: token.issued) }) {
            differences.append(.start(response: start, token: token.issued))
        }
        if let end = sent.notAfter, !end.isWithinAMinute(of: token.expires) {
            differences.append(.end(response: end, token: token.expires))
        }
        return differences
    }
}

extension Timestamp {
    /// Whether two instants are at most a minute apart.
    ///
    /// The times of a token have no milliseconds, and those of its response may differ by seconds: in public samples, a
    /// token of ten minutes lasts 9.92 minutes in the response.
    fileprivate func isWithinAMinute(of other: Timestamp) -> Bool {
        since(other).milliseconds.magnitude <= 60_000
    }
}

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
