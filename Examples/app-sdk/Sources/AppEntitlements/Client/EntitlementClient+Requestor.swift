extension EntitlementClient {
    /// Names the app, by its id in the gateway's settings, which say the requestor; ends with `setRequestorComplete`.
    ///
    /// Called again, as an app does that comes to the foreground, it asks the broker by the gateway whether the viewer is
    /// still signed in, and tells `setAuthenticationStatus` if that has changed.
    ///
    /// - Parameter requestorID: The app's id at the gateway.
    public func setRequestor(_ requestorID: String) {
        enqueue { await self.start(as: requestorID) }
    }

    /// Refused: the gateway knows the servers.
    @available(
        *, unavailable, message: "the gateway's settings name the broker (broker.origin); leave the addresses out"
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
            self.gateway = gateway
            if partner != nil {
                await synchronizePartner(with: gateway)
            } else if isAgain {
                await refresh(from: gateway)
            }
            delegate?.setRequestorComplete(1)
        } catch {
            (gateway, failure) = (nil, error)
            tell(error.events, or: error.words(in: .setRequestor).code)
            delegate?.setRequestorComplete(0)
        }
    }

    private func makeGateway(for app: String) throws(GatewayError) -> Gateway {
        try Gateway(
            at: address, for: app, device: device, visitorID: visitorID, lastProvider: lastProvider, store: store,
            transport: transport, time: time)
    }

    /// Asks whether the viewer is still signed in; a broker that does not answer changes nothing.
    private func refresh(from gateway: Gateway) async {
        let (before, mine) = (viewer, epoch)
        var found = before
        do throws(GatewayError) {
            let profile = ViewerProfile(try await gateway.send(.profile(refreshing: true)))
            if let profile { found = Viewer(mvpd: profile.mvpd, until: profile.until) }
        } catch {
            if error.asksForSignIn { found = .signedOut }
        }
        guard epoch == mine, let found, found.mvpd != before?.mvpd else { return }
        if let mvpd = found.mvpd {
            await signedIn(at: mvpd, until: found.until, events: [], cached: false)
        } else {
            viewer = .signedOut
            if before != nil { notSignedIn(events: []) }
        }
    }

    private func tellGateway(device: DeviceDescription?, visitorID: String?) async {
        // The device's registration says it otherwise; what is lost is said with the next registration.
        try? await gateway?.change(device: device, visitorID: visitorID)
    }

    /// Drops what is known of the viewer.
    func forgetViewer() {
        epoch += 1
        watch?.cancel()
        (watch, viewer, leaving) = (nil, nil, nil)
        (permits, playbacks, providers) = (PermitCache(), [:], [])
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
