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
        if story.calls.contains(where: { $0.permits(at: .preauthorize) }) {
            finding.show(story.calls.filter { $0.permits(at: .authorize) })
        }
        if !finding.isShown { finding.hide("only the application knows what it plays") }
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
            } else if call.isSuccess || call.isOpaque {
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

// MARK: Fields

extension AcceptanceRule {
    static let missingFields = AcceptanceRule(
        id: "H1", title: "Authorization, AP-Device-Identifier and X-Device-Info are on every call",
        advice: "Send the three fields with every call of REST API V2."
    ) { story, finding in
        let service = story.calls.filter(\.isService)
        if service.contains(where: \.isSuccess), service.allSatisfy({ $0.missingFields.contains(BearerToken.name) }) {
            finding.hide(
                "the recording was made without Authorization; export it with sensitive data (in Chrome: Settings, "
                    + "Preferences, Network, \"Allow to generate HAR with sensitive data\")")
            return
        }
        finding.show(service)
        var (missing, excused): (Set<String>, Int) = ([], 0)
        for call in service {
            var names = Set(call.missingFields)
            if call.isBrowser, names.remove(DeviceInfo.name) != nil { excused += 1 }
            if !names.isEmpty { finding.fault(call) }
            missing.formUnion(names)
        }
        if !missing.isEmpty { finding.remark("missing: \(missing.sorted().joined(separator: ", "))") }
        if excused > 0 {
            finding.remark("browsers left X-Device-Info out of \(excused.counting("call", "calls")), which they may")
        }
    }

    static let changedIdentifiers = AcceptanceRule(
        id: "H2", title: "The device's identifier is stable", page: "Header - AP-Device-Identifier",
        advice: "Make the identifier once of what the platform keeps, and send it unchanged.", answers: [.token]
    ) { story, finding in
        var known: [Pseudonym: Pseudonym] = [:]
        for call in story.calls {
            guard let identifier = call.identifier, let holder = call.holder else { continue }
            finding.show(call)
            if known.updateValue(identifier, forKey: holder) ?? identifier != identifier { finding.fault(call) }
        }
    }

    static let unknownNames = AcceptanceRule(
        id: "H3", title: "Only known parameters and fields are sent",
        advice: "Leave out what the reference of no endpoint has."
    ) { story, finding in
        finding.show(story.calls)
        finding.fault(story.calls.filter { !$0.unknownNames.isEmpty })
        let names = Set(story.calls.flatMap(\.unknownNames)).sorted()
        guard !names.isEmpty else { return }
        finding.remark("unknown: " + names.prefix(10).joined(separator: ", ") + (names.count > 10 ? " and more" : ""))
    }
}

// MARK: Errors

extension AcceptanceRule {
    static let loops = AcceptanceRule(
        id: "E1", title: "Errors in a 200 are told from errors of HTTP, and nothing is repeated for ever",
        page: "Enhanced Error Codes", advice: "Read the error's action, and stop unless it is retry.",
        judge: eachDevice(from: [Pseudonym: (status: Int, count: Int)]()) { call, refused, finding in
            if call.status < 400 { refused[call.request] = nil }
            guard call.isRefused else { return }
            finding.show(call)
            let before = refused[call.request].flatMap { $0.status == call.status ? $0.count : nil } ?? 0
            refused[call.request] = (call.status, before + 1)
            if before >= 3 { finding.fault(call) }
        })

    static let hastyCalls = AcceptanceRule(
        id: "E2", title: "A 429 is obeyed", page: "Throttling Mechanism",
        advice: "Send nothing until Retry-After is over, and for a second where there is none."
    ) { story, finding in
        for device in story.devices {
            let limited = device.filter { $0.status == 429 }.sorted { $0.answered < $1.answered }
            finding.show(limited)
            var (next, until) = (0, Timestamp.distantPast)
            for call in device where call.endpoint?.family != .browser {
                while next < limited.count, limited[next].answered < call.requested {
                    until = max(until, limited[next].answered + (limited[next].retryAfter ?? .seconds(1)))
                    next += 1
                }
                // Timers of browsers and recorders are not exact.
                if call.requested + .milliseconds(20) < until { finding.fault(call) }
            }
        }
    }
}

// MARK: Trials

extension AcceptanceRule {
    static let triedFlows = AcceptanceRule(id: "T1", isMandatory: false, title: "The basic flows were tried") {
        story, finding in
        let signedIn = story.signIns.filter(\.isDone)
        func isSeen(_ endpoint: BrokerEndpoint, _ isMeant: (ReviewedCall.Judgement) -> Bool) -> Bool {
            story.calls.contains { $0.endpoint == endpoint && $0.judgements.contains(where: isMeant) }
        }
        let flows = [
            ("a sign-in on the first screen", signedIn.contains { !$0.isSecondScreen }),
            ("a sign-in on a second screen", signedIn.contains(where: \.isSecondScreen)),
            ("a permit of preauthorize", isSeen(.preauthorize, \.isPermitted)),
            ("a denial of preauthorize", isSeen(.preauthorize) { !$0.isPermitted }),
            ("a permit of authorize", isSeen(.authorize, \.isPermitted)),
            ("a denial of authorize", isSeen(.authorize) { !$0.isPermitted }),
            ("a logout", story.calls.contains { $0.endpoint == .logout && $0.isSuccess }),
        ]
        let missing = flows.filter { !$0.1 }.map(\.0)
        finding.isShown = missing.isEmpty
        if !missing.isEmpty { finding.remark("missing: \(missing.joined(separator: ", "))") }
    }

    static let otherEnvironments = AcceptanceRule(
        id: "T2", title: "The application was tried in the operator's other environments first"
    ) { _, finding in
        finding.hide("keep the reports of those environments")
    }
}
#endif
