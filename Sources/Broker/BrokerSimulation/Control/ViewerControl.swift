#if Client
import BrokerMessages
import ServiceResponses
import EntitlementKeys
public import EntitlementValues
import Synchronization

extension BrokerSimulator {
    // MARK: Logins

    /// Signs a user in, as the provider's login page does.
    ///
    /// - Parameters:
    ///   - code: The code of a session to which nothing is missing.
    ///   - user: The user's name in the world.
    /// - Returns: Where the browser goes next: the session's `redirectUrl`.
    /// - Throws: `SimulationError.unknownCode` if no such session waits, `.unknownUser`.
    @discardableResult
    public func logIn(code: String, as user: String) throws(SimulationError) -> String {
        let real = time.now
        return try state.withLock { state throws(SimulationError) in
            try state.logIn(code: code, user: user, at: state.clock.now(at: real))
        }
    }

    /// Tells where the browser goes when the viewer cancels on the provider's login page.
    ///
    /// The broker says nothing of it to the application: its code brings no profile until it ends.
    ///
    /// - Parameter code: The code of a session to which nothing is missing.
    /// - Returns: The session's `redirectUrl`.
    /// - Throws: `SimulationError.unknownCode` if no such session waits.
    public func cancelLogin(code: String) throws(SimulationError) -> String {
        let real = time.now
        return try state.withLock { state throws(SimulationError) in
            guard let url = state.waitingSession(code, at: state.clock.now(at: real))?.redirectURL else {
                throw .unknownCode
            }
            return url
        }
    }

    /// Gives a device a profile without a login.
    ///
    /// - Parameters:
    ///   - mvpd: The provider.
    ///   - client: The id of the client on the device (`client_id`).
    ///   - device: The text in the device's `AP-Device-Identifier`, decoded.
    ///   - user: The user's name in the world.
    /// - Throws: `SimulationError.unknownClient`, `.unknownUser`, or `.unknownIntegration` if the brand has no
    ///   agreement with the provider.
    public func grantProfile(
        of mvpd: MVPDID,
        client: String,
        device: String,
        user: String = "ok"
    ) throws(SimulationError) {
        let real = time.now
        try state.withLock { state throws(SimulationError) in
            guard let registered = state.clients[client] else { throw .unknownClient }
            guard let person = state.world.user(user) else { throw .unknownUser(user) }
            guard let requestor = state.world.requestor(registered.requestor), requestor.mvpds.contains(mvpd),
                state.world.mvpd(mvpd)?.temporaryAccess == nil
            else { throw .unknownIntegration }
            let holder = ProfileHolder(client: client, device: device)
            state.grant(
                state.newProfile(of: person, mvpd, type: .regular, on: holder, at: state.clock.now(at: real)))
        }
    }

    /// Mints a media token, whatever profiles there are.
    ///
    /// - Parameters:
    ///   - requestor: The brand.
    ///   - resource: What it permits.
    ///   - mvpd: The provider.
    ///   - user: The user's name in the world.
    ///   - defect: What is wrong with it; `nil` for a good one.
    /// - Returns: The token in Base64, as `serializedToken` has it.
    /// - Throws: `SimulationError.unknownUser`, `.unknownIntegration`, `.backend`, `.keys`.
    public func mintMediaToken(
        for requestor: RequestorID,
        resource: ResourceID,
        mvpd: MVPDID,
        user: String = "ok",
        defect: MediaTokenDefect? = nil
    ) throws(SimulationError) -> String {
        let (world, clock) = state.withLock { ($0.world, $0.clock) }
        guard let person = world.user(user) else { throw .unknownUser(user) }
        guard world.requestor(requestor)?.mvpds.contains(mvpd) == true else { throw .unknownIntegration }
        return try mint.token(
            MediaTokenOrder(
                requestor: requestor, resource: resource, mvpd: mvpd, proxy: world.mvpd(mvpd)?.proxy,
                guid: person.guid, signed: (clock.now(at: time.now) + clock.issueTimeOffset).wholeSecond,
                lifetime: world.lifetimes.mediaToken, fault: defect))
    }

    /// What a verifier must trust to accept media tokens with the defect ``MediaTokenDefect/weakKey``, in PEM: a bare
    /// public key of 1024 bits, another one for each simulator.
    ///
    /// Never give it to a verifier in production.
    public var weakMediaPEM: String {
        get throws(SimulationError) { try mint.weakKey.publicKeyPEM }
    }

    // MARK: Expiry

    /// Things that can be made to end at once.
    public enum Expirable: String, Sendable, CaseIterable {
        /// All access tokens: calls get 401 until a new one is fetched.
        case accessTokens = "access-tokens"
        /// All codes.
        case codes
        /// All profiles, shared ones and temporary access included.
        case profiles
        /// The providers' decisions that still count: the next call asks the provider again.
        case decisions
        /// A media token: if the next authorization is permitted, it brings one that ended an hour ago.
        ///
        /// Media tokens are checked elsewhere, so that those that were handed out cannot be called back. So this switches a
        /// scenario on, `ended-media-token`, for one request to authorize: a denial uses it up, too.
        case mediaTokens = "media-tokens"
    }

    /// Ends things now.
    ///
    /// - Parameter what: What ends.
    public func expire(_ what: Expirable) {
        let real = time.now
        state.withLock { state in
            let now = state.clock.now(at: real)
            switch what {
            case .accessTokens:
                for id in state.clients.keys { state.clients[id]?.generation += 1 }
            case .codes: state.sessions = [:]
            case .profiles: state.expireProfiles(at: now)
            case .decisions: state.decisions = [:]
            case .mediaTokens: state.activate(.endedMediaToken)
            }
        }
    }
}

extension ActiveScenario {
    /// The media tokens of the next request to authorize have ended when they are issued.
    fileprivate static let endedMediaToken = ActiveScenario(
        "ended-media-token", .token(.expired), endpoints: [.authorize], remaining: 1)
}

extension SimulatorState {
    fileprivate mutating func expireProfiles(at now: Timestamp) {
        func ended(_ profile: HeldProfile) -> HeldProfile {
            var profile = profile
            profile.notAfter = min(profile.notAfter, now)
            return profile
        }
        profiles = profiles.mapValues { $0.mapValues(ended) }
        sharedProfiles = sharedProfiles.mapValues { $0.mapValues(ended) }
        for (key, trial) in trials {
            guard let offer = world.mvpd(key.mvpd)?.temporaryAccess else { continue }
            trials[key] = Trial(
                started: min(trial.started, now - offer.duration), resources: trial.resources, people: trial.people)
        }
    }
}
#endif
