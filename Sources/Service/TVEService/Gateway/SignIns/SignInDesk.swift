#if Service
import BrokerClient
import BrokerMessages
import DeviceRecords
import EntitlementFlows
package import EntitlementValues
import OpenSSLBridge
import TextCodecs

/// Carries out what happens to the sign-ins of one device.
struct SignInDesk: Sendable {
    private(set) var gateway: Gateway
    private(set) var app: GatewayApp
    /// The device.
    let key: DeviceKey
    /// What the device says of itself.
    let info: DeviceInfo
    private let identifier: DeviceIdentifier
    private let options: SessionOptions
    /// Whether the device has asked itself; if a browser has, perhaps a telephone's, its address is not the device's.
    private let isDevice: Bool

    /// Takes the device of a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - partner: What the device's sign-on partner says with this request; `nil` for what it said before.
    /// - Throws: `GatewayRefusal` if libcrypto failed.
    init(of request: GatewayRequest, partner: PartnerFrameworkStatus? = nil) throws(GatewayRefusal) {
        let device = try request.device()
        (gateway, app, key) = (request.gateway, request.app, request.key)
        var options = request.options
        if let partner { options.partnerStatus = partner }
        (info, identifier, self.options, isDevice) = (device.info, device.identifier, options, true)
    }

    /// Takes a device that was found by what a browser brought.
    ///
    /// - Parameters:
    ///   - device: The device.
    ///   - call: The browser's request.
    /// - Throws: `GatewayRefusal` if the app is not served any more, or libcrypto failed.
    init(of device: GatewayDevice, in call: GatewayCall) throws(GatewayRefusal) {
        guard let app = call.gateway.apps[device.app] else { throw .notFound }
        (gateway, self.app, key, info) = (call.gateway, app, device.key, call.connected(device.facts.info))
        identifier = try device.identifier()
        var options = SessionOptions()
        options.clientAddress = call.client.address
        options.visitorIdentifier = device.facts.visitor
        options.partnerSignIn = .onDemand
        options.partnerStatus = device.partner?.status(at: call.now)
        options.hasPartner = device.partner?.mayBeAsked ?? false
        (self.options, isDevice) = (options, false)
    }

    /// The same at the gateway that is in use now: what is done later may come after a reload.
    ///
    /// `nil` if the service stops, or does not serve the app any more.
    var current: SignInDesk? {
        guard let used = gateway.opened.keeper.gateway, let app = used.apps[app.id] else { return nil }
        var desk = self
        (desk.gateway, desk.app) = (used, app)
        return desk
    }

    var time: TimeSource { gateway.time }
    var now: Timestamp { gateway.time.now }

    /// Draws 128 random bits, as text that fits into addresses and cookies.
    ///
    /// - Throws: `GatewayRefusal` if the random generator fails.
    static func randomText() throws(GatewayRefusal) -> String {
        do throws(OpenSSLFailure) {
            return Base64.encodeURLSafe(try randomBytes(16))
        } catch {
            throw .cryptography
        }
    }

    /// Changes the device's sign-ins; there has to be a record.
    ///
    /// - Parameter body: Changes them; it may run several times, each time with what is there then.
    /// - Returns: What the body returned.
    /// - Throws: `GatewayRefusal`.
    @discardableResult
    func change<Answer>(
        _ body: (inout DeviceSignIns) -> Answer
    ) async throws(GatewayRefusal) -> Answer {
        try await gateway.devices.change(key) { device throws(GatewayRefusal) in body(&device.signIns) }
    }

    /// Decides about the device's sign-ins on a copy of what was read.
    ///
    /// Only if that would change something, it is decided again inside of a change, on what is there then: so those who only
    /// look write nothing.
    ///
    /// - Parameters:
    ///   - read: The device's record as it was read.
    ///   - body: Decides.
    /// - Returns: What the body returned.
    /// - Throws: `GatewayRefusal`.
    func decide<Answer>(
        on read: GatewayDevice,
        _ body: (inout GatewayDevice) -> Answer
    ) async throws(GatewayRefusal) -> Answer {
        var copy = read
        let answer = body(&copy)
        guard copy != read else { return answer }
        return try await gateway.devices.change(key) { device throws(GatewayRefusal) in body(&device) }
    }

    /// Uses one of the device's sessions.
    ///
    /// - Parameters:
    ///   - number: The session.
    ///   - state: Stands in the address that its browser comes back to; `nil` if there is none.
    ///   - hasUserAgent: Whether the device has a browser; `nil` to take it from what the device says of itself.
    ///   - body: Uses the session.
    /// - Returns: What the body returned.
    /// - Throws: What the body throws; `EntitlementFlowError`.
    func withSession<Answer>(
        _ number: Int64,
        returningTo state: String?,
        hasUserAgent: Bool? = nil,
        _ body: (EntitlementSession) async throws -> Answer
    ) async throws -> Answer {
        var options = options
        options.redirect = state.map(gateway.returnAddress)
        options.hasUserAgent = hasUserAgent
        let device = Device(key: key.session(number), identifier: identifier, info: info)
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
    /// - Parameter number: The session.
    /// - Returns: The profile; `nil` if the user is not signed in with it.
    /// - Throws: `EntitlementFlowError.store`.
    func profile(of number: Int64) async throws -> KnownProfile? {
        guard let record = try await record(of: number), let profile = record.profile else { return nil }
        let until = profile.notAfter
        if let until, until <= now { return nil }
        return KnownProfile(mvpd: profile.mvpd, until: until, asked: record.asked ?? now)
    }

    /// What the broker's client keeps of one of the device's sessions.
    ///
    /// - Parameter number: The session.
    /// - Returns: The record; `nil` if there is none.
    /// - Throws: `EntitlementFlowError.store`.
    func record(of number: Int64) async throws -> RequestorRecord? {
        do throws(DeviceRecordsError) {
            return try await gateway.directory.record(of: key.session(number))?[app.requestor]
        } catch {
            throw EntitlementFlowError.store(error)
        }
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
    /// The address that a user's browser comes back to.
    ///
    /// - Parameter state: Stands in its path.
    /// - Returns: The address, absolute.
    func returnAddress(_ state: String) -> String { "\(settings.publicURL)/v1/return/\(state)" }
}
#endif
