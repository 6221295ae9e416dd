extension EntitlementClient {
    /// Tells statuses and analytics of an answer: the gateway's own events, or, if it has none, what stands in for them.
    ///
    /// - Parameters:
    ///   - events: The gateway's events.
    ///   - code: The status if the events have none.
    ///   - details: Further keys of that status.
    ///   - tracking: The event for analytics if the events have none of its kind.
    func tell(
        _ events: [GatewayEvent],
        or code: StatusCode?,
        _ details: [String: String] = [:],
        tracking: TrackingEvent? = nil
    ) {
        let statuses = events.compactMap(\.status)
        for status in statuses {
            // Only the code that the status is about has the text of the provider.
            tell(status.code, level: status.level, status.code == code ? details : [:])
        }
        if statuses.isEmpty, let code { tell(code, details) }
        let tracked = events.compactMap(\.tracking)
        for event in tracked { delegate?.sendTrackingData(event.array, forEventType: event.kind.rawValue) }
        if let tracking, !tracked.contains(where: { $0.kind == tracking.kind }) {
            delegate?.sendTrackingData(tracking.array, forEventType: tracking.kind.rawValue)
        }
    }

    /// Tells a status.
    func tell(_ code: StatusCode, level: String? = nil, _ details: [String: String] = [:]) {
        delegate?.status(
            details.merging(["errorId": code.rawValue, "level": level ?? code.level]) { _, own in own })
    }

    /// The viewer is signed in.
    ///
    /// - Parameters:
    ///   - mvpd: The provider.
    ///   - until: When the sign-in ends, in milliseconds since the Unix epoch; `nil` if it is not known.
    ///   - events: The events of the answer that says so.
    ///   - cached: Whether it was known before.
    func signedIn(at mvpd: String, until: Int64?, events: [GatewayEvent], cached: Bool) async {
        if viewer?.mvpd != mvpd { permits = PermitCache() }
        viewer = Viewer(mvpd: mvpd, until: until)
        await remember(mvpd)
        delegate?.setAuthenticationStatus(1, errorCode: "")
        tell(events, or: nil, tracking: .signedIn(at: mvpd, cached: cached, on: device))
    }

    /// The viewer is not signed in.
    ///
    /// - Parameters:
    ///   - original: The error of the first system.
    ///   - code: The code of the second system.
    ///   - events: The events of the answer that says so.
    func notSignedIn(
        _ original: String = OriginalError.userNotAuthenticated,
        _ code: StatusCode? = .notAuthenticated,
        events: [GatewayEvent]
    ) {
        delegate?.setAuthenticationStatus(0, errorCode: original)
        tell(events, or: code, tracking: .notSignedIn(on: device))
    }

    /// A call about the sign-in failed.
    func authenticationFailed(_ error: GatewayError) {
        guard error != .cancelled else { return }
        let (original, code) = error.words(in: .authentication)
        notSignedIn(original, code, events: error.events)
    }

    /// Keeps the provider with its name and flags, so that `getSelectedProvider` can tell them after a new start.
    private func remember(_ mvpd: String) async {
        guard let gateway, await gateway.lastChosen()?.id != mvpd else { return }
        if !providers.contains(where: { $0.id == mvpd }), let answer = try? await gateway.send(.providers) {
            providers = MVPD.list(answer.body["providers"])
        }
        try? await gateway.remember(providers.first { $0.id == mvpd } ?? MVPD(id: mvpd))
    }
}
