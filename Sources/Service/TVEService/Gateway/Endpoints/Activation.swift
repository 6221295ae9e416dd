#if Service
import BrokerMessages
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import Hummingbird
import OpenSSLBridge
import SealedRecords
import ServiceResponses
import TextCodecs

/// A device that shows an activation code.
struct ShownDevice: Sendable {
    let flow: SignInFlow
    let signIn: OpenSignIn
    let code: AuthenticationCode

    /// How the device is named.
    var name: String { signIn.deviceName ?? "Device" }
    /// When it asked for the code.
    var asked: Timestamp { signIn.begun }
}

/// Serves the second screen: the page and the JSON with which users say that a device that shows a code is theirs.
///
/// Only codes that this gateway made are known: others cost a look-up, and the broker is not asked. Codes are short, so
/// tries are counted by the sender's address, and those of a known code by the code as well, and all answers leave at the
/// same time after their request.
struct ActivationCodes: Sendable {
    let call: GatewayCall
    private let start: Duration

    /// How long after its request an answer leaves.
    static let answerTime = Duration.milliseconds(300)
    /// How often a known code may be tried in a minute, from whatever addresses.
    static let triesPerCode = 10

    init(_ call: GatewayCall) { (self.call, start) = (call, call.gateway.time.uptime) }

    private var gateway: Gateway { call.gateway }

    /// Finds the device that shows a code; `nil` if none does, after the time that every answer takes.
    ///
    /// The code is taken as the user typed it, also with blanks, dashes and small letters. Throws with the
    /// status 429 after too many tries, or 503.
    func device(showing text: String) async throws -> ShownDevice? {
        try await gateway.checkKeys()
        let limit = gateway.settings.codesPerMinute
        try await call.limit("codes", to: limit, asking: "activation codes from this address")
        let found: ShownDevice? =
            if let code = AuthenticationCode(typed: text) { try await look(for: code) } else { nil }
        try await pace()
        return found
    }

    /// Waits until answers leave.
    func pace() async throws { try await gateway.time.sleep(untilUptime: start + Self.answerTime) }

    private func look(for code: AuthenticationCode) async throws -> ShownDevice? {
        guard let session = try await gateway.directory.device(showing: code) else { return nil }
        // Known codes alone: counts of codes that were made up would fill the memory that all counts share.
        let wait = try await gateway.counters.count(code.text, as: "code", limit: Self.triesPerCode)
        if let wait { throw RequestError.tooMany("tries of this activation code", retryAfter: wait) }
        guard let device = try await gateway.devices.record(of: session.deviceOfSession),
            let signIn = device.signIns.open, signIn.kind == .code, signIn.until > call.now,
            signIn.activationCode?.isSameSecret(as: code.text) == true, gateway.apps[device.app] != nil
        else { return nil }
        return ShownDevice(flow: try SignInFlow(of: device, in: call), signIn: signIn, code: code)
    }
}

extension ShownDevice {
    /// The providers that its user chooses from; empty if one is chosen already.
    func providers(for call: GatewayCall) async throws -> [MVPD] {
        guard signIn.mvpd == nil else { return [] }
        return try await flow.app.lists.providers(
            for: flow.info, flow.userAgent, from: call.client.address)
    }

    /// What the provider that was chosen on the device is called; `nil` if none was chosen.
    ///
    /// The user can go on without the name: if the list of providers cannot be had, it is the identifier.
    func chosenName(for call: GatewayCall) async -> String? {
        guard let mvpd = signIn.mvpd else { return nil }
        let known = try? await flow.app.lists.providers(
            for: flow.info, flow.userAgent, from: call.client.address)
        return known?.first { $0.id == mvpd }?.nameForPeople ?? mvpd.rawValue
    }

    /// Notes the provider that the user chose, and the browser in which the device was confirmed; returns the provider.
    ///
    /// A provider that was chosen before stays, and is returned. The mark is what the browser has as a cookie; `nil`
    /// leaves it as it is. Throws `EntitlementFlowError.codeEnded` if the code is not shown anymore, or was confirmed
    /// in another browser.
    @discardableResult
    func note(_ mvpd: MVPDID, confirmedIn mark: String?) async throws -> MVPDID {
        let chosen = try await flow.change { signIns in
            signIns.confirm(signIn.state, choosing: mvpd, mark: mark)
        }
        guard let chosen else { throw EntitlementFlowError.codeEnded }
        return chosen
    }

    /// Goes on with the sign-in in the browser in which the user has confirmed the device.
    ///
    /// Returns what comes next in that browser.
    func resume(with mvpd: MVPDID) async throws -> SecondScreenStep {
        try await flow.withSession(of: signIn) { session in try await session.resume(code: code, mvpd: mvpd) }
    }
}

// The second screen as JSON, for an activation site of the programmer's own.

extension GatewayCall {
    /// `GET /v1/activations/{code}`: the device that shows a code, and the providers that its user chooses from.
    func describeActivation() async throws -> Response {
        let device = try await shownDevice()
        let providers = try await device.providers(for: self)
        var described = JSONWriter()
        described.member("name", device.name)
        described.member("asked", device.asked.milliseconds)
        var object = JSONWriter()
        object.member("code", "activation")
        object.member("device", described)
        if let mvpd = device.signIn.mvpd { object.member("mvpd", mvpd.rawValue) }
        if !providers.isEmpty {
            object.member("providers", providers.map { $0.object(withPartnerFlags: false) })
        }
        return Response(.ok, object)
    }

    /// `POST /v1/activations/{code}`: the user has confirmed the device on the programmer's own site.
    ///
    /// The address leads to the gateway's own page, which names the device and asks once more, in the browser that signs in:
    /// the provider's address itself could be forwarded to a user who does not see which device it is for.
    func confirmActivation() async throws -> Response {
        guard request.isJSON else { throw RequestError.badRequest("the Content-Type is not application/json") }
        let body = try await body(taking: ["mvpd", "confirmed"])
        guard try body.boolean("confirmed") == true else {
            throw RequestError.badRequest("confirmed is not true: the user has to confirm that the device is theirs")
        }
        let wanted = try body.identifier("mvpd").map { MVPDID($0) }
        let device = try await shownDevice()
        if device.signIn.mvpd == nil {
            guard let wanted else {
                throw RequestError(
                    .conflict, "provider_needed", doing: .chooseProvider,
                    detail: "the device has no provider; name mvpd")
            }
            guard try await device.providers(for: self).contains(where: { $0.id == wanted }) else {
                throw EntitlementFlowError.unknownProvider(wanted)
            }
            try await device.note(wanted, confirmedIn: nil)
        }
        var object = JSONWriter()
        object.member("code", "open")
        object.member("url", "\(gateway.settings.publicURL)/activate?code=\(device.code.text)")
        object.member("until", device.signIn.until.milliseconds)
        return Response(.ok, object)
    }

    private func shownDevice() async throws -> ShownDevice {
        let text = parameter.flatMap { Percent.decode(Array($0.utf8)) }.map { String(decoding: $0, as: UTF8.self) }
        guard let device = try await ActivationCodes(self).device(showing: text ?? "") else {
            throw RequestError(
                .notFound, "unknown_code", doing: .showMessage,
                detail: "no device shows this code, or none anymore; the user types it again")
        }
        return device
    }
}
#endif
