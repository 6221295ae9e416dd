#if Service
import EntitlementValues
import HTTPTypes
import MediaTokens
import PlaybackSessions
import TokenRedemption

/// Starts, renews and ends playback sessions as of one instant.
struct SessionDesk: Sendable {
    let rules: SessionRules
    /// Which requestors' sessions are renewed.
    let requestor: Expectation<RequestorID>
    /// `nil` if sessions cannot be revoked, and their streams are not counted.
    let registry: SessionRegistry?
    let now: Timestamp

    /// Makes a desk.
    ///
    /// - Parameters:
    ///   - configuration: The configuration in use.
    ///   - registry: The revocations and streams.
    ///   - now: The instant.
    /// - Throws: `RequestError` if there are no sessions.
    init(
        _ configuration: ActiveConfiguration,
        registry: SessionRegistry?,
        at now: Timestamp
    ) throws(RequestError) {
        guard let rules = configuration.sessions else { throw .notEnabled(setting: "sessions.keyFiles") }
        (self.rules, self.registry, self.now) = (rules, registry, now)
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
    /// - Parameters:
    ///   - verdict: The verdict on the token, which is not redeemed yet.
    ///   - client: The client that the session is bound to.
    ///   - store: Where the token is redeemed.
    /// - Returns: The verdict, redemption included, and the session if the verdict is good.
    /// - Throws: `PlaybackSessionError` if there can be no session; the token was not redeemed.
    func start(
        for verdict: MediaTokenVerdict,
        client: SessionClient,
        redeemingIn store: any ReplayStore
    ) async throws(PlaybackSessionError) -> (verdict: MediaTokenVerdict, handout: SessionHandout?) {
        guard case .success(let token) = verdict.result else { return (verdict, nil) }
        let handout = try await start(forRedeemed: token, client: client)
        let redeemed = await verdict.redeemed(in: store, at: now)
        guard redeemed.status == .validToken else {
            // If this fails, the stream counts until the session would have ended.
            try? await registry?.release(handout.session)
            return (redeemed, nil)
        }
        return (redeemed, handout)
    }

    /// Starts a session for a token that is used up already.
    ///
    /// - Parameters:
    ///   - token: The token: verified, and redeemed unless a token may be used any number of times.
    ///   - client: The client that the session is bound to.
    ///   - end: An instant after which the session is not good, also if it is renewed; `nil` for none but those of the
    ///     settings.
    /// - Returns: The session, and the grants that come with it.
    /// - Throws: `PlaybackSessionError` if there can be no session.
    func start(
        forRedeemed token: VerifiedMediaToken,
        client: SessionClient,
        notAfter end: Timestamp? = nil
    ) async throws(PlaybackSessionError) -> SessionHandout {
        let handout = try handout(rules.issuer.issue(for: token, client: client, at: now, notAfter: end))
        let issued = handout.issued
        try await passing { registry throws(PlaybackSessionError) in try await registry.start(issued.session) }
        return handout
    }

    private func handout(_ issued: IssuedPlaybackSession) throws(PlaybackSessionError) -> SessionHandout {
        SessionHandout(issued: issued, edges: try rules.edges?.grants(for: issued.session) ?? [])
    }

    /// Gives a session a later end.
    ///
    /// - Parameters:
    ///   - text: The session as it was presented.
    ///   - resource: The resource that it must be for.
    ///   - client: The client that presents it.
    /// - Returns: The session with its new text, and new grants.
    /// - Throws: `PlaybackSessionError`.
    func renew(
        _ text: String,
        for resource: Expectation<ResourceID>,
        from client: SessionClient
    ) async throws(PlaybackSessionError) -> SessionHandout {
        let session = try verified(text, for: resource, from: client)
        let handout = try handout(rules.issuer.renew(session, at: now))
        let issued = handout.issued
        try await passing { registry throws(PlaybackSessionError) in
            try await registry.renew(session, as: issued.session)
        }
        return handout
    }

    /// Ends a session at the wish of its holder.
    ///
    /// - Parameters:
    ///   - text: The session as it was presented.
    ///   - resource: The resource that it must be for.
    ///   - client: The client that presents it.
    ///   - registry: Where it is revoked.
    /// - Returns: The session.
    /// - Throws: `PlaybackSessionError`.
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
    /// - Parameters:
    ///   - text: The session as it was presented.
    ///   - resource: The resource that it must be for.
    ///   - client: The client that presents it.
    /// - Returns: The session.
    /// - Throws: `PlaybackSessionError`.
    func verified(
        _ text: String,
        for resource: Expectation<ResourceID>,
        from client: SessionClient
    ) throws(PlaybackSessionError) -> VerifiedPlaybackSession {
        let expectations = PlaybackExpectations(requestor: requestor, resource: resource, client: client)
        return try rules.verifier.verify(text, expecting: expectations, at: now)
    }

    /// Asks the registry, and goes on without it if it cannot tell and the settings allow that.
    private func passing(
        _ ask: (SessionRegistry) async throws(PlaybackSessionError) -> Void
    ) async throws(PlaybackSessionError) {
        guard let registry else { return }
        do throws(PlaybackSessionError) {
            try await ask(registry)
        } catch  where error.isOfStore && rules.settings.passesWithoutStore {
            return
        }
    }
}
#endif
