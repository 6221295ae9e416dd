#if Client
import BrokerMessages
import EntitlementValues
import ServiceResponses

/// An item of the operator's checklist, and how a story is judged by it.
struct AcceptanceRule: Sendable {
    let id: String
    /// Whether the checklist demands it; the others are recommended.
    let isMandatory: Bool
    let title: String
    /// The name of the operator's page that has more.
    let page: String
    /// What to change where it fails.
    let advice: String
    let judge: @Sendable (ReviewStory) -> Finding

    private init(
        _ id: String,
        _ weight: Weight = .should,
        _ title: String,
        page: String = "REST API V2 Checklist",
        advice: String = "",
        _ judge: @escaping @Sendable (ReviewStory) -> Finding
    ) {
        (self.id, isMandatory, self.title, self.page) = (id, weight == .must, title, page)
        (self.advice, self.judge) = (advice, judge)
    }

    private enum Weight { case must, should }

    /// The checklist, in its order.
    static let all = [
        AcceptanceRule(
            "R1", .must, "The application has the scope of REST API V2",
            page: "Dynamic Client Registration Overview",
            advice: "Have the operator issue a software statement with the scope api:client:v2."
        ) { $0.scope() },
        AcceptanceRule(
            "R2", .must, "Client credentials are stored and used again", page: "Dynamic Client Registration Overview",
            advice: "Keep the credentials for good, and register again only after the error invalid_client."
        ) { $0.registrations() },
        AcceptanceRule(
            "R3", .must, "An access token is used until it ends", page: "Dynamic Client Registration Overview",
            advice: "Keep the access token, and ask for a new one shortly before it ends or after a 401."
        ) { $0.earlyTokens() },
        AcceptanceRule(
            "R4", .should, "An access token is renewed before it is needed, and after a 401",
            page: "Dynamic Client Registration Overview",
            advice: "Ask for a new access token before a call, if the old one has ended or was answered with 401."
        ) { $0.staleTokens() },
        AcceptanceRule(
            "C1", .must, "The configuration is asked for only to let somebody choose a provider",
            advice: "Look for a profile first, and ask for the configuration only to show a list of providers."
        ) { $0.needlessConfigurations() },
        AcceptanceRule(
            "C2", .should, "The configuration is kept for 3 to 5 minutes",
            advice: "Keep the configuration in memory for at least 3 minutes."
        ) { $0.frequentConfigurations() },
        AcceptanceRule("C3", .must, "The provider's choice is stored") { _ in .unseen("show it on the device") },
        AcceptanceRule(
            "A1", .must, "Polling begins in time, and stops",
            page: "Basic authentication flow performed within primary application",
            advice: "Begin to poll when the browser has come back (at once on a second screen), and stop at the "
                + "profile, at the end of the code, and when there is a newer code."
        ) { $0.pollingTimes() },
        AcceptanceRule(
            "A2", .must, "Polls are 3 to 5 seconds apart, not less",
            page: "Basic authentication flow performed within primary application",
            advice: "Wait 3 to 5 seconds from one poll to the next."
        ) { $0.pollingPace() },
        AcceptanceRule(
            "A3", .must, "Profiles are kept", page: "Basic profiles flow performed within primary application",
            advice: "Keep the profiles until they end, and ask again after a sign-in, a logout or a return to the "
                + "foreground."
        ) { $0.repeatedProfiles() },
        AcceptanceRule(
            "A4", .should, "A code typed on a second screen is validated before the browser is sent on",
            page: "Basic authentication flow performed within secondary application",
            advice: "Ask for the session by its code before you send the browser to authenticate."
        ) { $0.unvalidatedCodes() },
        AcceptanceRule("A5", .should, "Several profiles are handled") { $0.severalProfiles() },
        AcceptanceRule(
            "P1", .must, "Preauthorization never decides a play",
            page: "Basic preauthorization flow performed within primary application"
        ) { $0.playDecisions() },
        AcceptanceRule(
            "P2", .must, "Retries of preauthorization follow the error's action, at most 3",
            page: "Enhanced Error Codes",
            advice: "Ask again only for resources whose error has the action retry, and at most 3 times."
        ) { $0.retries(of: .preauthorize, within: .seconds(60)) },
        AcceptanceRule(
            "P3", .must, "Permits of preauthorization are kept in memory",
            page: "Basic preauthorization flow performed within primary application",
            advice: "Keep what was permitted in memory, and ask only for other resources."
        ) { $0.repeatedPermits() },
        AcceptanceRule(
            "Z1", .must, "Each play is authorized before it begins",
            page: "Basic authorization flow performed within primary application"
        ) { story in
            let count = story.calls.count { $0.endpoint == .authorize }
            return .unseen("compare with the plays: \(count) calls of authorize were recorded")
        },
        AcceptanceRule(
            "Z2", .must, "Retries of authorization follow the error's action, at most 3", page: "Enhanced Error Codes",
            advice: "Ask again only if the error has the action retry, and at most 3 times."
        ) { $0.retries(of: .authorize, within: .seconds(10)) },
        AcceptanceRule(
            "L1", .must, "A logout is carried out", page: "Basic logout flow performed within primary application",
            advice: "Open the address in the answer of logout in a browser."
        ) { $0.logouts() },
        AcceptanceRule(
            "L2", .should, "A denial is no reason for a logout",
            page: "Basic logout flow performed within primary application",
            advice: "Show the error, and leave the subscriber signed in."
        ) { $0.hastyLogouts() },
        AcceptanceRule(
            "H1", .must, "Authorization, AP-Device-Identifier and X-Device-Info are on every call",
            advice: "Send the three fields with every call of REST API V2."
        ) { $0.missingFields() },
        AcceptanceRule(
            "H2", .must, "The device's identifier is stable", page: "Header - AP-Device-Identifier",
            advice: "Make the identifier once of what the platform keeps, and send it unchanged."
        ) { $0.changedIdentifiers() },
        AcceptanceRule(
            "H3", .must, "Only known parameters and fields are sent",
            advice: "Leave out what the reference of no endpoint has."
        ) { $0.unknownNames() },
        AcceptanceRule(
            "E1", .must, "Errors in a 200 are told from errors of HTTP, and nothing is repeated for ever",
            page: "Enhanced Error Codes",
            advice: "Read the error's action, and stop where it is none of retry."
        ) { $0.loops() },
        AcceptanceRule(
            "E2", .must, "A 429 is obeyed", page: "Throttling Mechanism",
            advice: "Send nothing until Retry-After is over, and for a second where there is none."
        ) { $0.hastyCalls() },
        AcceptanceRule("T1", .should, "The basic flows were tried") { $0.triedFlows() },
        AcceptanceRule("T2", .must, "The application was tried in the operator's other environments first") { _ in
            .unseen("keep the reports of those environments")
        },
    ]
}

