#if Service
import BrokerClient
import BrokerMessages
import DeviceRecords
import EntitlementFlows
package import EntitlementValues
import OpenSSLBridge
import TextCodecs

/// Carries out the sign-ins of one device: its record decides, and the broker is asked in the session of each.
struct SignInFlow: Sendable {
    let gateway: Gateway
    let app: GatewayApp
    /// The device, as the timers know it.
    let device: SignInTimers.Device
    /// What the device says of itself.
    let info: DeviceInfo
    /// What the app on the device calls itself; `nil` if it is not known.
    let userAgent: UserAgent?
    private let identifier: DeviceIdentifier
    private let options: SessionOptions
    /// Whether the device has asked itself; if a browser has, perhaps a telephone's, its address is not the device's.
    private let isDevice: Bool

    /// The key of the device.
    var key: DeviceKey { device.key }

    /// Takes the device of a call; throws if libcrypto failed.
    ///
    /// `partner` is what the device's sign-on partner says with this request; `nil` for what it said before.
    init(of call: DeviceCall, partner: PartnerFrameworkStatus? = nil) throws(RequestError) {
        let found = try call.device()
        (gateway, app, info, userAgent) = (call.gateway, call.app, found.info, found.userAgent)
        device = SignInTimers.Device(
            key: call.key, app: call.app.id, address: call.call.client.address, port: call.call.client.port)
        var options = call.options
        if let partner { options.partnerStatus = partner }
        (identifier, self.options, isDevice) = (found.identifier, options, true)
    }

    /// Takes a device that was found by what a browser brought, in the browser's request.
    ///
    /// Throws if the app is not served any more, or libcrypto failed.
    init(of record: GatewayDevice, in call: GatewayCall) throws(RequestError) {
        let client = call.client
        try self.init(
            of: record,
            as: SignInTimers.Device(
                key: record.key, app: record.app, address: client.address, port: client.port),
            in: call.gateway)
    }

    /// Takes a device of which no request comes, or that of a browser.
    ///
    /// `device` has what the record does not say. Throws if the app is not served any more, or libcrypto failed.
    init(of record: GatewayDevice, as device: SignInTimers.Device, in gateway: Gateway) throws(RequestError) {
        guard let app = gateway.apps[record.app] else { throw .notFound }
        (self.gateway, self.app, self.device, isDevice) = (gateway, app, device, false)
        info = record.facts.info(from: device.address, port: device.port)
        userAgent = record.facts.userAgent
        identifier = try record.identifier()
        var options = SessionOptions()
        options.clientAddress = device.address
        options.visitorIdentifier = record.facts.visitor
        options.partnerSignIn = .onDemand
        options.partnerStatus = record.partner?.status(at: gateway.time.now)
        options.hasPartner = record.partner?.mayBeAsked ?? false
        self.options = options
    }

    var time: TimeSource { gateway.time }
    var now: Timestamp { gateway.time.now }

    /// Draws 128 random bits, as text that fits into addresses and cookies; throws if the random generator fails.
    static func randomText() throws(OpenSSLFailure) -> String { Base64.encodeURLSafe(try randomBytes(16)) }

    /// Changes the device's record, and notes when it is to be looked at then.
    ///
    /// `first` is what is changed if none is stored; `nil` if there must be one. The body may run several times, each
    /// time with what is there then.
    func changeRecord<Answer>(
        orMaking first: GatewayDevice? = nil,
        _ body: (inout GatewayDevice) -> Answer
    ) async throws -> Answer {
        let (answer, signIns) = try await gateway.devices.change(key, orMaking: first) { record in
            let answer = body(&record)
            // The browser that comes back, and the timers, speak to the broker for the same app.
            if isDevice, let userAgent { record.facts.userAgent = userAgent }
            return (answer, record.signIns)
        }
        gateway.runtime.timers.note(signIns.nextLook(after: now), for: device)
        return answer
    }

    /// The same of the device's sign-ins; there has to be a record.
    @discardableResult
    func change<Answer>(_ body: (inout DeviceSignIns) -> Answer) async throws -> Answer {
        try await changeRecord { record in body(&record.signIns) }
    }

    /// Decides about the device's sign-ins on a copy of what was read.
    ///
    /// Only if that would change something, it is decided again inside of a change, on what is there then: so those who only
    /// look write nothing.
    func decide<Answer>(
        on read: GatewayDevice,
        _ body: (inout GatewayDevice) -> Answer
    ) async throws -> Answer {
        var copy = read
        let answer = body(&copy)
        guard copy != read else { return answer }
        return try await changeRecord(body)
    }

    /// Uses one of the device's sessions.
    ///
    /// `state` stands in the address that its browser comes back to; `nil` if there is none. `hasUserAgent` says
    /// whether the device has a browser; `nil` takes it from what the device says of itself. Throws what the body
    /// throws, or `EntitlementFlowError`.
    func withSession<Answer>(
        _ number: Int64,
        returningTo state: String?,
        hasUserAgent: Bool? = nil,
        _ body: (EntitlementSession) async throws -> Answer
    ) async throws -> Answer {
        var options = options
        options.redirect = state.map(gateway.returnAddress)
        options.hasUserAgent = hasUserAgent
        let device = Device(key: key.session(number), identifier: identifier, info: info, userAgent: userAgent)
        return try await app.sessions.with(device, options: options, isLasting: isDevice) { session in
            try await AnsweredEvents.recording(session, body)
        }
    }

