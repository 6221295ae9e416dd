#if Client
import BrokerMessages
import EntitlementValues
import ServiceResponses

// MARK: Decisions

extension AcceptanceRule {
    static let playDecisions = AcceptanceRule(
        id: "P1", title: "Preauthorization never decides a play",
        page: "Basic preauthorization flow performed within primary application"
    ) { story, finding in
        finding.hide("only the application knows what it plays")
        guard story.calls.contains(where: { $0.permits(at: .preauthorize) }) else { return }
        finding.show(story.calls.filter { $0.permits(at: .authorize) })
    }

    static let preauthorizationRetries = AcceptanceRule(
        id: "P2", title: "Retries of preauthorization follow the error's action, at most 3",
        page: "Enhanced Error Codes",
        advice: "Ask again only for resources whose error has the action retry, and at most 3 times.",
        answers: [.preauthorize], judge: retries(of: .preauthorize, within: .seconds(60)))

    static let repeatedPermits = AcceptanceRule(
        id: "P3", title: "Permits of preauthorization are kept in memory",
        page: "Basic preauthorization flow performed within primary application",
        advice: "Keep what was permitted in memory, and ask only for other resources.",
        answers: [.preauthorize],
        judge: eachDevice(from: [Pseudonym?: [Pseudonym: Timestamp]]()) { call, permitted, finding in
            if call.isSession || call.endpoint == .logout { permitted = [:] }
            guard call.endpoint == .preauthorize else { return }
            let since = call.resources.compactMap { permitted[call.mvpd]?[$0] }
            if since.contains(where: { $0 < call.requested && call.requested - $0 < .minutes(5) }) {
                finding.fault(call)
            }
            if call.permits(at: .preauthorize) { finding.show(call) }
            for judgement in call.judgements where judgement.isPermitted {
                permitted[call.mvpd, default: [:]][judgement.resource] = call.answered
            }
        })

    static let plays = AcceptanceRule(
        id: "Z1", title: "Each play is authorized before it begins",
        page: "Basic authorization flow performed within primary application"
    ) { story, finding in
        let count = story.calls.count { $0.endpoint == .authorize }
        finding.hide(
            "compare with the plays: \(count.counting("call of authorize was", "calls of authorize were")) recorded")
    }

    static let authorizationRetries = AcceptanceRule(
        id: "Z2", title: "Retries of authorization follow the error's action, at most 3",
        page: "Enhanced Error Codes",
        advice: "Ask again only if the error has the action retry, and at most 3 times.",
        answers: [.authorize], judge: retries(of: .authorize, within: .seconds(10)))

    /// Finds resources that are asked for again soon after a denial, although it does not allow that, or too often.
    private static func retries(of endpoint: BrokerEndpoint, within limit: TimeToLive) -> Judge {
        eachDevice(from: [Pseudonym?: [Set<Pseudonym>: (last: ReviewedCall, repetitions: Int)]]()) {
            call, denials, finding in
            if call.isSession { denials = [:] }
            let resources = Set(call.resources)
            guard call.endpoint == endpoint, !resources.isEmpty else { return }
            var repetitions = 0
            if let denial = denials[call.mvpd]?[resources],
                (.zero...limit).contains(call.requested - denial.last.answered)
            {
                repetitions = denial.repetitions + 1
                let mayRepeat = denial.last.denials.contains { $0.action == .retry }
                if !mayRepeat || repetitions > 3 { finding.fault(call) }
            }
            if !call.denials.isEmpty {
                finding.show(call)
                denials[call.mvpd, default: [:]][resources] = (call, repetitions)
            } else if call.isSuccess {
                denials[call.mvpd]?[resources] = nil
            }
        }
    }
}

// MARK: Logout

extension AcceptanceRule {
    static let logouts = AcceptanceRule(
        id: "L1", title: "A logout is carried out",
        page: "Basic logout flow performed within primary application",
        advice: "Open the address in the answer of logout in a browser.",
        answers: [.logout]
    ) { story, finding in
        for call in story.calls where call.endpoint == .logout && call.isSuccess {
            let places = call.logouts.compactMap(\.place)
            let isUnopened = places.contains { story.opening(of: $0, from: call.requested) == nil }
            if isUnopened, story.last > call.answered {
                finding.fault(call)
            } else if isUnopened || call.logouts.contains(where: \.isPartner) {
                finding.hide("record the browser, too; a logout of the device's platform is in its settings")
            } else {
                finding.show(call)
            }
        }
    }

    static let hastyLogouts = AcceptanceRule(
        id: "L2", isMandatory: false, title: "A denial is no reason for a logout",
        page: "Basic logout flow performed within primary application",
        advice: "Show the error, and leave the subscriber signed in.",
        answers: [.authorize, .preauthorize],
        judge: eachDevice(from: nil as Timestamp?) { call, denied, finding in
            if call.endpoint == .logout, let denied, (.zero..<TimeToLive.seconds(5)).contains(call.requested - denied) {
                finding.fault(call)
            }
            guard !call.denials.isEmpty else { return }
            finding.show(call)
            denied = call.answered
        })
}
#endif
