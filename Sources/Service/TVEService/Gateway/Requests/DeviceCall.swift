#if Service
import BrokerClient
import BrokerMessages
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import HTTPTypes
import Hummingbird

/// A request of a device whose token or cookie is good.
struct DeviceCall: Sendable {
    let call: GatewayCall
    let app: GatewayApp
    /// What the device's token says.
    let token: DeviceToken
    /// Whether the token came in a cookie; the rules against foreign pages were checked then.
    let isByCookie: Bool
    /// The device's record, as it was when the request began; `nil` if there is none yet.
    let record: GatewayDevice?

    /// Checks the token or the cookie of a device: first what the request itself says, then what the store says of it.
    ///
    /// Throws with the status 401; 403 if a page of another site may have sent it; 503 if the store cannot tell.
    init(admitting call: GatewayCall) async throws {
        let gateway = call.gateway
        let (text, isByCookie) = try call.presentedToken()
        let token = try gateway.tokens.open(text, at: call.now)
        guard let app = gateway.apps[token.app] else { throw RequestError.unknownApp }
        if isByCookie { try call.checkSender() }
        try await gateway.checkKeys()
        var record = try await gateway.devices.record(of: token.key)
        if let known = record {
            guard known.accepts(token) else { throw RequestError.deviceTokenRevoked }
            var used = known
            if used.use(token) {
                record = try await gateway.devices.change(token.key) { device in
                    guard device.accepts(token) else { return nil as GatewayDevice? }
                    device.use(token)
                    return device
                }
                if record == nil { throw RequestError.deviceTokenRevoked }
            }
        }
        (self.call, self.app, self.token, self.isByCookie, self.record) = (call, app, token, isByCookie, record)
    }

    var gateway: Gateway { call.gateway }
    var state: ServiceState { call.state }
    var now: Timestamp { call.now }
    var key: DeviceKey { token.key }

    /// What the device said of itself when it registered, or since.
    ///
    /// Address, port and security of the connection are those of this request, whatever the app said.
    var info: DeviceInfo {
        (record?.facts ?? token.facts).info(from: call.client.address, port: call.client.port)
    }

    /// One of the device's sessions, as the broker's client knows it: the device, with the identifier of its record.
    ///
    /// The number is `nil` for the session whose profile counts. Throws if libcrypto failed.
    func device(session number: Int64? = nil) throws(RequestError) -> Device {
        let identifier = if let record { try record.identifier() } else { try token.identifier() }
        return Device(
            key: key.session(number ?? session), identifier: identifier, info: info, userAgent: call.userAgent)
    }

    /// The session whose profile counted when the request began.
    private var session: Int64 { record?.signIns.current ?? 0 }

    /// Notes a play that has begun, if its sign-in counts still, and its user was not signed out meanwhile.
    ///
    /// Throws if the sign-in does not count any more, or if the store cannot tell.
    func note(_ play: NotedPlay) async throws {
        let (session, signOuts, now) = (session, record?.signIns.signOuts ?? 0, state.time.now)
        let note = try await gateway.devices.change(key) { device in
            device.signIns.note(play, of: session, after: signOuts, at: now)
        }
        switch note {
        case .noted: return
        case .signInChanged: throw RequestError.signInChanged
        case .full(let end): throw RequestError.tooManyPlays(until: end, at: now)
        }
    }

    /// What the device wants, as far as the gateway knows it.
    var options: SessionOptions {
        var options = SessionOptions()
        options.clientAddress = call.client.address
        options.visitorIdentifier = record == nil ? token.facts.visitor : record?.facts.visitor
        options.remembersProvider = app.settings.remembersProvider
        // Questions to the partner belong to the requests about it.
        options.partnerSignIn = .onDemand
        options.partnerStatus = record?.partner?.status(at: now)
        // An app that can ask the partner says at its start what the partner says.
        options.hasPartner = record?.partner?.mayBeAsked ?? false
        return options
    }

    /// Uses the session of the device whose profile counts; its record at the broker's client is made if need be.
    ///
    /// A sign-in that is under way has another session, so that nothing that comes of it is seen here before it is proved.
    /// If the session went to a sign-in meanwhile, what it brought may be that of another user, and is refused.
    ///
    /// `options` are what the device wants; those of ``options`` if none are given. Throws what the body throws;
    /// `EntitlementFlowError`; `RequestError` with the action `retry` if the session does not count anymore.
    func withSession<Answer>(
        options: SessionOptions? = nil,
        _ body: (EntitlementSession) async throws -> Answer
    ) async throws -> Answer {
        let answer: Answer
        do {
            answer = try await app.sessions.with(try device(), options: options ?? self.options) { session in
                try await AnsweredEvents.recording(session, body)
            }
        } catch {
            await gateway.eraseIfGone(session, of: key, in: app)
            throw error
        }
        let later = try await gateway.devices.record(of: key)
        guard session == later?.signIns.current ?? 0, later?.isForgotten != true else {
            AnsweredEvents.forget()
            await gateway.eraseIfGone(session, of: key, in: app)
            throw later?.isForgotten == true ? RequestError.deviceTokenRevoked : .signInChanged
        }
        return answer
    }

    /// Changes the device's record, and makes it if there is none.
    ///
    /// The body may run several times, each time with the record as it is then.
    @discardableResult
    func changeRecord<Answer>(
        _ body: (inout GatewayDevice) -> Answer
    ) async throws -> Answer {
        try await gateway.devices.change(key, orMaking: GatewayDevice(of: token), body)
    }
}

extension RequestError {
    /// The plays of a sign-in are noted as long as it may become void, and there is no room for more.
    static func tooManyPlays(until end: Timestamp, at now: Timestamp) -> RequestError {
        tooMany("plays right after a sign-in", retryAfter: end.since(now).duration)
    }

    /// Another request of the device has begun or ended a sign-in.
    static let signInChanged = RequestError(
        .conflict, "sign_in_changed", doing: .retry,
        detail: "a sign-in of the device began or ended meanwhile; ask again", retryAfter: .seconds(1))
}

extension DeviceCall {
    /// Refuses a device that has no record: its user never began to sign in, so there is nothing to ask the broker.
    func requireRecord() throws(EntitlementFlowError) {
        guard record != nil else { throw .notAuthenticated }
    }

    /// Counts what became of a question about a provider's user.
    ///
    /// The provider is `nil` if there is none, or if it is not known.
    func count(_ outcome: PlayOutcome, of mvpd: MVPDID?) {
        // All but failures are the broker's word about the provider, so it is one that exists.
        if outcome != .failed, let mvpd { state.metrics.gateway.learn([mvpd]) }
        state.metrics.gateway.count(outcome, at: call.endpoint, of: mvpd)
    }
}
#endif
