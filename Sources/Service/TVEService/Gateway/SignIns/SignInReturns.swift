#if Service
import BrokerMessages
import EntitlementFlows
import EntitlementValues
import HTTPTypes
import Hummingbird
import SealedRecords
import TextCodecs

extension GatewayCall {
    /// `GET /v1/return/{state}`: a user's browser comes back from a provider's login or logout.
    ///
    /// Whether the user has signed in, the broker says, who is asked at once; the address says nothing of it.
    func showReturn() async throws -> Response {
        let known = BrowserCookie.returned.value(in: request).flatMap { $0.isState ? $0 : nil }
        let mark = try known ?? newMark()
        var response: Response
        do {
            response = try await answerReturn(of: mark, isKnown: known != nil)
        } catch {
            guard let refusal = RequestError(atGateway: error) else { throw error }
            response = GatewayPage(.tryAgain).response(status: refusal.status)
        }
        response.headers.append(BrowserCookie.returned.setting(mark))
        return response
    }

    /// The mark of a browser that has none yet.
    ///
    /// If the answer is lost with its cookie, because this process is killed, a proxy repeats the request at another
    /// replica. So the mark is made of the connection, which is the same one then: of the browser's address and port,
    /// as the trusted proxy states them, and of what the browser calls itself. Without the port it is random.
    private func newMark() throws -> String {
        guard let port = client.port else { return try SignInFlow.randomText() }
        let connection = "\(parameter ?? "") \(client.address.text) \(port) \(request.headers[.userAgent] ?? "")"
        let key = try gateway.sealer.key(of: connection, for: .browserMark)
        return Base64.encodeURLSafe(Array(key.bytes.prefix(16)))
    }

    private func answerReturn(of mark: String, isKnown: Bool) async throws -> Response {
        try await gateway.checkKeys()
        guard let state = parameter, state.isState,
            let device = try await gateway.devices.record(ofState: state), gateway.apps[device.app] != nil
        else { return GatewayPage(.ended).response(status: .notFound) }
        guard !device.isForgotten else { return GatewayPage(.ended).response(status: .gone) }
        let browser = ReturningBrowser(
            isDevice: isBrowser(of: device), mark: mark, isMarked: isKnown,
            confirmed: BrowserCookie.confirmed.value(in: request))
        let flow = try SignInFlow(of: device, in: self)
        return Self.response(try await flow.take(browser, at: state, of: device.signIns))
    }

    /// Whether the browser has the cookie of a device.
    private func isBrowser(of device: GatewayDevice) -> Bool {
        guard let text = DeviceCookie.token(in: request), let token = try? gateway.tokens.open(text, at: now) else {
            return false
        }
        return token.key == device.key && device.accepts(token)
    }

    private static func response(_ found: BrowserReturn) -> Response {
        switch found {
        case .done(let address?), .signedOut(let address?): redirect(to: address)
        case .handOver(let code, let address): redirect(to: address.adding(returned: code))
        case .done(nil): GatewayPage(.goBack).response()
        case .signedOut(nil): GatewayPage(.signedOut).response()
        case .activated(let device): GatewayPage(.activated(device)).response()
        case .notSignedIn(let device): GatewayPage(.notSignedIn(device)).response()
        case .ended: GatewayPage(.ended).response(status: .gone)
        }
    }

    /// Sends a browser on; the address that it came to is told to no other site.
    static func redirect(to address: String) -> Response {
        Response(
            status: .seeOther,
            headers: [.location: address, .cacheControl: "no-store", .referrerPolicy: "no-referrer"])
    }
}

extension RecordPurpose {
    /// Marks of browsers that came back without one.
    fileprivate static let browserMark: RecordPurpose = "gateway-browser"
}

extension String {
    /// Whether the text has the form of what ``SignInFlow/randomText()`` draws.
    var isState: Bool { utf8.count == 22 && utf8.allSatisfy(\.isURLSafe) }

    /// The address with the one-time code in its query, before a fragment.
    fileprivate func adding(returned code: String) -> String {
        let base = prefix { $0 != "#" }
        let mark = base.contains("?") ? (base.hasSuffix("?") || base.hasSuffix("&") ? "" : "&") : "?"
        return "\(base)\(mark)returned=\(code)\(dropFirst(base.count))"
    }
}