/// What came of an item.
struct Finding: Sendable {
    enum Verdict: String, Sendable {
        case pass
        case fail
        /// There was no occasion.
        case notSeen = "not seen"
        /// No recording of requests could show it.
        case unseen = "cannot be seen"
    }

    var verdict: Verdict
    /// The numbers of the calls that show it.
    var requests: [Int] = []
    var detail = ""

    static func unseen(_ detail: String) -> Finding { Finding(verdict: .unseen, detail: detail) }

    /// A failure at some calls, or what others show; without both, there was no occasion.
    init(faults: [Int], shown: [Int], detail: String = "") {
        verdict = !faults.isEmpty ? .fail : shown.isEmpty ? .notSeen : .pass
        (requests, self.detail) = (faults.isEmpty ? shown : faults, detail)
    }

    init(verdict: Verdict, requests: [Int] = [], detail: String = "") {
        (self.verdict, self.requests, self.detail) = (verdict, requests, detail)
    }
}

/// All that was recorded, by time, and which device made which call.
struct ReviewStory: Sendable {
    /// A device is an identifier and a service provider: two brands of one application are two.
    private struct Device: Hashable {
        let identifier: Pseudonym?
        let requestor: Pseudonym?
    }

    let calls: [ReviewedCall]
    /// The places of each device's calls, by time.
    private var lists: [[Int]] = []
    /// When each place was opened first to last, and when a browser was sent there.
    private var visits: [Pseudonym: [Timestamp]] = [:]
    private let last: Timestamp
    private var clients: [Pseudonym: Pseudonym] = [:]

