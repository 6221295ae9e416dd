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
        do throws(SimulationError) {
            try simulator.replaceWorld(by: try SimulatedWorld(json: json))
        } catch {
            throw .refused(error)
        }
        return .control(simulator.world.json)
    }

    /// Begins anew, with the world in `world` if there is one.
    private func reset(_ visit: SiteVisit) throws(SiteFault) -> Reply {
        let json = try visit.read(["world"]) { (object, text) throws(JSONFault) -> [UInt8]? in
            guard let node = object.node("world") else { return nil }
            return [UInt8](copying: text.extracting(node.value.range))
        }
        do throws(SimulationError) {
            let world = try json.map { json throws(SimulationError) in try SimulatedWorld(json: json) }
            try simulator.reset(to: world)
        } catch {
            throw .refused(error)
        }
        return .done
    }
}
#endif
