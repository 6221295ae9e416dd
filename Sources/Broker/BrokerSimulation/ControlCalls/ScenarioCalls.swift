#if Client
import BrokerMessages
import EntitlementValues
import HTTPTypes
import TextCodecs

extension SimulatorSite {
    /// The scenarios that are on.
    var scenarioList: Reply {
        var object = JSONWriter()
        object.member("scenarios", simulator.scenarios.map(\.object))
        return .control(object)
    }

    /// `PUT` and `DELETE /sim/scenarios/ID`.
    func changeScenario(_ id: String, _ visit: SiteVisit) throws(SiteFault) -> Reply {
        switch visit.method {
        case .put:
            let scenario = try visit.read(ActiveScenario.members) { (object, text) throws(JSONFault) in
                try ActiveScenario(id, object, text)
            }
            simulator.activate(scenario)
            return .control(scenario.object)
        case .delete:
            try rethrowing(simulator.deactivate(scenario: id), as: SiteFault.refused)
            return .done
        default: throw .wrongMethod(allowed: ["DELETE", "PUT"])
        }
    }

    /// How requests are limited.
    var throttle: Reply {
        let mode = simulator.throttle
        var object = JSONWriter()
        object.member("mode", mode.name)
        if let seconds = mode.retryAfter { object.member("retryAfter", seconds) }
        return .control(object)
    }

    /// `PUT /sim/throttle`: `mode` is `off`, `documented`, `always` or `RATE:BURST`.
    func changeThrottle(_ visit: SiteVisit) throws(SiteFault) -> Reply {
        let mode = try visit.read(["mode", "retryAfter"]) { (object, text) throws(JSONFault) in
            let name = try object.requiredIdentifier("mode", in: text)
            let seconds = try object.count("retryAfter", text)
            guard let mode = ThrottleMode(named: name, retryAfter: seconds), (0...86_400).contains(seconds ?? 0) else {
                throw JSONFault(
                    .notAllowed, at: object.location + "mode",
                    "is none of off, documented, always, RATE:BURST, or retryAfter is not 0 to 86400")
            }
            return mode
        }
        simulator.setThrottle(mode)
        return throttle
    }

    /// The last requests, the oldest first; no values of header fields and no bodies.
    var requestList: Reply {
        var object = JSONWriter()
        object.member("requests", objects: simulator.journal) { $0.write(to: &$1) }
        return .control(object)
    }
}

extension ActiveScenario {
    static let members: Set<String> = ["scenario", "endpoints", "requestor", "remaining"]

    /// Reads a scenario, as ``object`` writes it.
    init(_ id: String, _ object: JSONObject, _ text: Span<UInt8>) throws(JSONFault) {
        let name = try object.requiredIdentifier("scenario", in: text)
        guard let scenario = Scenario(named: name) else {
            throw JSONFault(.notAllowed, at: object.location + "scenario", "is not the name of a scenario")
        }
        var endpoints: Set<BrokerEndpoint> = []
        for name in try object.texts("endpoints", text) ?? [] {
            guard let endpoint = BrokerEndpoint(rawValue: name) else {
                let known = BrokerEndpoint.allCases.map(\.rawValue).joined(separator: ", ")
                throw JSONFault(.notAllowed, at: object.location + "endpoints", "has one that is none of \(known)")
            }
            endpoints.insert(endpoint)
        }
        let remaining = try object.count("remaining", text)
        guard remaining ?? 1 > 0 else {
            throw JSONFault(.notAllowed, at: object.location + "remaining", "is not above 0")
        }
        self.init(
            id, scenario, endpoints: endpoints,
            requestor: try object.identifier("requestor", in: text).map { RequestorID($0) }, remaining: remaining)
    }

    /// The scenario as JSON.
    var object: JSONWriter {
        var object = JSONWriter()
        object.member("id", id)
        object.member("scenario", scenario.name)
        object.member("endpoints", endpoints.map(\.rawValue).sorted())
        if let requestor { object.member("requestor", requestor.rawValue) }
        if let remaining { object.member("remaining", remaining) }
        return object
    }
}

extension JournalEntry {
    fileprivate func write(to object: inout JSONWriter) {
        object.member("number", number)
        object.member("time", time.milliseconds)
        if let endpoint { object.member("endpoint", endpoint.rawValue) }
        object.member("method", method)
        if let requestor { object.member("requestor", requestor.rawValue) }
        if let mvpd { object.member("mvpd", mvpd.rawValue) }
        if let resources { object.member("resources", resources) }
        object.member("status", status)
        if let errorCode { object.member("errorCode", errorCode) }
        if let scenario { object.member("scenario", scenario) }
        object.member("fields", fields)
        object.member("notes", notes)
    }
}
#endif
