#if Client
import BrokerMessages
import EntitlementValues
import ServiceResponses

// MARK: Registration

extension ReviewStory {
    func scope() -> Finding {
        let faults = calls.filter { $0.hasScope == false || $0.lacksScope }
        let shown = calls.filter { $0.hasScope == true || $0.isService && $0.isSuccess }
        return Finding(faults: faults.map(\.number), shown: shown.map(\.number))
    }

    func registrations() -> Finding {
        var (faults, shown): ([Int], [Int]) = ([], [])
        for device in devices {
            var registered: Set<Pseudonym> = []
            for call in device {
                if call.registrationError == .invalidClient { registered = [] }
                guard call.endpoint == .register, call.isSuccess, let statement = call.statement else { continue }
                shown.append(call.number)
                if !registered.insert(statement).inserted { faults.append(call.number) }
            }
        }
        return Finding(faults: faults, shown: shown)
    }

    func earlyTokens() -> Finding {
        var (faults, shown): ([Int], [Int]) = ([], [])
        for device in devices {
            var tokens: [Pseudonym: Timestamp] = [:]
            for call in device {
                if call.status == 401 { tokens = [:] }
                guard call.endpoint == .token, call.isSuccess, let client = call.client else { continue }
                shown.append(call.number)
                if let end = tokens[client], call.requested + .minutes(5) < end { faults.append(call.number) }
                tokens[client] = call.issuedUntil
            }
        }
        return Finding(faults: faults, shown: shown)
    }

    func staleTokens() -> Finding {
        var refused: [Pseudonym: Timestamp] = [:]
        var ends: [Pseudonym: Timestamp] = [:]
        var (faults, shown): ([Int], [Int]) = ([], [])
        for call in calls {
            if let issued = call.issued { ends[issued] = call.issuedUntil }
            guard let token = call.token, call.isService else { continue }
            let isRefused = refused[token].map { $0 < call.requested } ?? false
            let isOver = ends[token].map { $0 < call.requested } ?? false
            if isRefused || isOver { faults.append(call.number) }
            if call.status == 401 { refused[token] = min(call.answered, refused[token] ?? call.answered) }
            if call.status == 401 || ends[token] != nil { shown.append(call.number) }
        }
        return Finding(faults: faults, shown: shown)
    }
}

// MARK: Configuration

extension ReviewStory {
    private struct Signed {
        let since: Timestamp
        let until: Timestamp
        let isTemporary: Bool
    }

    func needlessConfigurations() -> Finding {
        var (faults, shown): ([Int], [Int]) = ([], [])
        var starters: [Pseudonym: Int] = [:]
        for call in calls where call.endpoint == .startSession && call.isSuccess {
            if let code = call.code { starters[code] = call.device }
        }
        for device in devices {
            var signed: [Pseudonym: Signed] = [:]
            var (client, asked, unfollowed): (Pseudonym?, Int, Int?) = (nil, 0, nil)
            for call in device {
                // A profile is the client's: a new one has none.
                if let holder = holder(of: call), holder != client {
                    if client != nil { signed = [:] }
                    client = holder
                }
                if call.endpoint == .configuration, call.isSuccess {
                    shown.append(call.number)
                    asked += 1
                    let live = signed.values.filter { $0.since <= call.requested && call.requested < $0.until }
                    if asked >= 3 || live.contains(where: { !$0.isTemporary }) { faults.append(call.number) }
                    if let unfollowed { faults.append(unfollowed) }
                    unfollowed = live.contains(where: \.isTemporary) ? call.number : nil
                }
                if call.isSession {
                    asked = 0
                    if call.mvpd != nil || call.endpoint == .startPartnerSession { unfollowed = nil }
                }
                // A profile by a code is that of the device that began with the code, whoever else asks for it.
                let isOther = call.endpoint == .profileByCode && call.code.flatMap { starters[$0] } != call.device
                if !isOther { Self.note(call, in: &signed) }
            }
            if let unfollowed { faults.append(unfollowed) }
        }
        return Finding(faults: Array(Set(faults)).sorted(), shown: shown)
    }