    /// Puts calls in order; `isInOrder` if they are as they came, whatever a clock says that can be set.
    init(_ recorded: [ReviewedCall], _ opened: [ReviewedVisit], isInOrder: Bool = false) {
        var calls = recorded
        if !isInOrder { calls.sort { ($0.requested, $0.answered) < ($1.requested, $1.answered) } }
        for index in calls.indices { calls[index].number = index + 1 }
        for call in calls {
            if let issued = call.issued, let client = call.client { clients[issued] = client }
        }
        let count = Self.findDevices(of: &calls, clients)
        lists = Array(repeating: [], count: count)
        for (index, call) in calls.enumerated() { lists[call.device].append(index) }
        for visit in opened {
            if let place = visit.place { visits[place, default: []].append(visit.requested) }
            if let next = visit.next { visits[next, default: []].append(visit.answered) }
        }
        for place in visits.keys { visits[place]?.sort() }
        last = max(calls.map(\.requested).max() ?? .distantPast, opened.map(\.requested).max() ?? .distantPast)
        self.calls = calls
    }

    /// The calls of each device, by time; none is copied, since a recording has many.
    private var devices: [LazyMapSequence<[Int], ReviewedCall>] {
        lists.map { list in list.lazy.map { [calls] index in calls[index] } }
    }

    /// Gives each call its device: by its own identifier, that of its code, or that of its client; returns their number.
    private static func findDevices(of calls: inout [ReviewedCall], _ clients: [Pseudonym: Pseudonym]) -> Int {
        var byCode: [Pseudonym: Device] = [:]
        var byHolder: [Pseudonym: [Device]] = [:]
        var all: [Device: Int] = [:]
        for call in calls {
            guard let identifier = call.identifier, let requestor = call.requestor else { continue }
            let device = Device(identifier: identifier, requestor: requestor)
            if all[device] == nil { all[device] = all.count }
            if call.endpoint == .startSession, let code = call.code, byCode[code] == nil { byCode[code] = device }
            if let holder = holder(of: call, clients), byHolder[holder, default: []].count < 8,
                byHolder[holder]?.contains(device) != true
            {
                byHolder[holder, default: []].append(device)
            }
        }
        let only = all.count == 1 ? all.keys.first : nil
        for index in calls.indices {
            let call = calls[index]
            let known = holder(of: call, clients).flatMap { byHolder[$0] } ?? []
            let device: Device =
                if let identifier = call.identifier, let requestor = call.requestor {
                    Device(identifier: identifier, requestor: requestor)
                } else if let device = call.code.flatMap({ byCode[$0] }) {
                    device
                } else {
                    known.first { $0.requestor == call.requestor } ?? known.first ?? only
                        ?? Device(identifier: holder(of: call, clients), requestor: call.requestor)
                }
            if all[device] == nil { all[device] = all.count }
            calls[index].device = all[device] ?? 0
        }
        return all.count
    }

    /// The client that made a call, or its token if nothing says whose that is.
    private static func holder(of call: ReviewedCall, _ clients: [Pseudonym: Pseudonym]) -> Pseudonym? {
        call.client ?? call.token.flatMap { clients[$0] } ?? call.token
    }

    private func holder(of call: ReviewedCall) -> Pseudonym? { Self.holder(of: call, clients) }

    /// When a place was opened for the first time from an instant on.
    private func opening(of place: Pseudonym, from start: Timestamp) -> Timestamp? {
        let times = visits[place] ?? []
        var (low, high) = (0, times.count)
        while low < high {
            let middle = (low + high) / 2
            if times[middle] < start { low = middle + 1 } else { high = middle }
        }
        return low < times.count ? times[low] : nil
    }
}

extension Timestamp {
    fileprivate static let distantPast = Timestamp(milliseconds: .min)
}

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
    private struct SignIn {
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

    private func signIns() -> [SignIn] {
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

extension ReviewedCall {
    /// Whether a status of the client's errors is a decision, and not about the token or the number of calls.
    fileprivate var isDecided: Bool { status != 401 && status != 429 }
}
#endif
