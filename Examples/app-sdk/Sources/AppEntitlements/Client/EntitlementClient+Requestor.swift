extension EntitlementClient {
    /// Names the app, by its id in the gateway's settings, which say the requestor; ends with `setRequestorComplete`.
    ///
    /// Called again, as an app does that comes to the foreground, it asks the broker by the gateway whether the viewer is
    /// still signed in, and tells `setAuthenticationStatus` if that has changed. If there is no answer,
    /// `setRequestorComplete` says 0; what was known before still counts, and calls after it are answered.
    ///
    /// - Parameter requestorID: The app's id at the gateway.
    public func setRequestor(_ requestorID: String) {
        enqueue { await self.start(as: requestorID) }
    }

    /// Refused: the gateway asks one broker.
    @available(
        *, unavailable,
        message: "a gateway asks one broker (broker.origin); leave the addresses out, or take a client for each gateway"
    )
    public func setRequestor(_ requestorID: String, serviceProviders urls: [String]) {}

    /// Refused: the older protocol.
    @available(*, unavailable, message: "signed requestor identifiers belong to the older protocol; leave them out")
    public func setRequestor(
        _ requestorID: String, signedRequestorId: String, serviceProviders urls: [String] = [], secret: String = "",
        publicKey: String = ""
    ) {}

    /// Changes options, at any time.
    ///
    /// - Parameter options: `visitorID`, a text; `handleSVC`, `true`.
    /// - Throws: ``UnsupportedOption`` for another name or value; nothing has changed then.
    public func setOptions(_ options: [String: JSONValue]) throws(UnsupportedOption) {
        var (visitor, handles) = (visitorID, namesBrowser)
        for (name, value) in options {
            switch (name, value) {
            case ("visitorID", .text(let text)): visitor = text
            case ("handleSVC", .boolean(true)): handles = true
            default: throw UnsupportedOption(name)
            }
        }
        (visitorID, namesBrowser) = (visitor, handles)
        guard options["visitorID"] != nil else { return }
        enqueue { await self.tellGateway(device: nil, visitorID: visitor) }
    }

    /// Changes what the device says of itself: `device_info` of the operator's `setOptions`.
    ///
    /// - Parameter device: What it says.
    public func setDevice(_ device: DeviceDescription) {
        self.device = device
        enqueue { await self.tellGateway(device: device, visitorID: nil) }
    }

    // MARK: Commands

    private func start(as app: String) async {
        let isAgain = gateway?.app == app
        if !isAgain { forgetViewer() }
        do throws(GatewayError) {
            let gateway = try isAgain ? ready() : makeGateway(for: app)
            try await gateway.register()
            if !isAgain { viewer = await gateway.lastViewer() }
            self.gateway = gateway
            if partner != nil {
                await synchronizePartner(with: gateway, isStart: !isAgain)
            } else if isAgain {
                try await refresh(from: gateway)
            }
            delegate?.setRequestorComplete(1)
        } catch {
            if !isAgain { (gateway, failure) = (nil, error) }
            tell(error.events, at: "requestor_complete", or: error.words(in: .setRequestor).code) {
                delegate?.setRequestorComplete(0)
            }
        }
    }

    private func makeGateway(for app: String) throws(GatewayError) -> Gateway {
        try Gateway(
            at: address, for: app, device: device, visitorID: visitorID, lastProvider: lastProvider, store: store,
            transport: transport, time: time)
    }

    /// Asks whether the viewer is still signed in, and tells a change.
    ///
    /// - Throws: `GatewayError` if that cannot be had; nothing has changed then.
    private func refresh(from gateway: Gateway) async throws(GatewayError) {
        let (before, mine) = (viewer, epoch)
        var (found, events): (Viewer, [GatewayEvent]) = (.signedOut, [])
        do throws(GatewayError) {
            let answer = try await gateway.send(.profile(refreshing: true))
            guard let profile = ViewerProfile(answer) else { throw .unreadable(status: 200, retryAfter: nil) }
            (found, events) = (Viewer(mvpd: profile.mvpd, until: profile.until), answer.events)
        } catch {
            guard error.asksForSignIn else { throw error }
            events = error.events
        }
        guard epoch == mine, found.mvpd != before?.mvpd else { return }
        if let mvpd = found.mvpd {
            await signedIn(at: mvpd, until: found.until, events: events, cached: false)
        } else {
            viewer = .signedOut
            await keepViewer()
            notSignedIn(events: events)
        }
    }

    private func tellGateway(device: DeviceDescription?, visitorID: String?) async {
        // The device's registration says it otherwise; what is lost is said before the next request.
        try? await gateway?.change(device: device, visitorID: visitorID)
    }

    /// Drops what is known of the viewer.
    func forgetViewer() {
        epoch += 1
        watch?.cancel()
        (watch, viewer, leaving) = (nil, nil, nil)
        (permits, playbacks, providers, partnerStatus) = (PermitCache(), [:], [], nil)
    }
}

/// An option of `setOptions` that has no place here.
public struct UnsupportedOption: Error, Sendable, Hashable {
    /// The name of the option.
    public let name: String

    init(_ name: String) { self.name = name }
}

extension UnsupportedOption: CustomStringConvertible {
    /// What the option is, and what takes its place.
    public var description: String {
        switch name {
        case "device_info": "device_info is an argument of the initialiser; call setDevice to change it"
        case "applicationProfile": "applicationProfile has no place in the gateway; leave it out"
        case "handleSVC": "handleSVC: false asks the library to show a browser; leave it out, and open the address"
        default: "the option has no place in the gateway, or its value is of another type"
        }
    }
}
