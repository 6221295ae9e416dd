#if Service
import BrokerMessages
import EntitlementFlows
import EntitlementValues
import Hummingbird
import ServiceResponses
import TextCodecs

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
        guard request.isJSON else { throw GatewayRefusal.badRequest("the Content-Type is not application/json") }
        let body = try await body(taking: ["mvpd", "confirmed"])
        guard try body.boolean("confirmed") == true else {
            throw GatewayRefusal.badRequest("confirmed is not true: the user has to confirm that the device is theirs")
        }
        let wanted = try body.identifier("mvpd").map { MVPDID($0) }
        let device = try await shownDevice()
        if device.signIn.mvpd == nil {
            guard let wanted else {
                throw GatewayRefusal(
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
            throw GatewayRefusal(
                .notFound, "unknown_code", doing: .showMessage,
                detail: "no device shows this code, or none anymore; the user types it again")
        }
        return device
    }
}

extension Request {
    /// Whether the body says that it is JSON, which a form of a foreign page cannot send.
    var isJSON: Bool {
        headers[.contentType]?.prefix { $0 != ";" && $0 != " " }.lowercased() == "application/json"
    }
}
#endif