    /// The most profiles that are remembered of a device: the work is not the recording's to choose.
    private static let mostProfiles = 64

    /// Takes over what a call says of the device's profiles.
    private static func note(_ call: ReviewedCall, in signed: inout [Pseudonym: Signed]) {
        if call.isSuccess {
            if call.endpoint == .profiles { signed = signed.filter { $0.value.isTemporary } }
            if call.endpoint == .profile || call.endpoint == .logout, let mvpd = call.mvpd { signed[mvpd] = nil }
            for logout in call.logouts { signed[logout.mvpd] = nil }
            for profile in call.profiles where signed.count < Self.mostProfiles {
                signed[profile.mvpd] = Signed(
                    since: call.answered, until: profile.notAfter, isTemporary: profile.type == .temporary)
            }
            if let session = call.session, session.reason == .temporary, let mvpd = call.mvpd {
                let end = call.answered + (session.lifetime ?? .minutes(30))
                signed[mvpd] = Signed(since: call.answered, until: end, isTemporary: true)
            }
        }
        if let mvpd = call.mvpd, call.actions.contains(.authentication) { signed[mvpd] = nil }
    }

    func frequentConfigurations() -> Finding {
        var (faults, shown): ([Int], [Int]) = ([], [])
        for device in devices {
            let asked = device.filter { $0.endpoint == .configuration && $0.isSuccess }
            shown += asked.map(\.number)
            for (one, next) in zip(asked, asked.dropFirst()) where next.requested - one.requested < .minutes(3) {
                faults.append(next.number)
            }
        }
        return Finding(faults: faults, shown: shown)
    }
}

// MARK: Authentication

extension ReviewStory {
    /// A sign-in with a code: how it began, and what was asked about it.
    struct SignIn {
        let start: ReviewedCall
        /// When the device began the next one.
        var replaced: Timestamp?
        /// Those of the device that began it.
        var polls: [ReviewedCall] = []
        /// Those of other devices: the one where the code was typed may ask what came of it.
        var otherPolls: [ReviewedCall] = []
        var lookups: [ReviewedCall] = []
        var browser: ReviewedCall?

        /// Whether a profile came.
        var isDone: Bool { (polls + otherPolls).contains { !$0.profiles.isEmpty } }

        /// Whether somebody went on elsewhere.
        var isSecondScreen: Bool {
            start.session?.action == .resume || !lookups.isEmpty
                || (browser.map { $0.requested - start.answered > .seconds(10) } ?? false)
        }

        /// From when on no poll is of use.
        var end: Timestamp {
            let decisions = polls.filter { !$0.profiles.isEmpty || 400..<500 ~= $0.status && $0.isDecided }
            let limits = [
                decisions.map(\.answered).min(), replaced,
                start.session?.lifetime.map { start.answered + $0 },
            ]
            return limits.compactMap(\.self).min() ?? Timestamp(milliseconds: .max)
        }
    }

    func signIns() -> [SignIn] {
        var found: [SignIn] = []
        var places: [Pseudonym: Int] = [:]
        var latest: [Int: Int] = [:]
        for call in calls {
            guard let code = call.code else { continue }
            switch call.endpoint {
            case .startSession where call.isSuccess:
                if let previous = latest[call.device], found[previous].replaced == nil {
                    found[previous].replaced = call.answered
                }
                (places[code], latest[call.device]) = (found.count, found.count)
                found.append(SignIn(start: call))
            case .profileByCode:
                guard let place = places[code] else { continue }
                if found[place].start.device == call.device {
                    found[place].polls.append(call)
                } else {
                    found[place].otherPolls.append(call)
                }
            case .session, .resumeSession: if let place = places[code] { found[place].lookups.append(call) }
            case .userAgent:
                if let place = places[code], found[place].browser == nil { found[place].browser = call }
            default: break
            }
        }
        return found
    }

