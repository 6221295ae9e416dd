#if Service
import EntitlementValues
import HTTPTypes
import MediaTokens
import PlaybackSessions
import TokenRedemption

/// Starts, renews and ends playback sessions as of one instant.
struct SessionOperations: Sendable {
    let rules: SessionRules
    /// Which requestors' sessions are renewed.
    let requestor: Expectation<RequestorID>
    /// `nil` if sessions cannot be revoked, and their streams are not counted.
    let registry: SessionRegistry?
    let now: Timestamp

    /// Takes the rules of the configuration in use; throws if there are no sessions, or no key that can sign them.
    ///
    /// The registry has the revocations and streams.
    init(
        _ configuration: ActiveConfiguration,
        registry: SessionRegistry?,
        at now: Timestamp
    ) throws(RequestError) {
        rules = try configuration.sessionRules()
        (self.registry, self.now) = (registry, now)
        requestor =
            switch configuration.settings.authz.requestor {
            case .anyOf(let requestors): .anyOf(requestors)
            case .header: .unchecked
            }
    }

    /// Exchanges a token for a session.
    ///
    /// The session is signed and its stream counted before the token is redeemed: a failure after that would cost the
    /// client its token.
    ///
    /// The session is bound to the client. The store is where the token is redeemed. Returns the verdict, redemption
    /// included, and the session if the verdict is good. If there can be no session, it throws, and the token was not
    /// redeemed.
    func start(
        for verdict: MediaTokenVerdict,
        client: SessionClient,
        redeemingIn store: any ReplayStore
    ) async throws(PlaybackSessionError) -> (verdict: MediaTokenVerdict, granted: SessionWithGrants?) {
        guard case .success(let token) = verdict.result else { return (verdict, nil) }
        let granted = try await start(forRedeemed: token, client: client)
        let redeemed = await verdict.redeemed(in: store, at: now)
        guard redeemed.status == .validToken else {
            // If this fails, the stream counts until the session would have ended.
            try? await registry?.release(granted.session)
            return (redeemed, nil)
        }
        return (redeemed, granted)
    }

    /// Refuses a play whose session or grants would be too long, before its token is asked for: that would be used up.
    ///
    /// The names of the provider and the subscriber, which only the token has, count as one character each.
    func checkLengths(
        of resource: ResourceID,
        for requestor: RequestorID,
        client: SessionClient
    ) throws(PlaybackSessionError) {
        let lifetimes = rules.issuer.lifetimes
        let trial = PlaybackSession(
            id: try .random(), requestor: requestor, resource: resource, mvpd: "-", subscriber: "-", issued: now,
            expires: now + lifetimes.session, ceiling: now + lifetimes.ceiling, client: client)
        try rules.issuer.check(trial)
        try rules.edges?.checkLengths(for: trial)
    }

    /// Starts a session for a token that is used up already; throws if there can be none.
    ///
    /// The token is verified, and redeemed unless a token may be used any number of times. The session is bound to the
    /// client. After `end` it is not good, also if it is renewed; `nil` for no end but those of the settings.
    func start(
        forRedeemed token: VerifiedMediaToken,
        client: SessionClient,
        notAfter end: Timestamp? = nil
    ) async throws(PlaybackSessionError) -> SessionWithGrants {
        let granted = try withGrants(rules.issuer.issue(for: token, client: client, at: now, notAfter: end))
        let issued = granted.issued
        try await rules.asking(registry) { registry throws(PlaybackSessionError) in
            try await registry.start(issued.session)
        }
        return granted
    }

    private func withGrants(_ issued: IssuedPlaybackSession) throws(PlaybackSessionError) -> SessionWithGrants {
        SessionWithGrants(issued: issued, edges: try rules.edges?.grants(for: issued.session) ?? [])
    }

    /// Gives a session a later end, with a new text and new grants.
    ///
    /// It is given as it was presented by the client, and must be for the resource.
    func renew(
        _ text: String,
        for resource: Expectation<ResourceID>,
        from client: SessionClient
    ) async throws(PlaybackSessionError) -> SessionWithGrants {
        let session = try verified(text, for: resource, from: client)
        let granted = try withGrants(rules.issuer.renew(session, at: now))
        let issued = granted.issued
        try await rules.asking(registry) { registry throws(PlaybackSessionError) in
            try await registry.renew(session, as: issued.session)
        }
        return granted
    }

    /// Ends a session because its holder asks for it, and returns it; it is revoked in the registry.
    ///
    /// It is given as it was presented by the client, and must be for the resource.
    func end(
        _ text: String,
        for resource: Expectation<ResourceID>,
        from client: SessionClient,
        in registry: SessionRegistry
    ) async throws(PlaybackSessionError) -> PlaybackSession {
        let session = try verified(text, for: resource, from: client).session
        try await registry.end(session)
        return session
    }

    /// Verifies a session, but does not ask whether it was revoked.
    ///
    /// It is given as it was presented by the client, and must be for the resource.
    func verified(
        _ text: String,
        for resource: Expectation<ResourceID>,
        from client: SessionClient
    ) throws(PlaybackSessionError) -> VerifiedPlaybackSession {
        let expectations = PlaybackExpectations(requestor: requestor, resource: resource, client: client)
        return try rules.verifier.verify(text, expecting: expectations, at: now)
    }
}
#endif
