#if Client
import BrokerClient
public import BrokerMessages
import DeviceRecords
package import EntitlementValues
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
        try await synchronize(partner: partner, notAskingAgainFor: .zero)
    }

    /// The same, but for some time after the broker has said that no user is signed in, it is not asked for the profile.
    ///
    /// What the partner's account brings is found all the same: it is asked about in a session of its own.
    package func synchronize(
        partner: PartnerFrameworkStatus?,
        notAskingAgainFor time: TimeToLive
    ) async throws(EntitlementFlowError) -> ForegroundState {
        try await command { context throws(EntitlementFlowError) in
            let call = try call(in: context)
            if let partner { try await keep(partner, call) }
            var record = try await record(call)
            if !record.isKnownToLackProfile(for: time, at: application.time.now) {
                record = try await foreground(call).record
            }
            let now = application.time.now
            if record.signIn(at: now) == nil, call.context.options.partnerSignIn == .silent {
                let question = try await silentQuestion(call)
                return ForegroundState(try await self.record(call).status(at: now), asking: question)
            }
            return ForegroundState(record.status(at: now))
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

extension EntitlementSession {
    /// Begins an authentication, unless the user is signed in.
    ///
    /// - Parameters:
    ///   - isForced: Whether a user who is signed in is signed out first. Then the first step is usually the browser's
    ///     visit of the logout page (`.logout`), and ``handleExternalURL(_:)`` brings the next one. A cancel in between
    ///     leaves the device signed out.
    ///   - data: The data of the operator's library: the user's identity for promotional temporary access as `email`.
    ///   - identity: The same in another form; it goes before `data`.
    ///   - filter: The providers that the device's sign-on partner shows.
    /// - Returns: What comes next.
    /// - Throws: `.unsupported(.unknownData)` for other data, at once; what `setRequestor` threw, `.requestorNotSet`,
    ///   `.noOrigin`, `.broker`, `.store`, `.superseded` if the authentication was cancelled meanwhile, `.cancelled`.
    public func getAuthentication(
        forced isForced: Bool = false,
        data: [String: String] = [:],
        identity: TemporaryIdentity? = nil,
        filter: ProviderFilter? = nil
    ) async throws(EntitlementFlowError) -> AuthenticationStep {
        let given = try self.identity(in: data)
        let identity = identity ?? given
        return try await requestorCommand(tellingFailure: true) { call throws(EntitlementFlowError) in
            if let identity { try await change(call) { $0.identity = identity } }
            if isForced { return try await signOutAndBegin(call, filter: filter) }
            let (known, epoch) = try await knownSignIn(call)
            if let signIn = known {
                tell(telling(call.context).signedIn(signIn, isCached: true), call.context)
                await carryOn(state.pending, call)
                return .authenticated(signIn)
            }
            return try await beginSignIn(call, filter: filter, since: epoch)
        }
    }

    /// Signs the user out, and begins a sign-in: at once if the provider has no logout page, else when the browser has
    /// come back from it.
    func signOutAndBegin(
        _ call: SessionCall,
        filter: ProviderFilter?
    ) async throws(EntitlementFlowError) -> AuthenticationStep {
        let record = try await record(call)
        end(state.signInBegins(), call.context)
        let (pages, epoch) = try await signOut(mvpd: nil, call, inEpoch: record.epoch)
        guard let page = pages.first else {
            return try await beginSignIn(call, filter: filter, since: epoch)
        }
        guard try await self.record(call).epoch == epoch else { throw .superseded }
        state.beginVisits(pages, before: filter, since: epoch, at: application.time.uptime)
        tell([.openUserAgent(page)], call.context)
        return .openUserAgent(page)
    }

    /// Begins a sign-in of a user who is not signed in.
    ///
    /// It runs inside of a command, and tells its step, not its failures. `filter` names the providers that the
    /// device's sign-on partner shows.
    ///
    /// `begun` is the epoch in which the sign-in was decided, if that was before this; it is void in a later one. A
    /// record that was erased since counts anew. Throws as ``getAuthentication(forced:data:identity:filter:)`` does.
    func beginSignIn(
        _ call: SessionCall,
        filter: ProviderFilter? = nil,
        since begun: Int64? = nil
    ) async throws(EntitlementFlowError) -> AuthenticationStep {
        state.signInIsAskedFor()
        let record = try await record(call)
        if let begun, record.epoch > begun { throw .superseded }
        if call.context.options.remembersProvider, let provider = record.provider, record.lastSignIn == provider.id {
            return try await select(provider.id, call, inEpoch: record.epoch)
        }
        if let step = try await partnerStep(call, filter: filter, record) { return step }
        return try await picker(call, epoch: record.epoch)
    }

    /// Shows the picker.
    ///
    /// `epoch` is the one in which the sign-in began. Throws `.noOrigin`, `.store`, `.superseded` if the sign-in was
    /// cancelled meanwhile, `.cancelled`.
    func picker(_ call: SessionCall, epoch: Int64) async throws(EntitlementFlowError) -> AuthenticationStep {
        let list = try await access.providers(call)
        let record = try await record(call)
        guard record.epoch == epoch else { throw .superseded }
        let remembered = record.provider.map(\.id)
        let choice = ProviderChoice(
            among: list.mvpds, remembered: remembered.flatMap { list[$0] == nil ? nil : $0 })
        tell(telling(call.context).picker(choice), call.context)
        return .chooseProvider(choice)
    }

    /// The sign-in that counts, and the epoch of the record; the broker is asked only if it never was.
    private func knownSignIn(_ call: SessionCall) async throws(EntitlementFlowError) -> (SignIn?, epoch: Int64) {
        let record = try await record(call)
        switch record.status(at: application.time.now) {
        case .authenticated(let signIn): return (signIn, record.epoch)
        case .notAuthenticated: return (nil, record.epoch)
        case .unknown:
            let answer = try await refreshProfile(call)
            return (answer.signIn, answer.record.epoch)
        }
    }

    /// The identity in the data of the operator's library.
    private func identity(in data: [String: String]) throws(EntitlementFlowError) -> TemporaryIdentity? {
        guard !data.isEmpty else { return nil }
        guard data.count == 1, let email = data["email"] else { throw .unsupported(.unknownData) }
        return try rethrowing(
            application.hashesIdentity ? TemporaryIdentity(hashing: email) : TemporaryIdentity(email)
        ) { (_: BrokerHeaderError) in EntitlementFlowError.unsupported(.unknownData) }
    }
}
#endif
