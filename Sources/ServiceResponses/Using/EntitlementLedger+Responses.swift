public import EntitlementValues
public import TokenLifetimes

// A response that carries a media token leaves no trace of it here: media tokens are used once, at once.

extension EntitlementLedger {
    /// Records the profiles of a response as authentications.
    ///
    /// A provider that the response does not name keeps what the ledger has: an empty response may be the answer about
    /// one provider.
    ///
    /// - Parameters:
    ///   - response: What the service answered.
    ///   - requestor: The brand that asked, which the response does not name.
    /// - Returns: What became of each profile, in their order.
    /// - Throws: `ResponseRecordingError`. Where a profile could not be read, nothing of the response was recorded.
    @discardableResult
    public func record(
        _ response: ProfilesResponse,
        for requestor: RequestorID
    ) throws(ResponseRecordingError) -> [RecordOutcome] {
        try check(response.faults)
        var outcomes: [RecordOutcome] = []
        for profile in response.profiles {
            let period = EntitlementPeriod(notBefore: profile.notBefore, notAfter: profile.notAfter)
            outcomes.append(try recordLine(.authentication(requestor: requestor, mvpd: profile.mvpd), period))
        }
        return outcomes
    }

    /// Records the decisions of a response: authorizations that are granted, and the end of those that are not.
    ///
    /// The times are the decision's, never its media token's. A decision that is authorized and names no end, as before
    /// playback, changes nothing. One that is not authorized is taken as ``record(_:about:)`` takes its error; without
    /// an error it ends the authorization.
    ///
    /// - Returns: What became of each decision that is authorized and names its end, in their order.
    /// - Throws: `ResponseRecordingError`. Where a decision could not be read, nothing of the response was recorded.
    @discardableResult
    public func record(_ response: DecisionsResponse) throws(ResponseRecordingError) -> [RecordOutcome] {
        try check(response.faults)
        var outcomes: [RecordOutcome] = []
        for decision in response.decisions {
            let entitlement = Entitlement.authorization(
                requestor: decision.serviceProvider,
                mvpd: decision.mvpd,
                resource: decision.resource
            )
            switch (decision.isAuthorized, decision.notAfter, decision.error) {
            case (true, let end?, _):
                let period = EntitlementPeriod(notBefore: decision.notBefore, notAfter: end)
                outcomes.append(try recordLine(entitlement, period))
            case (true, nil, _): continue
            case (false, _, let error?): record(error, about: entitlement)
            case (false, _, nil): invalidate(entitlement)
            }
        }
        return outcomes
    }

    /// Records an authentication of REST v1.
    ///
    /// - Returns: What became of it.
    /// - Throws: `ResponseRecordingError.ledger`.
    @discardableResult
    public func record(_ response: AuthenticationResponse) throws(ResponseRecordingError) -> RecordOutcome {
        let entitlement = Entitlement.authentication(requestor: response.requestor, mvpd: response.mvpd)
        return try recordLine(entitlement, EntitlementPeriod(notAfter: response.expires))
    }

    /// Records an authorization of REST v1, under the provider and not its proxy.
    ///
    /// - Returns: What became of it.
    /// - Throws: `ResponseRecordingError.ledger`.
    @discardableResult
    public func record(_ response: AuthorizationResponse) throws(ResponseRecordingError) -> RecordOutcome {
        let entitlement = Entitlement.authorization(
            requestor: response.requestor,
            mvpd: response.mvpd,
            resource: response.resource
        )
        return try recordLine(entitlement, EntitlementPeriod(notAfter: response.expires))
    }

    /// Takes note of an error that the service answered about an entitlement.
    ///
    /// Codes that say that the user is not signed in, or no longer, end the authentication and its authorizations; for
    /// others the status decides, as for `invalidate(_:serverStatus:)`. Errors that speak of the request, the
    /// application or the network (actions `retry`, `configuration` and `application-registration`) change nothing.
    ///
    /// - Parameters:
    ///   - error: What the service answered.
    ///   - entitlement: What it was asked about.
    /// - Returns: How many lines were erased.
    @discardableResult
    public func record(_ error: EnhancedError, about entitlement: Entitlement) -> Int {
        if let action = error.action, [.retry, .configuration, .applicationRegistration].contains(action) { return 0 }
        if let code = error.code, endsOfAuthentication.contains(code) {
            return invalidate(.authentication(requestor: entitlement.requestor, mvpd: entitlement.mvpd))
        }
        return error.status.map { invalidate(entitlement, serverStatus: $0) } ?? 0
    }

    private func check(_ faults: [ServiceResponseError]) throws(ResponseRecordingError) {
        if let fault = faults.first(where: { !$0.isWarning }) { throw .incomplete(fault) }
    }

    private func recordLine(
        _ entitlement: Entitlement,
        _ period: EntitlementPeriod
    ) throws(ResponseRecordingError) -> RecordOutcome {
        do throws(LedgerError) {
            return try record(entitlement, period)
        } catch {
            throw .ledger(error)
        }
    }
}

private let endsOfAuthentication: Set<EnhancedErrorCode> = [
    .authenticatedProfileMissing, .authenticatedProfileExpired, .authenticatedProfileInvalidated,
    .authenticationSessionMissing, .authenticationSessionExpired, .authenticationSessionInvalidated,
    "preauthorization_authentication_session_missing", "preauthorization_authentication_session_expired",
]

/// Says why a response was not recorded in a ledger.
@nonexhaustive
public enum ResponseRecordingError: Error, Sendable, Hashable {
    /// A part of the response could not be read. Nothing of the response was recorded.
    case incomplete(ServiceResponseError)
    /// The ledger did not take a line. What stands before it in the response was recorded.
    case ledger(LedgerError)

    /// The stable name of the error: that of the fault inside.
    public var code: String {
        switch self {
        case .incomplete(let error): error.code
        case .ledger(let error): error.code
        }
    }
}

extension ResponseRecordingError: CustomStringConvertible {
    /// What happened and what to do, in one line.
    public var description: String {
        switch self {
        case .incomplete(let error): "nothing was recorded, since a part of the response could not be read: \(error)"
        case .ledger(let error): error.description
        }
    }
}
