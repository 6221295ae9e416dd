#if Client
public import BrokerMessages
import DeviceRecords
import EntitlementValues
import ServiceResponses

extension EntitlementSession {
    /// Whether the user is signed in.
    ///
    /// If the broker is asked and says so, the authorization that waits for a sign-in goes on. The wait for a code ends if
    /// the user was not signed in, or with another provider; else it goes on, for a login with that code.
    ///
    /// - Parameter source: Where the answer comes from; by default the network is only used if the broker was never asked
    ///   for this device.
    /// - Returns: The answer; `.unknown` only for ``StatusSource/localOnly``, and then no event tells it.
    /// - Throws: What `setRequestor` threw, `.requestorNotSet`, `.broker`, `.store`, `.superseded`, `.cancelled`.
    public func checkAuthentication(
        _ source: StatusSource = .record
    ) async throws(EntitlementFlowError) -> AuthenticationStatus {
        try await authenticationCommand { requestor throws(EntitlementFlowError) in
            try await status(requestor: requestor, from: source)
        }
    }

    /// Tells the session that the app is in the foreground: the broker is asked once for the profile.
    ///
    /// It adopts a profile that single sign-on has won, and drops one that is gone. An event tells only what has changed.
    ///
    /// - Parameter partner: What the device's sign-on partner says now; `nil` if the device has none.
    /// - Returns: Whether the user is signed in now, and what to ask the partner without showing anything.
    /// - Throws: `.requestorNotSet`, `.broker`, `.store`, `.superseded`, `.cancelled`.
    public func synchronize(
        partner: PartnerFrameworkStatus? = nil
    ) async throws(EntitlementFlowError) -> ForegroundState {
        try await command { () throws(EntitlementFlowError) in
            let requestor = try requestorID
            if let partner { try await keep(partner, requestor: requestor) }
            let answer = try await foreground(requestor: requestor)
            let now = application.time.now
            if answer.signIn == nil, context.options.partnerSignIn == .silent {
                let question = try await silentQuestion(requestor: requestor)
                return ForegroundState(try await record(requestor: requestor).status(at: now), asking: question)
            }
            return ForegroundState(answer.record.status(at: now))
        }
    }

    /// Asks once for the profile, and tells what has changed.
    @discardableResult
    func foreground(requestor: RequestorID) async throws(EntitlementFlowError) -> ProfileAnswer {
        let answer = try await refreshProfile(requestor: requestor)
        guard answer.isChange else { return answer }
        if let signIn = answer.signIn {
            await succeed(with: signIn, requestor: requestor)
        } else {
            tell(telling.notSignedInAnymore(hasUsedUpAccess: answer.exhaustion != nil))
        }
        return answer
    }

    /// Tells whether the user is signed in, with the status.
    private func status(
        requestor: RequestorID,
        from source: StatusSource
    ) async throws(EntitlementFlowError) -> AuthenticationStatus {
        let known = try await record(requestor: requestor).status(at: application.time.now)
        if known == .unknown, source == .localOnly { return .unknown }
        guard source == .broker || known == .unknown else {
            if case .authenticated(let signIn) = known {
                tell(telling.signedIn(signIn, isCached: true))
            } else {
                tell(telling.notSignedIn(isCached: true))
            }
            return known
        }
        let answer = try await refreshProfile(requestor: requestor)
        if let signIn = answer.signIn {
            // What was known before the code was shown does not answer it.
            await succeed(with: signIn, requestor: requestor, endingWait: answer.isChange)
            return .authenticated(signIn)
        }
        tell(telling.notSignedIn(isCached: false, hasUsedUpAccess: answer.exhaustion != nil))
        return .notAuthenticated
    }
}
#endif
