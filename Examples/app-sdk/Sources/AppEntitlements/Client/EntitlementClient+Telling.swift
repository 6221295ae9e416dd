extension EntitlementClient {
    /// Calls back with an answer, and tells statuses and analytics before and after it, as the gateway's events order them.
    ///
    /// Where the gateway tells nothing of the callback, for example because it has answered without the broker, what stands
    /// in for its events follows the callback.
    ///
    /// - Parameters:
    ///   - events: The gateway's events.
    ///   - name: The name of the event that the callback is for.
    ///   - code: The status if the events have none.
    ///   - details: Further keys of the status that belongs to the callback.
    ///   - tracking: The event for analytics if the events have none of its kind.
    ///   - callback: Calls the delegate.
    func tell(
        _ events: [GatewayEvent],
        at name: String,
        or code: StatusCode?,
        _ details: [String: String] = [:],
        tracking: TrackingEvent? = nil,
        callback: () -> Void
    ) {
        let place = events.firstIndex { $0.name == name }
        for event in events.prefix(upTo: place ?? 0) { tell(event) }
        callback()
        // Only the status of the callback has the text of the provider.
        for event in events.suffix(from: place ?? 0) {
            tell(event, place != nil || event.status?.code == code ? details : [:])
        }
        guard place == nil else { return }
        if let code, !events.contains(where: { $0.status != nil }) { tell(code, details) }
        if let tracking, !events.contains(where: { $0.tracking?.kind == tracking.kind }) { tell(tracking) }
    }

    /// Tells a status or analytics of the gateway; other events belong to callbacks.
    private func tell(_ event: GatewayEvent, _ details: [String: String] = [:]) {
        if let status = event.status { tell(status.code, level: status.level, details) }
        if let tracking = event.tracking { tell(tracking) }
    }

    private func tell(_ tracking: TrackingEvent) {
        delegate?.sendTrackingData(tracking.array, forEventType: tracking.kind.rawValue)
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
        await keepViewer()
        let tracking = TrackingEvent.signedIn(at: mvpd, cached: cached, on: device)
        tell(events, at: "authentication_status", or: nil, tracking: tracking) {
            delegate?.setAuthenticationStatus(1, errorCode: "")
        }
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
        tell(events, at: "authentication_status", or: code, tracking: .notSignedIn(on: device)) {
            delegate?.setAuthenticationStatus(0, errorCode: original)
        }
    }

    /// The viewer has chosen no provider.
    ///
    /// - Parameter events: The events of the answer that says so.
    func notChosen(events: [GatewayEvent]) {
        tell(events, at: "authentication_status", or: .pickerCancelled) {
            delegate?.setAuthenticationStatus(0, errorCode: OriginalError.providerNotSelected)
        }
    }

    /// A call about the sign-in failed.
    ///
    /// - Parameters:
    ///   - error: The failure.
    ///   - isReturn: Whether the browser came back. If it could not be said then whether the viewer has signed in, the
    ///     library named no cause in its first system.
    func authenticationFailed(_ error: GatewayError, afterReturn isReturn: Bool = false) {
        guard error != .cancelled else { return }
        let (original, code) = error.words(in: .authentication)
        let isUnconfirmed = isReturn && error.saysNothingOfViewer
        notSignedIn(isUnconfirmed ? OriginalError.genericAuthentication : original, code, events: error.events)
    }

    /// Keeps what is known of the viewer, so that it can be told after a new start without a connection.
    func keepViewer() async { try? await gateway?.remember(viewer: viewer) }

    /// Keeps the provider with its name and flags, so that `getSelectedProvider` can tell them after a new start.
    private func remember(_ mvpd: String) async {
        guard let gateway, await gateway.lastChosen()?.id != mvpd else { return }
        if !providers.contains(where: { $0.id == mvpd }), let answer = try? await gateway.send(.providers) {
            providers = MVPD.list(answer.body["providers"])
        }
        try? await gateway.remember(providers.first { $0.id == mvpd } ?? MVPD(id: mvpd))
    }
}
