#if Client
import BrokerMessages
import EntitlementValues
import ServiceResponses
import TextCodecs

extension SimulatorState {
    /// The version of the definition; a state of another one is refused.
    static let schema: Int64 = 3

    /// The state as JSON, in an order that depends on nothing but what is remembered.
    var snapshot: JSONWriter {
        var object = JSONWriter()
        object.member("schema", Self.schema)
        object.member("world", raw: world.json)
        object.member("clock", clock.object)
        if let position = identifiers.position { object.member("ids", String(position)) }
        object.member("clients", clients.values.sorted { $0.id < $1.id }.map(\.object))
        object.member("sessions", sessions.values.sorted { $0.code < $1.code }.map(\.object))
        object.member("profiles", profileList)
        object.member("sharedProfiles", sharedProfileList)
        object.member("trials", trialList)
        object.member("decisions", decisionList)
        object.member("partnerRequests", partnerRequests.values.sorted { $0.id < $1.id }.map(\.object))
        object.member("scenarios", scenarios.map(\.object))
        object.name("throttle")
        object.object { object in
            object.member("mode", throttle.mode.name)
            if let seconds = throttle.mode.retryAfter { object.member("retryAfter", seconds) }
        }
        return object
    }

    private var profileList: [JSONWriter] {
        Self.sorted(
            profiles.values.flatMap(\.values).map { profile in
                var object = JSONWriter()
                profile.write(to: &object)
                return object
            })
    }

    private var sharedProfileList: [JSONWriter] {
        let all = sharedProfiles.flatMap { identity, profiles in profiles.values.map { (identity, $0) } }
        return Self.sorted(
            all.map { identity, profile in
                var object = identity.object
                profile.write(to: &object)
                return object
            })
    }

    private var trialList: [JSONWriter] {
        Self.sorted(
            trials.map { key, trial in
                var object = JSONWriter()
                object.member("requestor", key.requestor.rawValue)
                object.member("mvpd", key.mvpd.rawValue)
                switch key.subject {
                case .device(let device): object.member("device", device)
                case .identity(let json): object.member("identity", json)
                }
                object.member("started", trial.started.milliseconds)
                object.member("resources", trial.resources.map(\.rawValue))
                object.member("people", trial.people.sorted())
                return object
            })
    }

    private var decisionList: [JSONWriter] {
        Self.sorted(
            decisions.map { key, period in
                var object = JSONWriter()
                object.member("client", key.holder.client)
                object.member("device", key.holder.device)
                object.member("mvpd", key.mvpd.rawValue)
                object.member("resource", key.resource.rawValue)
                object.member("notBefore", period.notBefore.milliseconds)
                object.member("notAfter", period.notAfter.milliseconds)
                return object
            })
    }

    private static func sorted(_ objects: [JSONWriter]) -> [JSONWriter] {
        objects.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    }
}

extension SimulatedClock {
    fileprivate var object: JSONWriter {
        var object = JSONWriter()
        object.member("offset", offset.milliseconds)
        if let frozen { object.member("frozen", frozen.milliseconds) }
        object.member("issueTimeOffset", issueTimeOffset.milliseconds)
        return object
    }
}

extension RegisteredClient {
    fileprivate var object: JSONWriter {
        var object = JSONWriter()
        object.member("id", id)
        object.member("secret", secret)
        object.member("statement", statement)
        object.member("requestor", requestor.rawValue)
        object.member("scopes", scopes)
        object.member("redirectUris", redirectURIs)
        object.member("issued", issued.milliseconds)
        object.member("isRevoked", isRevoked)
        object.member("generation", generation)
        return object
    }
}

extension LoginSession {
    fileprivate var object: JSONWriter {
        var object = JSONWriter()
        object.member("id", id)
        object.member("code", code)
        object.member("requestor", requestor.rawValue)
        object.member("client", holder.client)
        object.member("device", holder.device)
        object.member("identities", identities.map(\.object))
        object.member("notBefore", notBefore.milliseconds)
        object.member("notAfter", notAfter.milliseconds)
        if let mvpd { object.member("mvpd", mvpd.rawValue) }
        if let domain { object.member("domain", domain) }
        if let redirectURL { object.member("redirectUrl", redirectURL) }
        if let deviceInfo { object.member("deviceInfo", deviceInfo.json) }
        if let clientAddress { object.member("clientAddress", clientAddress) }
        object.member("isCompleted", isCompleted)
        object.member("isAnswered", isAnswered)
        return object
    }
}

extension SharedIdentity {
    fileprivate var object: JSONWriter {
        var object = JSONWriter()
        switch self {
        case .serviceToken(let issuer, let subject):
            object.member("issuer", issuer)
            object.member("subject", subject)
        case .platform(let token): object.member("platform", token)
        }
        return object
    }
}

extension HeldProfile {
    fileprivate func write(to object: inout JSONWriter) {
        object.member("client", holder.client)
        object.member("device", holder.device)
        object.member("mvpd", mvpd.rawValue)
        object.member("user", user)
        object.member("guid", guid)
        object.member("type", type.rawValue)
        object.member("notBefore", notBefore.milliseconds)
        object.member("notAfter", notAfter.milliseconds)
        object.member("isInvalidated", isInvalidated)
        if let code { object.member("code", code) }
    }
}

extension PartnerRequest {
    fileprivate var object: JSONWriter {
        var object = JSONWriter()
        object.member("id", id)
        object.member("client", holder.client)
        object.member("device", holder.device)
        object.member("mvpd", mvpd.rawValue)
        object.member("notAfter", notAfter.milliseconds)
        return object
    }
}
#endif