    func pollingTimes() -> Finding {
        var (faults, shown, hidden): ([Int], [Int], Bool) = ([], [], false)
        for signIn in signIns() where !signIn.polls.isEmpty {
            let end = signIn.end
            faults += signIn.polls.filter { $0.requested > end }.map(\.number)
            if !signIn.isSecondScreen {
                let back = signIn.browser.flatMap { browser in
                    signIn.start.redirect.flatMap { opening(of: $0, from: browser.requested) }
                }
                guard let back else {
                    hidden = true
                    continue
                }
                faults += signIn.polls.filter { $0.requested < back }.map(\.number)
            }
            shown += signIn.polls.map(\.number)
        }
        if faults.isEmpty, shown.isEmpty, hidden {
            return .unseen("record the browser, too: nothing says when it came back")
        }
        return Finding(faults: Array(Set(faults)).sorted(), shown: shown)
    }

    func pollingPace() -> Finding {
        var (faults, shown): ([Int], [Int]) = ([], [])
        let series = signIns().flatMap { signIn in
            [signIn.polls] + Dictionary(grouping: signIn.otherPolls, by: \.device).values
        }
        for polls in series {
            // What follows a 401 or a 429 is a repetition, for which R4 and E2 have rules.
            let gaps = zip(polls, polls.dropFirst()).filter { $0.0.isDecided }.map { one, next in
                (length: next.requested - one.requested, number: next.number)
            }
            shown += gaps.map(\.number)
            let lengths = gaps.map(\.length).sorted()
            guard let least = lengths.first else { continue }
            let middle = lengths.count / 2
            let median =
                lengths.count.isMultiple(of: 2)
                ? TimeToLive(milliseconds: (lengths[middle - 1].milliseconds + lengths[middle].milliseconds) / 2)
                : lengths[middle]
            if median.milliseconds < 2_900 || least.milliseconds < 2_500 {
                faults += gaps.filter { $0.length.milliseconds < 2_900 }.map(\.number)
            }
        }
        return Finding(faults: faults.sorted(), shown: shown.sorted())
    }

    func repeatedProfiles() -> Finding {
        struct Question: Hashable {
            let endpoint: BrokerEndpoint?
            let mvpd: Pseudonym?
        }
        var (faults, shown): ([Int], [Int]) = ([], [])
        for device in devices {
            var asked: Set<Question> = []
            var previous: Timestamp?
            for call in device {
                if let previous, call.requested - previous >= .minutes(5) { asked = [] }
                previous = call.requested
                // A profile is the client's: a new one has none.
                let changing: [BrokerEndpoint] = [.authorize, .preauthorize, .logout, .createPartnerProfile, .register]
                if call.isSession || changing.contains(where: { $0 == call.endpoint }) { asked = [] }
                guard call.endpoint == .profiles || call.endpoint == .profile, call.status != 401 else { continue }
                let question = Question(endpoint: call.endpoint, mvpd: call.mvpd)
                if asked.contains(question) { faults.append(call.number) }
                guard call.isSuccess else { continue }
                shown.append(call.number)
                asked.insert(question)
            }
        }
        return Finding(faults: faults, shown: shown)
    }

    func unvalidatedCodes() -> Finding {
        var (faults, shown, hidden): ([Int], [Int], Bool) = ([], [], false)
        for signIn in signIns() where signIn.start.session?.action == .resume {
            if let browser = signIn.browser, signIn.lookups.allSatisfy({ $0.requested > browser.requested }) {
                faults.append(browser.number)
            } else if let lookup = signIn.lookups.first {
                shown.append(lookup.number)
            } else if signIn.isDone {
                hidden = true
            }
        }
        if faults.isEmpty, shown.isEmpty, hidden { return .unseen("record the second screen, too") }
        return Finding(faults: faults, shown: shown)
    }

    func severalProfiles() -> Finding {
        var shown: [Int] = []
        for device in devices {
            var isOpen = false
            for call in device {
                if isOpen, call.endpoint == .authorize || call.endpoint == .preauthorize || call.endpoint == .profile {
                    shown.append(call.number)
                    isOpen = false
                }
                if call.profiles.count > 1 { isOpen = true }
            }
        }
        return Finding(faults: [], shown: shown)
    }
}
#endif
