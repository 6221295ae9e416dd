#if Client
import BrokerClient
public import BrokerMessages
import DeviceRecords
import EntitlementValues
import ServiceResponses

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
        let list = try await providers(call, at: origins)
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
        do throws(BrokerHeaderError) {
            return try application.hashesIdentity ? TemporaryIdentity(hashing: email) : TemporaryIdentity(email)
        } catch {
            throw .unsupported(.unknownData)
        }
    }
}
#endif
