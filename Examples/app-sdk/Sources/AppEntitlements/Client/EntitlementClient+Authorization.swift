extension EntitlementClient {
    /// Asks whether a resource may be played: `setToken` or `tokenRequestFailed`, after `setAuthenticationStatus`.
    ///
    /// - Parameter resource: The resource.
    public func checkAuthorization(_ resource: String) {
        enqueue { await self.authorize(resource, tellingStatus: true) }
    }

    /// The same without `setAuthenticationStatus`, but a viewer who is not signed in signs in first, which tells it; the
    /// answer follows by itself then.
    ///
    /// An app may call it each time that `setAuthenticationStatus` says 1.
    ///
    /// - Parameter resource: The resource.
    public func getAuthorization(_ resource: String) {
        enqueue { await self.authorize(resource, signingIn: true) }
    }

    /// Refused: data has no place in these requests.
    @available(
        *, unavailable, message: "hand the identity for temporary access to getAuthentication; other data has no place"
    )
    public func checkAuthorization(_ resource: String, withData data: [String: String]) {}

    /// Refused: data has no place in these requests.
    @available(
        *, unavailable, message: "hand the identity for temporary access to getAuthentication; other data has no place"
    )
    public func getAuthorization(_ resource: String, withData data: [String: String]) {}

    /// The play that a resource has been permitted for last; `nil` if there is none.
    ///
    /// - Parameter resource: The resource.
    /// - Returns: The play, with the end of its session and of temporary access.
    public func playback(of resource: String) -> Playback? { playbacks[resource] }

    /// Gives the playback session of a resource a later end.
    ///
    /// - Parameter resource: The resource.
    /// - Returns: The play with its new session; the old one is good until its own end.
    /// - Throws: `GatewayError`; once the session has ended, a new `getAuthorization` is needed.
    public func renewPlayback(of resource: String) async throws(GatewayError) -> Playback {
        guard var playback = playbacks[resource] else { throw .notPlaying }
        let answer = try await ready().send(.renewPlayback(playback.session))
        guard let session = answer[text: "session"], let expires = answer[instant: "sessionExpires"] else {
            throw .unreadable(status: 200, retryAfter: nil)
        }
        (playback.session, playback.expires) = (session, expires)
        playbacks[resource] = playback
        return playback
    }

    /// Ends the playback session of a resource, so that its stream counts no longer; if that gets lost, it ends by itself.
    ///
    /// - Parameter resource: The resource.
    public func endPlayback(of resource: String) {
        guard let playback = playbacks.removeValue(forKey: resource) else { return }
        enqueue { _ = try? await self.gateway?.send(.endPlayback(playback.session)) }
    }

    // MARK: Commands

    private func authorize(_ resource: String, tellingStatus: Bool = false, signingIn: Bool = false) async {
        let mine = epoch
        do throws(GatewayError) {
            let answer = try await ready().send(.play(resource))
            guard epoch == mine else { return failed(resource, OriginalError.userNotAuthenticated) }
            guard let playback = Playback(answer, of: resource) else {
                throw .unreadable(status: 200, retryAfter: nil)
            }
            await permitted(playback, answer.events, tellingStatus: tellingStatus)
        } catch {
            guard epoch == mine, error != .cancelled else {
                return failed(resource, OriginalError.userNotAuthenticated)
            }
            if error.asksForSignIn, signingIn {
                failPending()
                pendingResource = resource
                return await signIn(at: nil)
            }
            await denied(resource, because: error, tellingStatus: tellingStatus)
        }
    }

    private func permitted(_ playback: Playback, _ events: [GatewayEvent], tellingStatus: Bool) async {
        playbacks[playback.resource] = playback
        let isKnown = viewer?.mvpd == playback.mvpd
        if !isKnown {
            let until = events.compactMap(\.authentication).first?.until
            viewer = Viewer(mvpd: playback.mvpd, until: until)
        }
        if tellingStatus { delegate?.setAuthenticationStatus(1, errorCode: "") }
        let code: StatusCode? =
            playback.isDegraded
            ? .authorizedByDegradation : playback.temporaryUntil != nil ? .authorizedByTemporaryAccess : nil
        tell(events, at: "permitted", or: code) {
            delegate?.setToken(playback.session, forResource: playback.resource)
        }
        if !isKnown { await keepViewer() }
    }

    private func denied(_ resource: String, because error: GatewayError, tellingStatus: Bool) async {
        let words = error.words(in: .authorization)
        let original = error.events.compactMap { $0.tracking?.error }.first ?? words.original
        let isSignedOut = original == OriginalError.userNotAuthenticated
        if isSignedOut { viewer = .signedOut }
        if tellingStatus { tellStatus(of: error, isSignedOut: isSignedOut) }
        var details = ["resource": resource]
        details["message"] = error.message
        if !error.links.isEmpty { details["links"] = error.links.joined(separator: " ") }
        let tracking = TrackingEvent.notPermitted(original, details: error.message, on: device)
        tell(error.events, at: "token_request_failed", or: words.code, details, tracking: tracking) {
            failed(resource, original, error.message ?? "", error.links)
        }
        if isSignedOut { await keepViewer() }
    }

    /// Says whether the viewer is signed in, before the end of a question that has no permit.
    private func tellStatus(of error: GatewayError, isSignedOut: Bool) {
        // Without the gateway nothing was asked.
        guard gateway != nil else { return }
        let isSignedIn = error.events.compactMap(\.authentication).first?.isSignedIn
        if !isSignedOut, isSignedIn ?? (viewer?.mvpd != nil) {
            delegate?.setAuthenticationStatus(1, errorCode: "")
        } else if isSignedOut || isSignedIn != nil || viewer != nil {
            delegate?.setAuthenticationStatus(0, errorCode: OriginalError.userNotAuthenticated)
        } else {
            delegate?.setAuthenticationStatus(0, errorCode: error.words(in: .authentication).original)
        }
    }

    private func failed(_ resource: String, _ original: String, _ text: String = "", _ links: [String] = []) {
        delegate?.tokenRequestFailed(resource, errorCode: original, errorDescription: text, links: links)
    }

    // MARK: The resource that waits

    /// Plays the resource that waited for the viewer to sign in.
    func playPending() {
        guard let resource = pendingResource else { return }
        pendingResource = nil
        enqueue { await self.authorize(resource) }
    }

    /// Gives the resource up that waited for the viewer to sign in.
    func failPending() {
        guard let resource = pendingResource else { return }
        pendingResource = nil
        failed(resource, OriginalError.userNotAuthenticated)
    }
}
