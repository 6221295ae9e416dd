#if Client
import BrokerMessages
import EntitlementValues
import ServiceResponses
import TextCodecs

// What `SimulatorState+Writing` writes.

extension SimulatorState {
    /// Takes the state over that a text describes.
    mutating func read(_ object: JSONObject, _ text: Span<UInt8>) throws(JSONFault) {
        guard try object.integer("schema", in: text) == Self.schema else {
            throw JSONFault(.notAllowed, at: object.location + "schema", "is not \(Self.schema)")
        }
        world = try object.required("world", object.part("world", in: text, reading: SimulatedWorld.init))
        clock = try object.required("clock", object.part("clock", in: text, reading: SimulatedClock.init))
        if let position = try object.string("ids", in: text) {
            let number = try object.required("ids", UInt64(position))
            identifiers.position = number
        }
        for client in try object.parts("clients", in: text, reading: RegisteredClient.init) {
            clients[client.id] = client
        }
        for session in try object.parts("sessions", in: text, reading: LoginSession.init) {
            sessions[session.code] = session
        }
        for profile in try object.parts("profiles", in: text, reading: HeldProfile.init) {
            profiles[profile.holder, default: [:]][profile.mvpd] = profile
        }
        for one in try object.list("sharedProfiles", text) {
            let profile = try HeldProfile(one, text)
            sharedProfiles[try SharedIdentity(one, text), default: [:]][profile.mvpd] = profile
        }
        try readCounts(object, text)
        for request in try object.parts("partnerRequests", in: text, reading: PartnerRequest.init) {
            partnerRequests[request.id] = request
        }
        for one in try object.list("scenarios", text) {
            scenarios.append(try ActiveScenario(try one.requiredIdentifier("id", in: text), one, text))
        }
        if let mode = try object.part("throttle", in: text, reading: ThrottleMode.init) { throttle.set(mode) }
    }

    private mutating func readCounts(_ object: JSONObject, _ text: Span<UInt8>) throws(JSONFault) {
        for one in try object.list("trials", text) {
            let subject: TrialKey.Subject =
                if let device = try one.string("device", in: text) {
                    .device(device)
                } else {
                    .identity(try one.text("identity", text))
                }
            let key = TrialKey(
                requestor: RequestorID(try one.text("requestor", text)), mvpd: MVPDID(try one.text("mvpd", text)),
                subject: subject)
            trials[key] = Trial(
                started: try one.requiredInstant("started", in: text),
                resources: try one.identifiers("resources", in: text).map { ResourceID($0) },
                people: Set(try one.texts("people", text) ?? []))
        }
        for one in try object.list("decisions", text) {
            let key = DecisionKey(
                holder: try ProfileHolder(one, text), mvpd: MVPDID(try one.text("mvpd", text)),
                resource: ResourceID(try one.text("resource", text)))
            decisions[key] = DecisionPeriod(
                notBefore: try one.requiredInstant("notBefore", in: text),
                notAfter: try one.requiredInstant("notAfter", in: text))
        }
    }
}

extension ThrottleMode {
    fileprivate init(_ object: JSONObject, _ text: Span<UInt8>) throws(JSONFault) {
        let mode = ThrottleMode(
            named: try object.requiredIdentifier("mode", in: text), retryAfter: try object.count("retryAfter", text))
        self = try object.required("mode", mode)
    }
}

extension SimulatedClock {
    fileprivate init(_ object: JSONObject, _ text: Span<UInt8>) throws(JSONFault) {
        self.init(
            offset: try object.length("offset", in: text) ?? .zero, frozen: try object.instant("frozen", in: text))
        issueTimeOffset = try object.length("issueTimeOffset", in: text) ?? .zero
    }
}

extension RegisteredClient {
    fileprivate init(_ object: JSONObject, _ text: Span<UInt8>) throws(JSONFault) {
        self.init(
            id: try object.text("id", text), secret: try object.text("secret", text),
            statement: try object.text("statement", text), requestor: RequestorID(try object.text("requestor", text)),
            scopes: try object.identifiers("scopes", in: text),
            redirectURIs: try object.identifiers("redirectUris", in: text),
            issued: try object.requiredInstant("issued", in: text),
            isRevoked: try object.boolean("isRevoked", in: text) ?? false,
            generation: try object.requiredInteger("generation", in: text))
    }
}

extension LoginSession {
    fileprivate init(_ object: JSONObject, _ text: Span<UInt8>) throws(JSONFault) {
        var deviceInfo: DeviceInfo?
        if let json = try object.string("deviceInfo", in: text) {
            deviceInfo = try rethrowing(DeviceInfo(json: json)) { (error: BrokerHeaderError) in
                JSONFault(.notAllowed, at: object.location + "deviceInfo", "is refused: \(error.code)")
            }
        }
        self.init(
            id: try object.text("id", text), code: try object.text("code", text),
            requestor: RequestorID(try object.text("requestor", text)), holder: try ProfileHolder(object, text),
            identities: try object.parts("identities", in: text, reading: SharedIdentity.init),
            notBefore: try object.requiredInstant("notBefore", in: text),
            notAfter: try object.requiredInstant("notAfter", in: text),
            mvpd: try object.string("mvpd", in: text).map { MVPDID($0) },
            domain: try object.string("domain", in: text), redirectURL: try object.string("redirectUrl", in: text),
            deviceInfo: deviceInfo, clientAddress: try object.string("clientAddress", in: text),
            isCompleted: try object.boolean("isCompleted", in: text) ?? false,
            isAnswered: try object.boolean("isAnswered", in: text) ?? false)
    }
}

extension ProfileHolder {
    fileprivate init(_ object: JSONObject, _ text: Span<UInt8>) throws(JSONFault) {
        self.init(client: try object.text("client", text), device: try object.text("device", text))
    }
}

extension SharedIdentity {
    fileprivate init(_ object: JSONObject, _ text: Span<UInt8>) throws(JSONFault) {
        if let token = try object.string("platform", in: text) {
            self = .platform(token)
        } else {
            self = .serviceToken(issuer: try object.text("issuer", text), subject: try object.text("subject", text))
        }
    }
}

extension HeldProfile {
    fileprivate init(_ object: JSONObject, _ text: Span<UInt8>) throws(JSONFault) {
        self.init(
            holder: try ProfileHolder(object, text), mvpd: MVPDID(try object.text("mvpd", text)),
            user: try object.text("user", text),
            guid: try object.text("guid", text), type: ProfileType(try object.text("type", text)),
            notBefore: try object.requiredInstant("notBefore", in: text),
            notAfter: try object.requiredInstant("notAfter", in: text),
            isInvalidated: try object.boolean("isInvalidated", in: text) ?? false,
            code: try object.string("code", in: text))
    }
}

extension PartnerRequest {
    fileprivate init(_ object: JSONObject, _ text: Span<UInt8>) throws(JSONFault) {
        self.init(
            id: try object.text("id", text), holder: try ProfileHolder(object, text),
            mvpd: MVPDID(try object.text("mvpd", text)), notAfter: try object.requiredInstant("notAfter", in: text))
    }
}

extension JSONObject {
    /// The objects in a member; none if it is absent.
    fileprivate func list(_ name: String, _ text: Span<UInt8>) throws(JSONFault) -> [JSONObject] {
        node(name) == nil ? [] : try objects(name, in: text)
    }

    /// A text that must be there; it may be empty.
    fileprivate func text(_ name: String, _ text: Span<UInt8>) throws(JSONFault) -> String {
        try required(name, try string(name, in: text))
    }
}
#endif
