#if Service
import BrokerClient
import BrokerMessages
import EntitlementFlows
import EntitlementValues
import Hummingbird
import MediaTokens
import PlaybackSessions
import ServiceResponses
import TextCodecs

/// `POST /v1/plays`: asks the broker whether a device may play a resource now, and starts a playback session if it may.
///
/// The flows verify the broker's media token, for the requestor, the resource and the provider that were asked for, and use
/// it up: in one place, once. The session that is handed out for it is good for all segments.
///
/// An app that signs its users in by itself lends its access token in place of a device token, if the settings let it.
struct Play {
    /// On whose behalf the broker is asked.
    private enum Viewer {
        case device(DeviceCall)
        case lent(LentSignIn)
    }

    private let call: GatewayCall
    private let viewer: Viewer

    private init(_ call: GatewayCall, of viewer: Viewer) { (self.call, self.viewer) = (call, viewer) }

    /// Answers the request.
    ///
    /// Without a device token, the body of a request is read only if an app may lend its access token.
    static func answer(_ call: GatewayCall) async throws -> Response {
        guard !call.presentsToken, call.gateway.apps.values.contains(where: \.settings.borrowedTokens) else {
            let device = try await DeviceCall(admitting: call)
            // A request with both has the members of a lent token, too: it is told what is wrong with it as a whole.
            let body = try await call.body(taking: ["app", "resource", "cookie", "borrowed"])
            guard !body.contains("borrowed") else {
                throw RequestError.badRequest("borrowed takes the place of a device token; send one of the two")
            }
            guard !body.contains("app") else {
                throw RequestError.badRequest("app goes with borrowed; a device token says which app it is of")
            }
            return try await Play(call, of: .device(device)).answer(to: body)
        }
        let bytes = try await call.bytes()
        // One that does not even name it lacks a device token first of all, whatever else is in it.
        guard bytes.contains(Array(#""borrowed""#.utf8)) else { throw RequestError.noDeviceToken }
        let body = try GatewayBody(bytes, taking: ["app", "resource", "cookie", "borrowed"])
        guard body.contains("borrowed") else { throw RequestError.noDeviceToken }
        // Else a form of any page could give the user's browser a session of the sender's.
        guard call.request.isJSON else {
            throw RequestError.crossSite("borrowed counts only in a request with Content-Type: application/json")
        }
        return try await Play(call, of: .lent(try LentSignIn(of: body, call))).answer(to: body)
    }

    private func answer(to body: GatewayBody) async throws -> Response {
        let resource = ResourceID(try body.requiredIdentifier("resource"))
        let cookie = try body.boolean("cookie")
        // Before the broker is asked: temporary access would be used up for a play that cannot begin.
        let operations = try operations()
        let client = try call.request.client(by: operations.rules)
        if case .device(let device) = viewer {
            try device.requireRecord()
            if call.state.registry != nil, let end = device.record?.signIns.fullUntil(at: call.now) {
                throw RequestError.tooManyPlays(until: end, at: call.now)
            }
        }
        do {
            try operations.checkLengths(of: resource, for: requestor, client: client)
        } catch {
            count(.failed, of: nil)
            throw error
        }
        let permit = try await permit(for: resource)
        return try await start(permit, client: client, inCookie: cookie)
    }

    // MARK: The broker's decision

    /// What the broker permitted: a verified token that is used up, and what the app is told of it.
    private struct Permit: Sendable {
        let token: VerifiedMediaToken
        /// The token's text, for its digest.
        let text: String
        let source: DecisionSource?
        /// `nil` unless access is temporary.
        let temporary: TemporaryAccessTerms?
    }

    private func permit(for resource: ResourceID) async throws -> Permit {
        do {
            switch viewer {
            case .device(let device):
                return try await device.withSession { session in
                    let playback = try playback(by: try await session.checkAuthorization(resource))
                    return try permit(
                        for: playback,
                        playback.source == .temporaryAccess
                            ? await TemporaryAccessTerms(of: playback, in: session) : nil)
                }
            case .lent(let signIn):
                let playback = try playback(by: try await signIn.checkAuthorization(resource))
                return try permit(
                    for: playback, playback.source == .temporaryAccess ? await signIn.temporaryTerms() : nil)
            }
        } catch let error as EntitlementFlowError {
            if case .token(.refused(let refusal)) = error {
                call.state.note(AccessOutcome(byTokenOfBroker: refusal), at: call.state.time.now)
            }
            count(.failed, of: nil)
            throw error
        }
    }

    private func playback(by outcome: AuthorizationOutcome) throws -> AuthorizedPlayback {
        switch outcome {
        case .permitted(let playback): return playback
        case .denied(let denial):
            count(PlayOutcome(of: denial), of: denial.mvpd)
            throw RequestError(denial)
        case .needsAuthentication: throw EntitlementFlowError.notAuthenticated
        }
    }

    private func count(_ outcome: PlayOutcome, of mvpd: MVPDID?) {
        switch viewer {
        case .device(let device): device.count(outcome, of: mvpd)
        // The app named the provider, so this alone gives it no label.
        case .lent: call.state.metrics.gateway.count(outcome, at: call.endpoint, of: mvpd)
        }
    }

    private func permit(for playback: AuthorizedPlayback, _ terms: TemporaryAccessTerms?) throws -> Permit {
        guard let token = playback.token.verified else {
            throw RequestError(.internalServerError, "unverified_token", detail: "the gateway verifies no tokens")
        }
        return Permit(
            token: token, text: playback.token.serialized.serializedToken, source: playback.source, temporary: terms)
    }

    // MARK: The session

    private var requestor: RequestorID {
        switch viewer {
        case .device(let device): device.app.requestor
        case .lent(let signIn): signIn.app.requestor
        }
    }

    /// The operations as of now: the broker's answer may have taken seconds.
    private func operations() throws(RequestError) -> SessionOperations {
        try SessionOperations(call.configuration, registry: call.state.registry, at: call.state.time.now)
    }

    /// Notes a session that is started, so that it ends with its user's logout and with the device, and if its sign-in turns
    /// out to be another user's; without a registry it would be noted in vain.
    ///
    /// An app that lends its access token has no record here, and signs its user out by itself.
    ///
    /// Throws if it must not be handed out; then it is ended, and nothing is told of it.
    private func note(_ session: PlaybackSession, by operations: SessionOperations) async throws {
        guard let registry = operations.registry, case .device(let device) = viewer else { return }
        do {
            try await device.note(NotedPlay(session: session.id.description, until: session.ceiling))
        } catch {
            // No client has its text; if this fails, its stream counts until the session would have ended.
            try? await registry.end(session)
            AnsweredEvents.forget()
            throw error
        }
    }

    private func start(_ permit: Permit, client: SessionClient, inCookie: Bool?) async throws -> Response {
        let state = call.state
        let operations = try operations()
        let granted: SessionWithGrants
        do throws(PlaybackSessionError) {
            granted = try await operations.start(
                forRedeemed: permit.token, client: client, notAfter: permit.temporary?.until)
        } catch {
            state.note(AccessOutcome(error, of: permit.text, as: .token), at: state.time.now)
            count(.failed, of: permit.token.mvpd)
            throw error
        }
        do {
            try await note(granted.session, by: operations)
        } catch {
            count(.failed, of: permit.token.mvpd)
            throw error
        }
        var grant = AccessGrant(permit.token)
        grant.session = granted.session.id
        state.note(AccessOutcome(grant, byTokenOfBroker: permit.text), at: operations.now)
        state.metrics.countSession()
        state.metrics.gateway.learn([permit.token.mvpd])
        count(PlayOutcome(permittedBy: permit.source), of: permit.token.mvpd)
        var object = JSONWriter()
        object.member("code", "playing")
        object.member("mvpd", permit.token.mvpd.rawValue)
        if permit.source == .degradation { object.member("degraded", true) }
        if let terms = permit.temporary { object.member("temporary", terms.object) }
        // The scripts of a page whose device is in a cookie need not see the session either.
        let isByCookie = if case .device(let device) = viewer { device.isByCookie } else { false }
        return Response(
            .ok, object, handingOut: granted, inCookie: inCookie ?? (isByCookie ? true : nil), by: operations)
    }
}

/// What an app lends for one play that signs its users in by itself: kept nowhere, and told to nobody but the broker.
///
/// The broker binds a sign-in to the client of the access token and to the device's identifier. So both go to it as the app
/// has sent them, and who has only one of them gets nothing.
private struct LentSignIn: Sendable {
    /// The key of no record.
    private static let key: DeviceKey = "borrowed"
    private static let names: Set = ["accessToken", "deviceIdentifier", "deviceInfo", "mvpd"]

    let app: GatewayApp
    private let mvpd: MVPDID
    private let caller: Caller

    /// Throws with the status 400, or 404 if the app may not lend its token; nothing is sent.
    init(of body: GatewayBody, _ call: GatewayCall) throws(RequestError) {
        guard let app = call.gateway.apps[try body.requiredIdentifier("app")] else {
            throw .badRequest("app is not the id of an app")
        }
        guard app.settings.borrowedTokens else {
            throw .notEnabled(setting: "broker.apps.\(app.id).borrowedTokens")
        }
        let text = try body.objectText("borrowed") ?? ""
        let lent = try GatewayBody(Array(text.utf8), taking: Self.names)
        guard let token = try lent.identifier("accessToken", upTo: BearerToken.maximumLength) else {
            throw .badRequest("borrowed has no accessToken")
        }
        let bearer = try rethrowing(BearerToken(token), as: DeviceFacts.badRequest)
        let identifier = try lent.requiredIdentifier("deviceIdentifier")
        let device = Device(
            key: Self.key, identifier: try rethrowing(DeviceIdentifier(sent: identifier), as: DeviceFacts.badRequest),
            info: try DeviceFacts(of: lent).info(from: call.client.address, port: call.client.port),
            userAgent: call.userAgent)
        (self.app, mvpd) = (app, MVPDID(try lent.requiredIdentifier("mvpd")))
        caller = app.application.broker.caller(borrowing: bearer, device, from: call.client.address)
    }

    /// Asks the broker once, with a token that counts for one play.
    func checkAuthorization(_ resource: ResourceID) async throws(EntitlementFlowError) -> AuthorizationOutcome {
        try await app.application.checkAuthorization(resource, mvpd: mvpd, requestor: app.requestor, by: caller)
    }

    /// The terms of temporary access, for which the broker is asked; without an end nothing is played.
    func temporaryTerms() async throws(EntitlementFlowError) -> TemporaryAccessTerms {
        let answer = try await rethrowing(
            awaiting: await caller.profile(mvpd: mvpd, requestor: app.requestor), as: EntitlementFlowError.broker)
        guard let profile = answer.profiles.first else { throw .superseded }
        return TemporaryAccessTerms(of: profile)
    }
}

extension DeviceIdentifier {
    /// Reads an identifier as an app has it: the text, or the value of the header field that the app sends it in.
    fileprivate init(sent text: String) throws(BrokerHeaderError) {
        if text.lowercased().hasPrefix("fingerprint ") {
            try self.init(headerValue: text)
        } else {
            try self.init(text)
        }
    }
}

/// Until when temporary access lasts, and how many further resources it allows.
struct TemporaryAccessTerms: Sendable, Hashable {
    /// The first instant at which nothing may be watched anymore.
    ///
    /// The broker cuts no stream off, so the playback session ends here.
    let until: Timestamp
    /// How many further resources may be watched; `nil` if they are not counted, or not known.
    let remainingResources: Int64?

    /// Takes the terms out of a profile.
    init(of profile: Profile) {
        until = profile.notAfter
        guard case .number(let digits)? = try? profile.attributes.value("remaining_resources")?.content else {
            remainingResources = nil
            return
        }
        remainingResources = Int64(digits)
    }

    /// Finds the terms of a permit.
    ///
    /// The broker is asked for the profile, with one call, if it is not known; so is it if resources are counted, since the
    /// permit has changed their number. Without an end a session does not begin, so that none can outlive it.
    ///
    /// Throws `EntitlementFlowError` if the end cannot be found out.
    init(of playback: AuthorizedPlayback, in session: EntitlementSession) async throws {
        var profile = try await session.profile(.localOnly)
        if profile?.mvpd != playback.mvpd {
            profile = try await session.profile(.broker)
        } else if let known = profile, let remaining = TemporaryAccessTerms(of: known).remainingResources {
            // With the last resource the profile ends at the broker. To ask for it would sign the user out, and the next play
            // would be told so instead of what is used up.
            guard remaining > 1 else {
                self.init(until: known.notAfter)
                return
            }
            // The end is known, so the play does not fail if the number cannot be asked for.
            do throws(EntitlementFlowError) {
                profile = try await session.profile(.broker)
            } catch {
                guard case .broker = error else { throw error }
                self.init(until: known.notAfter)
                return
            }
        }
        guard let profile, profile.mvpd == playback.mvpd else { throw EntitlementFlowError.superseded }
        self.init(of: profile)
    }

    private init(until: Timestamp) { (self.until, remainingResources) = (until, nil) }

    /// The terms in JSON.
    var object: JSONWriter {
        var object = JSONWriter()
        object.member("until", until.milliseconds)
        if let remainingResources { object.member("remainingResources", remainingResources) }
        return object
    }
}
#endif
