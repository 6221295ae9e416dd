extension EntitlementClient {
    /// Asks whether a resource may be played: `setToken` or `tokenRequestFailed`, after `setAuthenticationStatus`.
    ///
    /// - Parameter resource: The resource.
    public func checkAuthorization(_ resource: String) {
        enqueue { await self.authorize(resource, signingIn: false) }
    }

    /// The same, but a viewer who is not signed in signs in first; the answer follows by itself then.
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

    private func authorize(_ resource: String, signingIn: Bool) async {
        let mine = epoch
        do throws(GatewayError) {
            let answer = try await ready().send(.play(resource))
            guard epoch == mine else { return failed(resource, OriginalError.userNotAuthenticated) }
            guard let playback = Playback(answer, of: resource) else {
                throw .unreadable(status: 200, retryAfter: nil)
            }
            permitted(playback, answer.events)
        } catch {
            guard epoch == mine, error != .cancelled else {
                return failed(resource, OriginalError.userNotAuthenticated)
            }
            if error.asksForSignIn, signingIn {
                failPending()
                pendingResource = resource
                return await signIn(at: nil)
            }
            denied(resource, because: error)
        }
    }

    private func permitted(_ playback: Playback, _ events: [GatewayEvent]) {
        playbacks[playback.resource] = playback
        if viewer?.mvpd != playback.mvpd { viewer = Viewer(mvpd: playback.mvpd) }
        delegate?.setAuthenticationStatus(1, errorCode: "")
        delegate?.setToken(playback.session, forResource: playback.resource)
        let code: StatusCode? =
            playback.isDegraded
            ? .authorizedByDegradation : playback.temporaryUntil != nil ? .authorizedByTemporaryAccess : nil
        tell(events, or: code)
    }

    private func denied(_ resource: String, because error: GatewayError) {
        let (original, code) = error.words(in: .authorization)
        if original == OriginalError.userNotAuthenticated {
            viewer = .signedOut
            delegate?.setAuthenticationStatus(0, errorCode: original)
        } else if case .refused(let refusal) = error, refusal.action == .showMessage {
            delegate?.setAuthenticationStatus(1, errorCode: "")
        }
        failed(resource, original, error.message ?? "")
        var details = ["resource": resource]
        details["message"] = error.message
        tell(
            error.events, or: code, details,
            tracking: .notPermitted(original, details: error.message, on: device))
    }

    private func failed(_ resource: String, _ original: String, _ text: String = "") {
        delegate?.tokenRequestFailed(resource, errorCode: original, errorDescription: text)
    }

    // MARK: The resource that waits

    /// Plays the resource that waited for the viewer to sign in.
    func playPending() {
        guard let resource = pendingResource else { return }
        pendingResource = nil
        enqueue { await self.authorize(resource, signingIn: false) }
    }

    /// Gives the resource up that waited for the viewer to sign in.
    func failPending() {
        guard let resource = pendingResource else { return }
        pendingResource = nil
        failed(resource, OriginalError.userNotAuthenticated)
    }
}
