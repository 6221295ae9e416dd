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
        world = try SimulatedWorld(object.required("world", object.inner("world", text)), text)
        clock = try SimulatedClock(object.required("clock", object.inner("clock", text)), text)
        if let position = try object.string("ids", in: text) {
            let number = try object.required("ids", UInt64(position))
            identifiers.position = number
        }
        for one in try object.list("clients", text) {
            let client = try RegisteredClient(one, text)
            clients[client.id] = client
        }
        for one in try object.list("sessions", text) {
            let session = try LoginSession(one, text)
            sessions[session.code] = session
        }
        for one in try object.list("profiles", text) {
            let profile = try HeldProfile(one, text)
            profiles[profile.holder, default: [:]][profile.mvpd] = profile
        }
        for one in try object.list("sharedProfiles", text) {
            let profile = try HeldProfile(one, text)
            sharedProfiles[try SharedIdentity(one, text), default: [:]][profile.mvpd] = profile
        }
        try readCounts(object, text)
        for one in try object.list("partnerRequests", text) {
            let request = try PartnerRequest(one, text)
            partnerRequests[request.id] = request
        }
        for one in try object.list("scenarios", text) {
            scenarios.append(try ActiveScenario(try one.requiredIdentifier("id", in: text), one, text))
        }
        try readThrottle(object, text)
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
                started: try one.instant("started", text),
                resources: try one.identifiers("resources", in: text).map { ResourceID($0) },
                people: Set(try one.texts("people", text) ?? []))
        }
        for one in try object.list("decisions", text) {
            let key = DecisionKey(
                holder: try ProfileHolder(one, text), mvpd: MVPDID(try one.text("mvpd", text)),
                resource: ResourceID(try one.text("resource", text)))
            decisions[key] = DecisionPeriod(
                notBefore: try one.instant("notBefore", text), notAfter: try one.instant("notAfter", text))
        }
    }

    private mutating func readThrottle(_ object: JSONObject, _ text: Span<UInt8>) throws(JSONFault) {
        guard let one = try object.inner("throttle", text) else { return }
        let mode = ThrottleMode(
            named: try one.requiredIdentifier("mode", in: text), retryAfter: try one.count("retryAfter", text))
        throttle.set(try one.required("mode", mode))
    }
}

extension SimulatedClock {
    fileprivate init(_ object: JSONObject, _ text: Span<UInt8>) throws(JSONFault) {
        let offset = try object.length("offset", text) ?? .zero
        let frozen = try object.integer("frozen", in: text).map { Timestamp(milliseconds: $0) }
        self.init(offset: offset, frozen: frozen)
        issueTimeOffset = try object.length("issueTimeOffset", text) ?? .zero
    }
}

extension RegisteredClient {
    fileprivate init(_ object: JSONObject, _ text: Span<UInt8>) throws(JSONFault) {
        self.init(
            id: try object.text("id", text), secret: try object.text("secret", text),
            statement: try object.text("statement", text), requestor: RequestorID(try object.text("requestor", text)),
            scopes: try object.identifiers("scopes", in: text),
            redirectURIs: try object.identifiers("redirectUris", in: text), issued: try object.instant("issued", text),
            isRevoked: try object.boolean("isRevoked", in: text) ?? false,
            generation: try object.required("generation", object.integer("generation", in: text)))
    }
}

extension LoginSession {
    fileprivate init(_ object: JSONObject, _ text: Span<UInt8>) throws(JSONFault) {
        var identities: [SharedIdentity] = []
        for one in try object.list("identities", text) { identities.append(try SharedIdentity(one, text)) }
        var deviceInfo: DeviceInfo?
        if let json = try object.string("deviceInfo", in: text) {
            do throws(BrokerHeaderError) {
                deviceInfo = try DeviceInfo(json: json)
            } catch {
                throw JSONFault(.notAllowed, at: object.location + "deviceInfo", "is refused: \(error.code)")
            }
        }
        self.init(
            id: try object.text("id", text), code: try object.text("code", text),
            requestor: RequestorID(try object.text("requestor", text)), holder: try ProfileHolder(object, text),
            identities: identities, notBefore: try object.instant("notBefore", text),
            notAfter: try object.instant("notAfter", text),
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
            notBefore: try object.instant("notBefore", text), notAfter: try object.instant("notAfter", text),
            isInvalidated: try object.boolean("isInvalidated", in: text) ?? false,
            code: try object.string("code", in: text))
    }
}

extension PartnerRequest {
    fileprivate init(_ object: JSONObject, _ text: Span<UInt8>) throws(JSONFault) {
        self.init(
            id: try object.text("id", text), holder: try ProfileHolder(object, text),
            mvpd: MVPDID(try object.text("mvpd", text)), notAfter: try object.instant("notAfter", text))
    }
}

extension JSONObject {
    /// A text that must be there; it may be empty.
    fileprivate func text(_ name: String, _ text: Span<UInt8>) throws(JSONFault) -> String {
        try required(name, try string(name, in: text))
    }

    /// An instant that must be there, in milliseconds since 1970.
    fileprivate func instant(_ name: String, _ text: Span<UInt8>) throws(JSONFault) -> Timestamp {
        Timestamp(milliseconds: try required(name, try integer(name, in: text)))
    }
}
#endif
