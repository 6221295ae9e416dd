#if Client
import BrokerMessages
import EntitlementValues
import ServiceResponses

// MARK: Decisions and logout

extension ReviewStory {
    private func permits(of endpoint: BrokerEndpoint) -> [Int] {
        calls.filter { call in call.endpoint == endpoint && call.judgements.contains(where: \.isPermitted) }
            .map(\.number)
    }

    func playDecisions() -> Finding {
        let (shown, played) = (permits(of: .preauthorize), permits(of: .authorize))
        guard !shown.isEmpty, !played.isEmpty else { return .unseen("only the application knows what it plays") }
        return Finding(verdict: .pass, requests: played)
    }

    func retries(of endpoint: BrokerEndpoint, within limit: TimeToLive) -> Finding {
        struct Question: Hashable {
            let mvpd: Pseudonym?
            let resources: Set<Pseudonym>
        }
        var (faults, shown): ([Int], [Int]) = ([], [])
        for device in devices {
            var denied: [Question: (last: ReviewedCall, repetitions: Int)] = [:]
            for call in device {
                if call.isSession { denied = [:] }
                guard call.endpoint == endpoint, !call.resources.isEmpty else { continue }
                let question = Question(mvpd: call.mvpd, resources: Set(call.resources))
                var repetitions = 0
                if let before = denied[question],
                    (.zero...limit).contains(call.requested - before.last.answered)
                {
                    repetitions = before.repetitions + 1
                    let mayRepeat = before.last.denials.contains { $0.action == .retry }
                    if !mayRepeat || repetitions > 3 { faults.append(call.number) }
                }
                if !call.denials.isEmpty {
                    shown.append(call.number)
                    denied[question] = (call, repetitions)
                } else if call.isSuccess {
                    denied[question] = nil
                }
            }
        }
        return Finding(faults: faults, shown: shown)
    }

    func repeatedPermits() -> Finding {
        struct Permit: Hashable {
            let mvpd: Pseudonym?
            let resource: Pseudonym
        }
        var faults: [Int] = []
        for device in devices {
            var permitted: [Permit: Timestamp] = [:]
            for call in device {
                if call.isSession || call.endpoint == .logout { permitted = [:] }
                guard call.endpoint == .preauthorize else { continue }
                let isRepeated = call.resources.contains { resource in
                    permitted[Permit(mvpd: call.mvpd, resource: resource)].map {
                        $0 < call.requested && call.requested - $0 < .minutes(5)
                    } ?? false
                }
                if isRepeated { faults.append(call.number) }
                for judgement in call.judgements where judgement.isPermitted {
                    permitted[Permit(mvpd: call.mvpd, resource: judgement.resource)] = call.answered
                }
            }
        }
        return Finding(faults: faults, shown: permits(of: .preauthorize))
    }

    func logouts() -> Finding {
        var (faults, shown, hidden): ([Int], [Int], Bool) = ([], [], false)
        for call in calls where call.endpoint == .logout && call.isSuccess {
            let places = call.logouts.compactMap(\.place)
            if places.contains(where: { opening(of: $0, from: call.requested) == nil }) {
                if last > call.answered { faults.append(call.number) } else { hidden = true }
            } else if call.logouts.contains(where: \.isPartner) {
                hidden = true
            } else {
                shown.append(call.number)
            }
        }
        if faults.isEmpty, shown.isEmpty, hidden {
            return .unseen("record the browser, too; a logout of the device's platform is in its settings")
        }
        return Finding(faults: faults, shown: shown)
    }

    func hastyLogouts() -> Finding {
        var (faults, shown): ([Int], [Int]) = ([], [])
        for device in devices {
            var denied: Timestamp?
            for call in device {
                if call.endpoint == .logout, let denied,
                    (.zero..<TimeToLive.seconds(5)).contains(call.requested - denied)
                {
                    faults.append(call.number)
                }
                guard !call.denials.isEmpty else { continue }
                shown.append(call.number)
                denied = call.answered
            }
        }
        return Finding(faults: faults, shown: shown)
    }
}

// MARK: Fields, errors and trials

