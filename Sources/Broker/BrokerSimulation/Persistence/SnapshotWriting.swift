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
        object.member("world", object: world.write)
        object.member("clock", object: clock.write)
        if let position = identifiers.position { object.member("ids", String(position)) }
        object.member("clients", objects: clients.values.sorted { $0.id < $1.id }) { $0.write(to: &$1) }
        object.member("sessions", objects: sessions.values.sorted { $0.code < $1.code }) { $0.write(to: &$1) }
        object.member("profiles", Self.sorted(profiles.values.flatMap(\.values)) { $0.write(to: &$1) })
        object.member("sharedProfiles", sharedProfileList)
        object.member("trials", trialList)
        object.member("decisions", decisionList)
        object.member("partnerRequests", objects: partnerRequests.values.sorted { $0.id < $1.id }) { $0.write(to: &$1) }
        object.member("scenarios", scenarios.map(\.object))
        object.member("throttle") { object in
            object.member("mode", throttle.mode.name)
            if let seconds = throttle.mode.retryAfter { object.member("retryAfter", seconds) }
        }
        return object
    }

    private var sharedProfileList: [JSONWriter] {
        let all = sharedProfiles.flatMap { identity, profiles in profiles.values.map { (identity, $0) } }
        return Self.sorted(all) { shared, object in
            shared.0.write(to: &object)
            shared.1.write(to: &object)
        }
    }

    private var trialList: [JSONWriter] {
        Self.sorted(trials) { entry, object in
            let (key, trial) = entry
            object.member("requestor", key.requestor.rawValue)
            object.member("mvpd", key.mvpd.rawValue)
            switch key.subject {
            case .device(let device): object.member("device", device)
            case .identity(let json): object.member("identity", json)
            }
            object.member("started", trial.started.milliseconds)
            object.member("resources", trial.resources.map(\.rawValue))
            object.member("people", trial.people.sorted())
        }
    }

    private var decisionList: [JSONWriter] {
        Self.sorted(decisions) { entry, object in
            let (key, period) = entry
            key.holder.write(to: &object)
            object.member("mvpd", key.mvpd.rawValue)
            object.member("resource", key.resource.rawValue)
            object.member("notBefore", period.notBefore.milliseconds)
            object.member("notAfter", period.notAfter.milliseconds)
        }
    }

    /// An object for each item, in the order of their bytes.
    private static func sorted<Item>(
        _ items: some Sequence<Item>,
        _ write: (Item, inout JSONWriter) -> Void
    ) -> [JSONWriter] {
        let objects = items.map { item in
            var object = JSONWriter()
            write(item, &object)
            return object
        }
        return objects.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    }
}

extension SimulatedClock {
    fileprivate func write(to object: inout JSONWriter) {
        object.member("offset", offset.milliseconds)
        if let frozen { object.member("frozen", frozen.milliseconds) }
        object.member("issueTimeOffset", issueTimeOffset.milliseconds)
    }
}

extension RegisteredClient {
    fileprivate func write(to object: inout JSONWriter) {
        object.member("id", id)
        object.member("secret", secret)
        object.member("statement", statement)
        object.member("requestor", requestor.rawValue)
        object.member("scopes", scopes)
        object.member("redirectUris", redirectURIs)
        object.member("issued", issued.milliseconds)
        object.member("isRevoked", isRevoked)
        object.member("generation", generation)
    }
}

extension LoginSession {
    fileprivate func write(to object: inout JSONWriter) {
        object.member("id", id)
        object.member("code", code)
        object.member("requestor", requestor.rawValue)
        holder.write(to: &object)
        object.member("identities", objects: identities) { $0.write(to: &$1) }
        object.member("notBefore", notBefore.milliseconds)
        object.member("notAfter", notAfter.milliseconds)
        if let mvpd { object.member("mvpd", mvpd.rawValue) }
        if let domain { object.member("domain", domain) }
        if let redirectURL { object.member("redirectUrl", redirectURL) }
        if let deviceInfo { object.member("deviceInfo", deviceInfo.json) }
        if let clientAddress { object.member("clientAddress", clientAddress) }
        object.member("isCompleted", isCompleted)
        object.member("isAnswered", isAnswered)
    }
}

extension ProfileHolder {
    fileprivate func write(to object: inout JSONWriter) {
        object.member("client", client)
        object.member("device", device)
    }
}

extension SharedIdentity {
    fileprivate func write(to object: inout JSONWriter) {
        switch self {
        case .serviceToken(let issuer, let subject):
            object.member("issuer", issuer)
            object.member("subject", subject)
        case .platform(let token): object.member("platform", token)
        }
    }
}

extension HeldProfile {
    fileprivate func write(to object: inout JSONWriter) {
        holder.write(to: &object)
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
    fileprivate func write(to object: inout JSONWriter) {
        object.member("id", id)
        holder.write(to: &object)
        object.member("mvpd", mvpd.rawValue)
        object.member("notAfter", notAfter.milliseconds)
    }
}
#endif
