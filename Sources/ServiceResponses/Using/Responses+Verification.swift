public import EntitlementValues
public import MediaTokens

extension DecisionsResponse {
    /// Verifies the media token of each decision, and checks it against the decision.
    ///
    /// - Parameters:
    ///   - verifier: Has the issuer's keys.
    ///   - requestor: The brands whose tokens are accepted.
    ///   - now: The instant at which the tokens must be good.
    /// - Returns: One result for each decision, in their order.
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

/// A decision, and the media token that proves it or why nothing does.
public struct VerifiedDecision: Sendable {
    /// What the service said.
    public let decision: Decision
    /// The verified token, which says the same, or why there is none.
    public let result: Result<VerifiedMediaToken, ResponseTokenError>
}

extension VerifiedDecision: CustomStringConvertible {
    /// The decision and the outcome, not the token.
    public var description: String {
        switch result {
        case .success(let token): "\(decision); \(token)"
        case .failure(let error): "\(decision); \(error)"
        }
    }
}

extension Decision {
    /// Verifies the decision's media token, and checks it against the decision.
    ///
    /// A decision that is authorized and carries an error as well is decided by its token. What is *not* checked: that
    /// the token is used only once, and the times of the decision, which bound the authorization and not the token.
    ///
    /// - Parameters:
    ///   - verifier: Has the issuer's keys.
    ///   - requestor: The brands whose tokens are accepted.
    ///   - now: The instant at which the token must be good.
    /// - Returns: The token, which is for the requestor, resource and provider of the decision.
    /// - Throws: `ResponseTokenError`, the first check that failed.
    public func verified(
        by verifier: MediaTokenVerifier,
        expecting requestor: Expectation<RequestorID>,
        at now: Timestamp = .now
    ) throws(ResponseTokenError) -> VerifiedMediaToken {
        guard isAuthorized else { throw token == nil ? .notAuthorized(error) : .tokenWithoutAuthorization }
        guard let token else { throw .noToken }
        let statement = TokenStatement(
            requestor: serviceProvider,
            resource: resource,
            mvpd: mvpd,
            starts: [token.notBefore, token.issuedAt].compactMap(\.self),
            end: token.notAfter
        )
        return try statement.verify(token.serializedToken, by: verifier, expecting: requestor, at: now)
    }
}

extension MediaTokenResponse {
    /// Verifies the media token, and checks it against the response.
    ///
    /// - Parameters:
    ///   - verifier: Has the issuer's keys.
    ///   - requestor: The brands whose tokens are accepted.
    ///   - now: The instant at which the token must be good.
    /// - Returns: The token, which is for the requestor, resource and provider of the response.
    /// - Throws: `ResponseTokenError`, the first check that failed.
    public func verified(
        by verifier: MediaTokenVerifier,
        expecting requestor: Expectation<RequestorID>,
        at now: Timestamp = .now
    ) throws(ResponseTokenError) -> VerifiedMediaToken {
        let statement = TokenStatement(
            requestor: self.requestor,
            resource: resource,
            mvpd: mvpd,
            starts: [],
            end: expires
        )
        return try statement.verify(serializedToken, by: verifier, expecting: requestor, at: now)
    }
}

/// What a response says of its token.
private struct TokenStatement {
    let requestor: RequestorID
    let resource: ResourceID
    let mvpd: MVPDID?
    let starts: [Timestamp]
    let end: Timestamp?

    func verify(
        _ text: String,
        by verifier: MediaTokenVerifier,
        expecting expected: Expectation<RequestorID>,
        at now: Timestamp
    ) throws(ResponseTokenError) -> VerifiedMediaToken {
        let token: VerifiedMediaToken
        do throws(MediaTokenError) {
            // The resource is compared below, where a difference has a name of its own.
            token = try verifier.verify(text, expecting: .init(requestor: expected, resource: .unchecked), at: now)
        } catch {
            throw .refused(error)
        }
        let differences = differences(from: token)
        guard differences.isEmpty else { throw .mismatch(differences) }
        return token
    }

    private func differences(from token: VerifiedMediaToken) -> [ResponseTokenDifference] {
        var differences: [ResponseTokenDifference] = []
        if requestor != token.requestor { differences.append(.requestor(response: requestor, token: token.requestor)) }
        if resource != token.resource { differences.append(.resource(response: resource, token: token.resource)) }
        if let mvpd, mvpd != token.mvpd { differences.append(.mvpd(response: mvpd, token: token.mvpd)) }
        if let start = starts.first(where: { !$0.isWithinAMinute(of: token.issued) }) {
            differences.append(.start(response: start, token: token.issued))
        }
        if let end, !end.isWithinAMinute(of: token.expires) {
            differences.append(.end(response: end, token: token.expires))
        }
        return differences
    }
}

extension Timestamp {
    /// Tells whether two instants are at most a minute apart.
    ///
    /// A token's times have no milliseconds, and a response's times are not the token's to the second: public samples of
    /// one ten-minute token span 9.92 minutes in the response.
    fileprivate func isWithinAMinute(of other: Timestamp) -> Bool {
        since(other).milliseconds.magnitude <= 60_000
    }
}