extension ReviewStory {
    func missingFields() -> Finding {
        let service = calls.filter(\.isService)
        if service.contains(where: \.isSuccess),
            service.allSatisfy({ $0.missingFields.contains(BearerToken.name) })
        {
            return .unseen(
                "the recording was made without Authorization; export it with sensitive data (in Chrome: Settings, "
                    + "Preferences, Network, \"Allow to generate HAR with sensitive data\")")
        }
        var (faults, names, excused): ([Int], Set<String>, Int) = ([], [], 0)
        for call in service {
            let mayLack = call.isBrowser && call.missingFields.contains(DeviceInfo.name)
            if mayLack { excused += 1 }
            let missing = call.missingFields.filter { !(mayLack && $0 == DeviceInfo.name) }
            guard !missing.isEmpty else { continue }
            faults.append(call.number)
            names.formUnion(missing)
        }
        var words = names.isEmpty ? [] : ["missing: \(names.sorted().joined(separator: ", "))"]
        if excused > 0 { words.append("browsers left X-Device-Info out of \(excused) calls, which they may") }
        return Finding(faults: faults, shown: service.map(\.number), detail: words.joined(separator: "; "))
    }

    func changedIdentifiers() -> Finding {
        var known: [Pseudonym: Pseudonym] = [:]
        var (faults, shown): ([Int], [Int]) = ([], [])
        for call in calls {
            guard let identifier = call.identifier, let holder = holder(of: call) else { continue }
            shown.append(call.number)
            if let first = known[holder], first != identifier { faults.append(call.number) }
            known[holder] = identifier
        }
        return Finding(faults: faults, shown: shown)
    }

    func unknownNames() -> Finding {
        let faults = calls.filter { !$0.unknownNames.isEmpty }
        let names = Set(faults.flatMap(\.unknownNames)).sorted()
        let shown = names.prefix(10).joined(separator: ", ") + (names.count > 10 ? " and more" : "")
        return Finding(
            faults: faults.map(\.number), shown: calls.map(\.number), detail: names.isEmpty ? "" : "unknown: \(shown)")
    }

    func loops() -> Finding {
        struct Refused: Hashable {
            let device: Int
            let request: Pseudonym
        }
        var refused: [Refused: (status: Int, count: Int)] = [:]
        var (faults, shown): ([Int], [Int]) = ([], [])
        for call in calls {
            let place = Refused(device: call.device, request: call.request)
            if call.status < 400 { refused[place] = nil }
            guard 400..<500 ~= call.status, call.isDecided else { continue }
            shown.append(call.number)
            let before = refused[place].flatMap { $0.status == call.status ? $0.count : nil } ?? 0
            refused[place] = (call.status, before + 1)
            if before >= 3 { faults.append(call.number) }
        }
        return Finding(faults: faults, shown: shown)
    }

    func hastyCalls() -> Finding {
        var (faults, shown): ([Int], [Int]) = ([], [])
        for device in devices {
            let limited = device.filter { $0.status == 429 }.sorted { $0.answered < $1.answered }
            shown += limited.map(\.number)
            var (next, until) = (0, Timestamp.distantPast)
            for call in device where call.endpoint?.family != .browser {
                while next < limited.count, limited[next].answered < call.requested {
                    until = max(until, limited[next].answered + (limited[next].retryAfter ?? .seconds(1)))
                    next += 1
                }
                // Timers of browsers and recorders are not exact.
                if call.requested + TimeToLive(milliseconds: 20) < until { faults.append(call.number) }
            }
        }
        return Finding(faults: faults, shown: shown)
    }

    func triedFlows() -> Finding {
        let signedIn = signIns().filter(\.isDone)
        func judged(_ endpoint: BrokerEndpoint, _ isPermitted: Bool) -> Bool {
            calls.contains { call in
                call.endpoint == endpoint && call.judgements.contains { $0.isPermitted == isPermitted }
            }
        }
        let flows: [(String, Bool)] = [
            ("a sign-in on the first screen", signedIn.contains { !$0.isSecondScreen }),
            ("a sign-in on a second screen", signedIn.contains(where: \.isSecondScreen)),
            ("a permit of preauthorize", judged(.preauthorize, true)),
            ("a denial of preauthorize", judged(.preauthorize, false)),
            ("a permit of authorize", judged(.authorize, true)),
            ("a denial of authorize", judged(.authorize, false)),
            ("a logout", calls.contains { $0.endpoint == .logout && $0.isSuccess }),
        ]
        let missing = flows.filter { !$0.1 }.map(\.0)
        guard !missing.isEmpty else { return Finding(verdict: .pass) }
        return Finding(verdict: .notSeen, detail: "missing: \(missing.joined(separator: ", "))")
    }
}
#endif
