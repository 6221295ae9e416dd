#if Service
import BrokerMessages
import EntitlementFlows
import EntitlementValues
import HTTPTypes
import Hummingbird
import OpenSSLBridge
import SealedRecords
import ServiceResponses
import TextCodecs

// The second screen as pages.

extension GatewayCall {
    /// `GET /activate`: the page on which a user types the code of a device; with the code in the query, the question
    /// whether the device is theirs.
    func showActivation() async throws -> Response {
        let (form, isNew) = try activationForm()
        var response: Response
        if let code = try query("code"), !code.isEmpty {
            response = try await respondingWithPages(form) {
                try await self.question(about: code, in: form, alert: nil)
            }
        } else {
            response = GatewayPage(typingCodeIn: form).response()
        }
        if isNew { response.headers.append(BrowserCookie.form.setting(form.cookie)) }
        return response
    }

    /// `POST /activate`: the user has typed a code, or confirmed the device.
    func takeActivation() async throws -> Response {
        let fields = try await formFields()
        let (form, isNew) = try activationForm()
        guard !isNew, let token = fields["token"], token.isSameSecret(as: form.token), isFromOwnPage else {
            // The form is of another page, or the browser has dropped the cookie.
            var response = GatewayPage(typingCodeIn: form, alert: "Please try once more.").response(status: .forbidden)
            if isNew { response.headers.append(BrowserCookie.form.setting(form.cookie)) }
            return response
        }
        let code = fields["code"] ?? ""
        return try await respondingWithPages(form) {
            guard fields["confirmed"] == "yes" else {
                return try await self.question(about: code, in: form, alert: nil)
            }
            return try await self.goOn(with: code, mvpd: fields["mvpd"].map { MVPDID($0) }, in: form)
        }
    }

    // MARK: Steps

    private func question(about code: String, in form: ActivationForm, alert: String?) async throws -> Response {
        guard let device = try await ActivationCodes(self).device(showing: code) else { return unknown(in: form) }
        return try await page(for: device, in: form, alert: alert)
    }

    private func page(for device: ShownDevice, in form: ActivationForm, alert: String?) async throws -> Response {
        let providers = try await device.providers(for: self)
        let chosen = await device.chosenName(for: self)
        return GatewayPage(confirming: device, from: providers, or: chosen, in: form, at: now, alert: alert).response()
    }

    private func goOn(with code: String, mvpd: MVPDID?, in form: ActivationForm) async throws -> Response {
        guard let device = try await ActivationCodes(self).device(showing: code) else { return unknown(in: form) }
        guard let chosen = device.signIn.mvpd ?? mvpd else {
            return try await page(for: device, in: form, alert: "Choose your provider first.")
        }
        if device.signIn.mvpd == nil, try await !device.providers(for: self).contains(where: { $0.id == chosen }) {
            return try await page(for: device, in: form, alert: "Choose one of these providers.")
        }
        let mark = try form.mark(of: device.signIn.state, by: gateway.sealer)
        let noted = try await device.note(chosen, confirmedIn: mark)
        switch try await device.resume(with: noted) {
        case .openUserAgent(let visit):
            var response = Self.redirect(to: visit.url)
            response.headers.append(BrowserCookie.confirmed.setting(mark))
            return response
        case .done:
            // No sign-in is needed; the device finds that out by itself.
            gateway.runtime.longPolls.wake(device.flow.key)
            return GatewayPage(.activated(device.name)).response()
        case .chooseProvider, .incomplete:
            return try await page(for: device, in: form, alert: "Choose another provider.")
        }
    }

    private func unknown(in form: ActivationForm) -> Response {
        GatewayPage(typingCodeIn: form, alert: "No device shows this code. Look at it once more, and type it again.")
            .response(status: .notFound)
    }

    // MARK: Forms

    /// Answers with a page also if something goes wrong.
    private func respondingWithPages(
        _ form: ActivationForm,
        _ body: () async throws -> Response
    ) async throws -> Response {
        do {
            return try await body()
        } catch {
            guard let refusal = RequestError(atGateway: error) else { throw error }
            var response = GatewayPage(typingCodeIn: form, alert: Self.alert(for: refusal))
                .response(status: refusal.status)
            response.headers[.retryAfter] = refusal.retryAfterSeconds
            return response
        }
    }

    private static func alert(for refusal: RequestError) -> String {
        switch (refusal.status, refusal.action) {
        case (.tooManyRequests, _): "There were too many tries. Wait a minute, and type the code again."
        case (_, .retry): "This does not work at the moment. Wait a little, and type the code again."
        case (_, .signIn):
            "This code has ended, or another browser uses it. Ask your device for a new one, and type that."
        default: "This did not work. Ask your device for a new code, and type that."
        }
    }

    /// The form of this browser, and whether it is new.
    private func activationForm() throws -> (form: ActivationForm, isNew: Bool) {
        if let known = BrowserCookie.form.value(in: request), known.isState {
            return (try ActivationForm(cookie: known, by: gateway.sealer), false)
        }
        return (try ActivationForm(cookie: try SignInFlow.randomText(), by: gateway.sealer), true)
    }

    private func formFields() async throws -> FormFields {
        let bytes = try await bytes()
        return try rethrowing(bytes.withSpan { text throws(FormFault) in try FormFields(parsing: text) }) {
            (_: FormFault) in RequestError.badRequest("the body is not a form")
        }
    }
}

/// What binds the forms of the activation page to the browser that has them: a token that only this gateway can make of the
/// browser's cookie.
struct ActivationForm: Sendable {
    let cookie: String
    let token: String

    init(cookie: String, by sealer: RecordSealer) throws(SealingError) {
        self.cookie = cookie
        token = try sealer.key(of: cookie, for: .activationForm).description
    }
}

extension ActivationForm {
    /// The mark of the browser in which a device was confirmed: the same one however often its form is sent, and to
    /// whichever replica.
    ///
    /// It is made of the sign-in's state with the secret of the sealer. Throws if libcrypto failed.
    fileprivate func mark(of state: String, by sealer: RecordSealer) throws(SealingError) -> String {
        let key = try sealer.key(of: "\(cookie) \(state)", for: .activationMark)
        return Base64.encodeURLSafe(Array(key.bytes.prefix(16)))
    }
}

extension RecordPurpose {
    /// Tokens of the forms of the activation page.
    static let activationForm: RecordPurpose = "activation-form"
    /// Marks of the browsers in which devices were confirmed.
    fileprivate static let activationMark: RecordPurpose = "activation-mark"
}
#endif
