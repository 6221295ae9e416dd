#if Client
import EntitlementValues
import HTTPTypes
import TextCodecs

// The control calls under `/sim/`.

extension SimulatorSite {
    func control(_ visit: SiteVisit) throws(SiteFault) -> Reply {
        let path = Array(visit.path.dropFirst())
        // PUT and DELETE with an id in the path.
        if path.count == 2, path[0] == "scenarios" { return try changeScenario(path[1], visit) }
        if let key = Self.keyPaths[path] { return try showKey(key, visit) }
        guard let calls = Self.calls[path] else { throw .notFound }
        guard let call = calls[visit.method] else { throw .wrongMethod(allowed: calls.keys.map(\.rawValue).sorted()) }
        return try call(self, visit)
    }

    private typealias Call = @Sendable (SimulatorSite, SiteVisit) throws(SiteFault) -> Reply

    private static let calls: [[String]: [HTTPRequest.Method: Call]] = [
        ["health"]: [.get: { site, _ throws(SiteFault) in site.health }],
        ["openapi.json"]: [
            .get: { _, _ throws(SiteFault) in .file(PackageResources.openapi_json, type: "application/json") }
        ],
        ["openapi.yaml"]: [
            .get: { _, _ throws(SiteFault) in .file(PackageResources.openapi_yaml, type: "application/yaml") }
        ],
        ["state"]: [
            .get: { site, _ throws(SiteFault) in .control(site.simulator.world.json) },
            .put: { site, visit throws(SiteFault) in try site.replaceWorld(visit) },
        ],
        ["reset"]: [.post: { site, visit throws(SiteFault) in try site.reset(visit) }],
        ["clock"]: [
            .get: { site, _ throws(SiteFault) in site.clock },
            .post: { site, visit throws(SiteFault) in try site.changeClock(visit) },
        ],
        ["scenarios"]: [.get: { site, _ throws(SiteFault) in site.scenarioList }],
        ["throttle"]: [
            .get: { site, _ throws(SiteFault) in site.throttle },
            .put: { site, visit throws(SiteFault) in try site.changeThrottle(visit) },
        ],
        ["requests"]: [
            .get: { site, _ throws(SiteFault) in site.requestList },
            .delete: { site, _ throws(SiteFault) in
                site.simulator.clearJournal()
                return .done
            },
        ],
        ["report"]: [.get: { site, _ throws(SiteFault) in .control(site.simulator.acceptanceReport.object) }],
        ["profiles"]: [.post: { site, visit throws(SiteFault) in try site.grantProfile(visit) }],
        ["media-tokens"]: [.post: { site, visit throws(SiteFault) in try site.mintMediaToken(visit) }],
        ["expire"]: [.post: { site, visit throws(SiteFault) in try site.expire(visit) }],
        ["revoke"]: [.post: { site, visit throws(SiteFault) in try site.revoke(visit) }],
        ["partner"]: [.post: { site, visit throws(SiteFault) in try site.askPartner(visit) }],
        ["software-statement"]: [.get: { site, visit throws(SiteFault) in try site.softwareStatement(visit) }],
    ]

    private var health: Reply {
        var object = JSONWriter()
        object.member("healthy", true)
        object.member("simulated", true)
        object.member("time", simulator.now.milliseconds)
        return .control(object)
    }

    private func replaceWorld(_ visit: SiteVisit) throws(SiteFault) -> Reply {
        let json = try visit.json()
        try rethrowing(simulator.replaceWorld(by: SimulatedWorld(json: json)), as: SiteFault.refused)
        return .control(simulator.world.json)
    }

    /// Begins anew, with the world in `world` if there is one.
    private func reset(_ visit: SiteVisit) throws(SiteFault) -> Reply {
        let json = try visit.read(["world"]) { (object, text) throws(JSONFault) -> [UInt8]? in
            guard let node = object.node("world") else { return nil }
            return [UInt8](copying: text.extracting(node.value.range))
        }
        let world = try json.map { json throws(SiteFault) in
            try rethrowing(SimulatedWorld(json: json), as: SiteFault.refused)
        }
        try rethrowing(simulator.reset(to: world), as: SiteFault.refused)
        return .done
    }
}

extension SimulatorSite {
    /// The simulation's time, and how it differs from the real one.
    var clock: Reply {
        let clock = simulator.clock
        var object = JSONWriter()
        object.member("time", simulator.now.milliseconds)
        object.member("offset", clock.offset.milliseconds)
        object.member("isFrozen", clock.frozen != nil)
        object.member("issueTimeOffset", clock.issueTimeOffset.milliseconds)
        return .control(object)
    }

    /// `POST /sim/clock`: one or several of `set`, `offset`, `advance`, `freeze` and `issueTimeOffset`.
    ///
    /// They are carried out in this order. Lengths are milliseconds; `set` is RFC 3339 or milliseconds since 1970.
    func changeClock(_ visit: SiteVisit) throws(SiteFault) -> Reply {
        let change = try visit.read(["set", "offset", "advance", "freeze", "issueTimeOffset"]) {
            (object, text) throws(JSONFault) in try ClockChange(object, text)
        }
        if let instant = change.instant { simulator.setClock(to: instant) }
        if let offset = change.offset { simulator.setClockOffset(offset) }
        if let step = change.step { simulator.advanceClock(by: step) }
        if let isFrozen = change.isFrozen { simulator.freezeClock(isFrozen) }
        if let offset = change.issueTimeOffset { simulator.setIssueTimeOffset(offset) }
        return clock
    }
}

/// What a call asks of the clock.
private struct ClockChange {
    var instant: Timestamp?
    var offset: TimeToLive?
    var step: TimeToLive?
    var isFrozen: Bool?
    var issueTimeOffset: TimeToLive?

    /// The years 1900 to 2200: tokens and certificates have no others.
    private static let instants =
        Timestamp(
            milliseconds: -2_208_988_800_000)...Timestamp(
            milliseconds: 7_258_118_400_000)
    /// A hundred years.
    private static let longest: Int64 = 3_155_760_000_000

    init(_ object: JSONObject, _ text: Span<UInt8>) throws(JSONFault) {
        if let node = object.node("set") {
            let found =
                node.value.kind == .string
                ? Timestamp(try object.requiredIdentifier("set", in: text))
                : try object.instant("set", in: text)
            guard let found, Self.instants.contains(found) else {
                throw JSONFault(.notAllowed, at: object.location + "set", "is not an instant from 1900 to 2200")
            }
            instant = found
        }
        offset = try Self.length("offset", of: object, in: text)
        step = try Self.length("advance", of: object, in: text)
        isFrozen = try object.boolean("freeze", in: text)
        issueTimeOffset = try Self.length("issueTimeOffset", of: object, in: text)
    }

    private static func length(
        _ name: String,
        of object: JSONObject,
        in text: Span<UInt8>
    ) throws(JSONFault) -> TimeToLive? {
        guard let length = try object.length(name, in: text) else { return nil }
        guard (-longest...longest).contains(length.milliseconds) else {
            throw JSONFault(.notAllowed, at: object.location + name, "is longer than a hundred years")
        }
        return length
    }
}
#endif
