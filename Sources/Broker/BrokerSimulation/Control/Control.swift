#if Client
public import BrokerMessages
public import EntitlementValues
import OpenSSLBridge
import Synchronization

// What `/sim/*` does, as functions.

extension BrokerSimulator {
    /// What there is in the simulation now.
    public var world: SimulatedWorld { state.withLock { $0.world } }

    /// Changes what there is; sign-ins, credentials and sessions stay.
    ///
    /// - Parameter world: The new world.
    /// - Throws: `SimulationError.world` if the world contradicts itself; nothing is changed then.
    public func replaceWorld(by world: SimulatedWorld) throws(SimulationError) {
        try world.check()
        state.withLock { $0.world = world }
    }

    /// Begins anew: forgets credentials, sessions, profiles, scenarios, journal and the clock's changes.
    ///
    /// With a seed, the row of ids starts from its beginning.
    ///
    /// - Parameter world: The world to begin with; if none is given, the one that the simulator was made with, whatever
    ///   was revoked or replaced in it since.
    /// - Throws: `SimulationError.world` if the world contradicts itself; nothing is changed then.
    public func reset(to world: SimulatedWorld? = nil) throws(SimulationError) {
        try world?.check()
        state.withLock { state in
            state = SimulatorState(world: world ?? startingWorld, seed: settings.seed, throttle: settings.throttle)
        }
    }

    // MARK: Time

    /// How the simulation's time differs from the real one.
    public var clock: SimulatedClock { state.withLock { $0.clock } }

    /// Sets the simulation's time.
    ///
    /// - Parameter instant: The time from now on.
    public func setClock(to instant: Timestamp) {
        let real = time.now
        state.withLock { $0.clock.set(to: instant, at: real) }
    }

    /// Sets how far the simulation's time is from the real one.
    ///
    /// - Parameter offset: The distance; negative for the past.
    public func setClockOffset(_ offset: TimeToLive) { setClock(to: time.now + offset) }

    /// Moves the simulation's time.
    ///
    /// - Parameter duration: How far; negative for back.
    public func advanceClock(by duration: TimeToLive) { state.withLock { $0.clock.advance(by: duration) } }

    /// Stops the simulation's time, or lets it run on.
    ///
    /// - Parameter isFrozen: Whether it stands still.
    public func freezeClock(_ isFrozen: Bool = true) {
        let real = time.now
        state.withLock { state in
            if isFrozen { state.clock.freeze(at: real) } else { state.clock.run(at: real) }
        }
    }

    /// Sets how far the issue time of media tokens is from the simulation's time.
    ///
    /// - Parameter offset: The distance; positive for tokens from the future.
    public func setIssueTimeOffset(_ offset: TimeToLive) { state.withLock { $0.clock.issueTimeOffset = offset } }

    // MARK: Applications

    /// The software statement of a brand's first application, which a client registers with.
    ///
    /// - Parameters:
    ///   - requestor: The brand.
    ///   - scope: What the statement must allow; `nil` for anything. For resets of temporary access,
    ///     `AccessScope.temporaryAccess`.
    /// - Returns: The statement, a JSON Web Token of the issuer `simulator.invalid`.
    /// - Throws: `SimulationError.unknownIntegration` if the brand is unknown, or has no such statement.
    public func softwareStatement(
        of requestor: RequestorID,
        allowing scope: AccessScope? = nil
    ) throws(SimulationError) -> String {
        let statements = world.requestor(requestor)?.statements ?? []
        let found = statements.first { statement in scope.map { statement.scopes.contains($0.rawValue) } ?? true }
        guard let found else { throw .unknownIntegration }
        return try softwareStatement(found)
    }

    /// Signs a software statement.
    ///
    /// - Parameter statement: One of the world, or another, which registration refuses then.
    /// - Returns: The statement, a JSON Web Token.
    /// - Throws: `SimulationError.backend`.
    public func softwareStatement(_ statement: SimulatedStatement) throws(SimulationError) -> String {
        try rethrowing(signer.statement(statement), as: SimulationError.init(_:))
    }

    /// Revokes a client's credentials: its access tokens are refused, and its profiles are gone, also from the devices
    /// that an identity shares them with.
    ///
    /// - Parameter client: The client's id (`client_id`).
    /// - Throws: `SimulationError.unknownClient`.
    public func revoke(client: String) throws(SimulationError) {
        try state.withLock { state throws(SimulationError) in
            guard state.clients[client] != nil else { throw .unknownClient }
            state.clients[client]?.isRevoked = true
            state.removeProfiles { $0 == client }
        }
    }

    /// Revokes a software statement, and with it all credentials that were made with it.
    ///
    /// - Parameter statement: The statement's id.
    /// - Throws: `SimulationError.unknownClient` if the statement is unknown.
    public func revoke(statement: String) throws(SimulationError) {
        try state.withLock { state throws(SimulationError) in
            guard state.revokeStatement(statement) else { throw .unknownClient }
            let clients = Set(state.clients.values.filter { $0.statement == statement }.map(\.id))
            state.removeProfiles { clients.contains($0) }
        }
    }
}

extension SimulatorState {
    fileprivate mutating func revokeStatement(_ id: String) -> Bool {
        for (index, requestor) in world.requestors.enumerated() {
            guard let place = requestor.statements.firstIndex(where: { $0.id == id }) else { continue }
            world.requestors[index].statements[place].isRevoked = true
            return true
        }
        return false
    }

    /// Forgets all that clients hold, and what others share of it.
    mutating func removeProfiles(of isAffected: (_ client: String) -> Bool) {
        sharedProfiles = sharedProfiles.mapValues { profiles in
            profiles.filter { !isAffected($0.value.holder.client) }
        }.filter { !$0.value.isEmpty }
        partnerRequests = partnerRequests.filter { !isAffected($0.value.holder.client) }
        profiles = profiles.filter { !isAffected($0.key.client) }
        sessions = sessions.filter { !isAffected($0.value.holder.client) }
        decisions = decisions.filter { !isAffected($0.key.holder.client) }
    }
}
#endif
