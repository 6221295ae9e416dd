public import EntitlementValues
public import TokenLifetimes

// Media tokens are not recorded: each is used once, when it arrives.

extension EntitlementLedger {
    /// Records the profiles of a response as authentications.
    ///
    /// Entries of providers that the response does not name are kept, because the response may be about one provider.
    ///
    /// - Parameters:
    ///   - response: The service's answer.
    ///   - requestor: The brand that asked, which the response does not name.
    /// - Returns: The outcome of each profile, in the order of the response.
    /// - Throws: `ResponseRecordingError`. If a profile could not be read, nothing of the response was recorded.
    @discardableResult
    public func record(
        _ response: ProfilesResponse,
        for requestor: RequestorID
    ) throws(ResponseRecordingError) -> [RecordOutcome] {
        try check(response.faults)
        var outcomes: [RecordOutcome] = []
        for profile in response.profiles {
            let period = EntitlementPeriod(notBefore: profile.notBefore, notAfter: profile.notAfter)
            outcomes.append(try recordEntry(.authentication(requestor: requestor, mvpd: profile.mvpd), period))
        }
        return outcomes
    }

    /// Records the decisions of a response: grants become authorizations, and refusals end them.
    ///
    /// An authorization has the times of the decision, not those of its media token. A decision that is authorized but
    /// has no end, as in preauthorization, changes nothing. The error of a refusal is recorded as by
    /// ``record(_:about:)``; a refusal without an error ends the authorization.
    ///
    /// - Parameter response: The service's answer.
    /// - Returns: The outcome of each decision that is authorized and has an end, in the order of the response.
    /// - Throws: `ResponseRecordingError`. If a decision could not be read, nothing of the response was recorded.
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
                outcomes.append(try recordEntry(entitlement, period))
            case (true, nil, _): continue
            case (false, _, let error?): record(error, about: entitlement)
            case (false, _, nil): invalidate(entitlement)
            }
        }
        return outcomes
    }

    /// Records an authentication of REST v1.
    ///
    /// - Parameter response: The service's answer.
    /// - Returns: The outcome.
    /// - Throws: `ResponseRecordingError.ledger`.
    @discardableResult
    public func record(_ response: AuthenticationResponse) throws(ResponseRecordingError) -> RecordOutcome {
        let entitlement = Entitlement.authentication(requestor: response.requestor, mvpd: response.mvpd)
        return try recordEntry(entitlement, EntitlementPeriod(notAfter: response.expires))
    }

    /// Records an authorization of REST v1, under the provider and not its proxy.
    ///
    /// - Parameter response: The service's answer.
    /// - Returns: The outcome.
    /// - Throws: `ResponseRecordingError.ledger`.
    @discardableResult
    public func record(_ response: AuthorizationResponse) throws(ResponseRecordingError) -> RecordOutcome {
        let entitlement = Entitlement.authorization(
            requestor: response.requestor,
            mvpd: response.mvpd,
            resource: response.resource
        )
        return try recordEntry(entitlement, EntitlementPeriod(notAfter: response.expires))
    }

    /// Records an error that the service returned about an entitlement.
    ///
    /// A code that says that the user is not signed in, or no longer, erases the authentication and its authorizations.
    /// For other codes the status decides, as for `invalidate(_:serverStatus:)`. An error about the request, the
    /// application or the network (actions `retry`, `configuration` and `application-registration`) changes nothing.
    ///
    /// - Parameters:
    ///   - error: The service's answer.
    ///   - entitlement: What the service was asked about.
    /// - Returns: How many entries were erased.
    @discardableResult
    public func record(_ error: EnhancedError, about entitlement: Entitlement) -> Int {
        if let action = error.action, [.retry, .configuration, .applicationRegistration].contains(action) { return 0 }
        if error.code?.meaning == .profileGone {
            return invalidate(.authentication(requestor: entitlement.requestor, mvpd: entitlement.mvpd))
        }
        return error.status.map { invalidate(entitlement, serverStatus: $0) } ?? 0
    }

    private func check(_ faults: [ServiceResponseError]) throws(ResponseRecordingError) {
        if let fault = faults.first(where: { !$0.isWarning }) { throw .incomplete(fault) }
    }

    private func recordEntry(
        _ entitlement: Entitlement,
        _ period: EntitlementPeriod
    ) throws(ResponseRecordingError) -> RecordOutcome {
        try rethrowing(record(entitlement, period), as: ResponseRecordingError.ledger)
    }
}

/// The reason why a response was not recorded in a ledger.
@nonexhaustive
public enum ResponseRecordingError: Error, Sendable, Hashable {
    /// A part of the response could not be read, so nothing of it was recorded.
    case incomplete(ServiceResponseError)
    /// The ledger refused an entry; those before it in the response were recorded.
    case ledger(LedgerError)

    /// The stable name of the error, which is that of the error inside.
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
        case .incomplete(let error): "nothing was recorded, because a part of the response could not be read: \(error)"
        case .ledger(let error): error.description
        }
    }
}