/// What a browser finds that comes back from a provider.
enum BrowserReturn: Sendable, Hashable {
    /// The sign-in is done, or will be as soon as the broker says so.
    case done(returnTo: String?)
    /// The browser hands a one-time code to the app, which proves by it where the browser came back.
    case handOver(code: String, returnTo: String)
    /// The user is signed in on another screen.
    case activated(device: String?)
    /// The user has cancelled, as far as can be told.
    case notSignedIn(device: String?)
    /// The logout is done, or one of its pages: the app opens the next one.
    case signedOut(returnTo: String?)
    /// The sign-in is unknown or over, or this is not its browser.
    case ended
}

extension SignInFlow {
    /// Takes a browser that came back to an address of this device.
    ///
    /// The broker is asked first, and then one change decides, on what is there then: while the broker answers, the
    /// sign-in may be proved, given up, or taken by another browser.
    ///
    /// The state stands in the address. `signIns` are the device's as they were read. Returns what the browser finds.
    func take(
        _ browser: ReturningBrowser,
        at state: String,
        of signIns: DeviceSignIns
    ) async throws -> BrowserReturn {
        let open = signIns.signInToAskAbout(for: browser, at: state)
        let mvpd = if let open { try await provider(of: open) } else { nil as MVPDID? }
        let (proof, now) = (try Self.randomText(), now)
        let came: ReturnDecision
        do {
            came = try await changeRecord { record in
                let came = record.signIns.come(browser, to: state, finding: mvpd, proof: proof, at: now)
                if case .signedIn = came { record.facts.lastProvider = mvpd }
                return came
            }
        } catch {
            // The device may have been erased while the broker was asked.
            if let open { await gateway.eraseIfGone(open.number, of: key, in: app) }
            throw error
        }
        switch came {
        case .signedOut(let session, let returnTo):
            _ = try? await withSession(session, returningTo: state) { session in
                try await session.handleExternalURL(gateway.returnAddress(state))
            }
            return .signedOut(returnTo: returnTo)
        case .waits(let open):
            gateway.runtime.longPolls.wake(key)
            return found(of: open)
        case .signedIn(let open, let displaced):
            await signedIn(open, displacing: displaced)
            return open.kind == .code ? .activated(device: open.deviceName) : .done(returnTo: open.returnTo)
        case .notSignedIn(let open): return .notSignedIn(device: open.deviceName)
        case .held(let open): return try await settled(open)
        case .again(let proved): return .done(returnTo: proved.returnTo)
        case .void(let gone):
            await retire(gone, loggingOut: true)
            return .ended
        case .overtaken(let plays):
            await endPlays(plays, of: state)
            return .ended
        case .late(let gone):
            // Its user has just signed in there.
            _ = try? await logOut(gone)
            return .ended
        case .unknown: return .ended
        }
    }

    /// The provider with which the broker has a profile of a sign-in; `nil` if it has none.
    private func provider(of open: OpenSignIn) async throws -> MVPDID? {
        // A reload asks only as long as the profile is not known.
        if open.isThere != nil, let known = try await profile(of: open.number) { return known.mvpd }
        return await ask(about: open)?.mvpd
    }

    private func found(of open: OpenSignIn) -> BrowserReturn {
        guard case .returned = open.phase else { return .done(returnTo: open.returnTo) }
        guard let proof = open.proof, let returnTo = open.returnTo else { return .ended }
        return .handOver(code: proof, returnTo: returnTo)
    }

    /// Waits until a profile counts that is held back.
    private func settled(_ open: OpenSignIn) async throws -> BrowserReturn {
        try await time.sleep(untilUptime: time.uptime + OpenSignIn.holdTime.duration)
        guard case .authenticated = try await status(),
            try await gateway.devices.record(of: key)?.signIns.proved?.state == open.state
        else { return .notSignedIn(device: open.deviceName) }
        return .activated(device: open.deviceName)
    }
}
#endif
