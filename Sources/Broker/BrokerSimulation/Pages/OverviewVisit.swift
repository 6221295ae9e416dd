#if Client
import BrokerMessages
import EntitlementValues
import ServiceResponses
import Synchronization
import TextCodecs

// The overview at `/`: what there is, what to copy, and buttons.

extension SimulatorSite {
    func overview(_ visit: SiteVisit) -> Reply {
        let notice: HTML =
            switch visit.parameter("said") {
            case "done": "<p class=\"good\" role=\"status\">Done.</p>"
            case "refused": "<p class=\"alert\" role=\"alert\">This cannot be done; nothing was changed.</p>"
            default: ""
            }
        let page = OverviewPage(self)
        return show(
            Page(
                "What is simulated",
                """
                \(notice)\(page.toCopy)\(page.things)\(page.signIns)\(page.clock)\(page.scenarios)\
                \(simulator.acceptanceReport.table)\(page.requests)
                """
            ))
    }

    /// `POST /`: what a button of the overview asks for.
    func changeFromOverview(_ visit: SiteVisit) throws(SiteFault) -> Reply {
        let form = try visit.form()
        // All bytes are compared, so that the time tells nothing about the secret.
        let token = Array((form["token"] ?? "").utf8)
        let difference = zip(token, formToken.utf8).reduce(token.count ^ formToken.utf8.count) { $0 | Int($1.0 ^ $1.1) }
        guard difference == 0 else { throw .oldForm }
        let isDone = (try? change(form)) != nil
        return Reply(
            status: 303, fields: ["Location": "/?said=\(isDone ? "done" : "refused")", "Cache-Control": "no-store"])
    }

    private func change(_ form: FormFields) throws {
        func need<Value>(_ value: Value?) throws(SiteFault) -> Value {
            guard let value else { throw .badRequest("the form lacks a field") }
            return value
        }
        switch form["action"] {
        case "advance":
            let minutes = try need(form["minutes"].flatMap { Int64($0) })
            guard (-5_256_000...5_256_000).contains(minutes) else { throw SiteFault.badRequest("too far") }
            simulator.advanceClock(by: .minutes(minutes))
        case "freeze": simulator.freezeClock(true)
        case "run": simulator.freezeClock(false)
        case "expire": simulator.expire(try need(form["what"].flatMap { BrokerSimulator.Expirable(rawValue: $0) }))
        case "activate":
            let scenario = try need(form["scenario"].flatMap { Scenario(named: $0) })
            let endpoint = try form["endpoint"].map { name in try need(BrokerEndpoint(rawValue: name)) }
            let remaining = try form["remaining"].map { text in try need(Int(text).flatMap { $0 > 0 ? $0 : nil }) }
            simulator.activate(
                ActiveScenario(
                    scenario.name, scenario, endpoints: Set([endpoint].compactMap(\.self)), remaining: remaining))
        case "deactivate": try simulator.deactivate(scenario: try need(form["id"]))
        case "throttle": simulator.setThrottle(try need(form["mode"].flatMap { ThrottleMode(named: $0) }))
        case "clear": simulator.clearJournal()
        case "reset": try simulator.reset()
        default: throw SiteFault.badRequest("the button is unknown")
        }
    }
}
#endif
