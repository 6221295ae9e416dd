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
        try await requestorCommand(tellingFailure: true) { call throws(EntitlementFlowError) in
            try await status(call, from: source)
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
        try await command { context throws(EntitlementFlowError) in
            let call = try call(in: context)
            if let partner { try await keep(partner, call) }
            let answer = try await foreground(call)
            let now = application.time.now
            if answer.signIn == nil, call.context.options.partnerSignIn == .silent {
                let question = try await silentQuestion(call)
                return ForegroundState(try await record(call).status(at: now), asking: question)
            }
            return ForegroundState(answer.record.status(at: now))
        }
    }

    /// Asks once for the profile, and tells what has changed.
    @discardableResult
    func foreground(_ call: SessionCall) async throws(EntitlementFlowError) -> ProfileAnswer {
        let answer = try await refreshProfile(call)
        guard answer.isChange else { return answer }
        if let signIn = answer.signIn {
            await succeed(with: signIn, call)
        } else {
            tell(telling(call.context).notSignedInAnymore(hasUsedUpAccess: answer.exhaustion != nil), call.context)
        }
        return answer
    }

    /// Tells whether the user is signed in, with the status.
    private func status(
        _ call: SessionCall,
        from source: StatusSource
    ) async throws(EntitlementFlowError) -> AuthenticationStatus {
        let known = try await record(call).status(at: application.time.now)
        if known == .unknown, source == .localOnly { return .unknown }
        guard source == .broker || known == .unknown else {
            if case .authenticated(let signIn) = known {
                tell(telling(call.context).signedIn(signIn, isCached: true), call.context)
            } else {
                tell(telling(call.context).notSignedIn(isCached: true), call.context)
            }
            return known
        }
        let answer = try await refreshProfile(call)
        if let signIn = answer.signIn {
            // What was known before the code was shown does not answer it.
            await succeed(with: signIn, call, endingWait: answer.isChange)
            return .authenticated(signIn)
        }
        tell(
            telling(call.context).notSignedIn(isCached: false, hasUsedUpAccess: answer.exhaustion != nil), call.context)
        return .notAuthenticated
    }
}
#endif