    /// The same for a sign-in that is under way.
    func withSession<Answer>(
        of signIn: OpenSignIn,
        _ body: (EntitlementSession) async throws -> Answer
    ) async throws -> Answer {
        try await withSession(
            signIn.number, returningTo: signIn.state, hasUserAgent: signIn.kind == .browser, body)
    }

    /// The profile of one of the device's sessions, as its record has it; the broker is not asked.
    ///
    /// `nil` if the user is not signed in with it. Throws `DeviceRecordsError`.
    func profile(of number: Int64) async throws(DeviceRecordsError) -> KnownProfile? {
        guard let record = try await record(of: number), let profile = record.profile else { return nil }
        let until = profile.notAfter
        if let until, until <= now { return nil }
        return KnownProfile(mvpd: profile.mvpd, until: until, asked: record.asked ?? now)
    }

    /// What the broker's client keeps of one of the device's sessions, if there is a record.
    func record(of number: Int64) async throws(DeviceRecordsError) -> RequestorRecord? {
        try await gateway.directory.record(of: key.session(number))?[app.requestor]
    }
}

/// The profile of a session, as its record has it.
package struct KnownProfile: Sendable, Hashable {
    let mvpd: MVPDID
    /// The first instant at which it does not count anymore; `nil` if that is not known yet.
    let until: Timestamp?
    /// When the broker was asked for it.
    let asked: Timestamp

    package init(mvpd: MVPDID, until: Timestamp?, asked: Timestamp) {
        (self.mvpd, self.until, self.asked) = (mvpd, until, asked)
    }
}

extension Gateway {
    /// The absolute address that a user's browser comes back to; the state stands in its path.
    func returnAddress(_ state: String) -> String { "\(settings.publicURL)/v1/return/\(state)" }
}

/// How far a device's user is with signing in.
enum SignInStatus: Sendable, Hashable {
    case authenticated(SignIn)
    /// A sign-in is under way.
    case pending(OpenSignIn)
    case notAuthenticated(SignInEnd?)
}

extension SignInFlow {
    /// How far the user is; the broker is not asked.
    ///
    /// A sign-in that has become good is taken over, and one that has ended is given up.
    func status() async throws -> SignInStatus {
        while true {
            let record = try await gateway.devices.record(of: key)
            // Other processes may have left it, after a stop.
            if let record, !record.signIns.due(at: now).isEmpty { gateway.runtime.timers.clear(device) }
            if let status = try await status(by: record) { return status }
        }
    }

    /// The same by a record that was read; `nil` if something has changed, and it has to be read again.
    func status(by record: GatewayDevice?) async throws -> SignInStatus? {
        switch try await settle(record) {
        case .none(let session, let end):
            let profile = try await profile(of: session)
            return profile.map { .authenticated(SignIn(mvpd: $0.mvpd, until: $0.until)) } ?? .notAuthenticated(end)
        case .pending(let open): return .pending(open)
        case .signedIn(let signIn, _, let displaced): await signedIn(signIn, displacing: displaced)
        case .gone(let gone, let logsOut): await retire(gone, loggingOut: logsOut)
        case .moved: break
        }
        return nil
    }

    /// Sees what has become of the sign-in under way, by its profile.
    private func settle(_ record: GatewayDevice?) async throws -> SignInProgress {
        guard let record else { return .none(session: 0, nil) }
        let now = now
        var seen: SeenSignIn?
        if let open = record.signIns.decidedByProfile(at: now) {
            seen = SeenSignIn(open, try await profile(of: open.number))
        }
        return try await decide(on: record) { [seen] device in
            let settled = device.signIns.settle(seen, at: now)
            if case .signedIn(_, let mvpd, _) = settled { device.facts.lastProvider = mvpd }
            return settled
        }
    }
}

extension SignInFlow {
    /// Takes the one-time code that the return page handed to the app.
    ///
    /// An app whose answer was lost sends the code again, and so does a proxy for it: that changes nothing, and is answered
    /// in the same way as long as the user is signed in. A refusal would let the user sign in twice.
    ///
    /// Throws `RequestError.returnNotProved` unless the code is that of the sign-in that is under way, or of the one
    /// that counts, and in time.
    func prove(by code: String) async throws {
        guard let record = try await gateway.devices.record(of: key) else { throw RequestError.returnNotProved }
        let now = now
        switch try await decide(on: record, { $0.signIns.prove(by: code, at: now) }) {
        case .proved:
            gateway.runtime.longPolls.wake(key)
        case .again(let session):
            guard try await profile(of: session) != nil else { throw RequestError.returnNotProved }
        case .refused: throw RequestError.returnNotProved
        }
    }

    /// Asks the broker at once whether the user of a sign-in has signed in, and returns who has.
    ///
    /// `nil` if a profile does not exist yet, or the broker does not answer.
    func ask(about signIn: OpenSignIn) async -> SignIn? {
        let outcome = try? await withSession(of: signIn) { session in
            try await session.handleExternalURL(gateway.returnAddress(signIn.state))
        }
        guard case .authenticated(let answer) = outcome else { return nil }
        return answer
    }
}
#endif
