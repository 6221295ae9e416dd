#if Service
import BrokerMessages
import EntitlementFlows
import EntitlementValues
import HTTPTypes
import Hummingbird
import TextCodecs

extension GatewayCall {
    /// Registers a device: makes its key and its token, and nothing else.
    ///
    /// The broker is not asked, and nothing is stored.
    func registerDevice() async throws -> Response {
        try await limit("devices", to: gateway.settings.devicesPerMinute, asking: "registrations from this address")
        let names: Set = ["app", "deviceInfo", "identifier", "lastProvider", "visitorId", "cookie", "attestation"]
        let body = try await body(taking: names)
        let id = try body.requiredIdentifier("app")
        guard let app = gateway.apps[id] else { throw RequestError.badRequest("app is not the id of an app") }
        let wantsCookie = try body.boolean("cookie") ?? false
        if wantsCookie { try checkSameOrigin() }
        let (facts, identifier) = (try DeviceFacts(of: body), try body.deviceIdentifier())
        try await Attestation(of: body, for: app.id, at: client).check(by: gateway)
        let token = DeviceToken(
            key: try DeviceTokens.newKey(), app: app.id, generation: 1, expires: now + gateway.tokenLifetime,
            facts: facts, identifier: identifier)
        return try answer(.created, "registered", with: token, inCookie: wantsCookie)
    }

    /// Hands a token over: in the body, or in a cookie, and then not in the body.
    func answer(
        _ status: HTTPResponse.Status,
        _ code: String,
        with token: DeviceToken,
        inCookie: Bool
    ) throws -> Response {
        let text = try gateway.tokens.text(of: token)
        var object = JSONWriter()
        object.member("code", code)
        if !inCookie { object.member("deviceToken", text) }
        object.member("expires", token.expires.milliseconds)
        var response = Response(status, object)
        guard inCookie else { return response }
        let seconds = token.expires.since(now).milliseconds / 1000
        guard let setting = DeviceCookie.setting(text, seconds: seconds) else {
            throw RequestError.badRequest("deviceInfo is too long for a cookie; leave members out")
        }
        response.headers[.setCookie] = setting
        return response
    }
}

extension DeviceCall {
    /// Gives the device a token of the next generation.
    func renewToken() async throws -> Response {
        _ = try await call.body(taking: [])
        let end = now + gateway.tokenLifetime
        guard record != nil else {
            let next = token.renewed(as: token.generation + 1, until: end, isRecorded: false)
            return try call.answer(.ok, "renewed", with: next, inCookie: isByCookie)
        }
        let generation = try await gateway.devices.change(key) { device in
            device.accepts(token) ? device.renew(token) : nil
        }
        guard let generation else { throw RequestError.deviceTokenRevoked }
        let next = token.renewed(as: generation, until: end, isRecorded: true)
        return try call.answer(.ok, "renewed", with: next, inCookie: isByCookie)
    }

    /// Changes what later calls of the broker say of the device.
    func changeDevice() async throws -> Response {
        let body = try await call.body(taking: ["deviceInfo", "visitorId"])
        let facts = try DeviceFacts(of: body)
        try await changeRecord { device in
            if let info = facts.info { device.facts.info = info }
            if let visitor = facts.visitor { device.facts.visitor = visitor }
        }
        var object = JSONWriter()
        object.member("code", "changed")
        return Response(.ok, object)
    }

    /// Signs the device out at the broker, and erases everything about it.
    func forgetDevice() async throws -> Response {
        _ = try await call.body(taking: [])
        // A broker that does not answer must not keep the user from being forgotten: without the credentials, which are
        // erased here, the profile there is of use to nothing.
        try await SignInFlow(of: self).forgetDevice(until: now + gateway.tokenLifetime)
        var object = JSONWriter()
        object.member("code", "forgotten")
        var response = Response(.ok, object)
        if isByCookie { response.headers[.setCookie] = DeviceCookie.removal }
        return response
    }
}

extension Gateway {
    /// For how long a new device token is good.
    var tokenLifetime: TimeToLive { .hours(Int64(settings.tokenDays) * 24) }
}

extension DeviceFacts {
    /// Takes what an app says of its device in a request; throws with the status 400 if that is at fault.
    init(of body: GatewayBody) throws(RequestError) {
        self.init()
        let (json, text) = (try body.objectText("deviceInfo"), try body.identifier("visitorId"))
        lastProvider = try body.identifier("lastProvider").map { MVPDID($0) }
        info = try json.map { json throws(RequestError) in
            // What the app says of its connection is never believed.
            try rethrowing(DeviceInfo(json: json).connected(from: nil), as: Self.badRequest)
        }
        visitor = try text.map { text throws(RequestError) in
            try rethrowing(VisitorIdentifier(text), as: Self.badRequest)
        }
        try info?.requireMemberTypes()
    }

    static func badRequest(_ error: BrokerHeaderError) -> RequestError { .badRequest("\(error)") }
}

extension GatewayBody {
    /// The identifier that an app brings along, for the first record of its device; `nil` if it brings none.
    fileprivate func deviceIdentifier() throws(RequestError) -> DeviceIdentifier? {
        guard let text = try identifier("identifier") else { return nil }
        return try rethrowing(DeviceIdentifier(text), as: DeviceFacts.badRequest)
    }
}
#endif
