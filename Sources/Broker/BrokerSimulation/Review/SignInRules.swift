#if Client
import BrokerMessages
import EntitlementValues
import ServiceResponses

// MARK: Registration

extension AcceptanceRule {
    static let scope = AcceptanceRule(
        id: "R1", title: "The application has the scope of REST API V2",
        page: "Dynamic Client Registration Overview",
        advice: "Have the operator issue a software statement with the scope api:client:v2.",
        answers: [.register, .token]
    ) { story, finding in
        finding.fault(story.calls.filter { $0.hasScope == false })
        finding.show(story.calls.filter { $0.hasScope == true || $0.isService && $0.isSuccess })
    }

    static let registrations = AcceptanceRule(
        id: "R2", title: "Client credentials are stored and used again",
        page: "Dynamic Client Registration Overview",
        advice: "Keep the credentials for good, and register again only after the error invalid_client.",
        answers: [.register, .token],
        judge: eachDevice(from: Set<Pseudonym>()) { call, registered, finding in
            // A refusal that cannot be read may have been that error.
            let mayBeInvalid = call.isRefused && call.isOpaque && call.isAt(.token, .register)
            if call.registrationError == .invalidClient || mayBeInvalid { registered = [] }
            guard call.endpoint == .register, call.isSuccess, let statement = call.statement else { return }
            finding.show(call)
            if !registered.insert(statement).inserted { finding.fault(call) }
        })

    static let earlyTokens = AcceptanceRule(
        id: "R3", title: "An access token is used until it ends",
        page: "Dynamic Client Registration Overview",
        advice: "Keep the access token, and ask for a new one shortly before it ends or after a 401.",
        answers: [.token],
        judge: eachDevice(from: [Pseudonym: Timestamp]()) { call, ends, finding in
            if call.status == 401 { ends = [:] }
            guard call.endpoint == .token, call.isSuccess, let client = call.client else { return }
            finding.show(call)
            if let end = ends[client], call.requested + .minutes(5) < end { finding.fault(call) }
            ends[client] = call.issuedUntil
        })

    static let staleTokens = AcceptanceRule(
        id: "R4", isMandatory: false, title: "An access token is renewed before it is needed, and after a 401",
        page: "Dynamic Client Registration Overview",
        advice: "Ask for a new access token before a call, if the old one has ended or was answered with 401.",
        answers: [.token]
    ) { story, finding in
        var (refused, ends): ([Pseudonym: Timestamp], [Pseudonym: Timestamp]) = ([:], [:])
        for call in story.calls {
            if let issued = call.issued { ends[issued] = call.issuedUntil }
            guard let token = call.token, call.isService else { continue }
            let limits = [refused[token], ends[token]].compactMap(\.self)
            if limits.contains(where: { $0 < call.requested }) { finding.fault(call) }
            if call.status == 401 { refused[token] = min(call.answered, refused[token] ?? call.answered) }
            if call.status == 401 || ends[token] != nil { finding.show(call) }
        }
    }
}

// MARK: Configuration

extension AcceptanceRule {
    static let needlessConfigurations = AcceptanceRule(
        id: "C1", title: "The configuration is asked for only to let somebody choose a provider",
        advice: "Look for a profile first, and ask for the configuration only to show a list of providers.",
        answers: [
            .token, .startSession, .resumeSession, .startPartnerSession, .profiles, .profile, .profileByCode,
            .createPartnerProfile, .authorize, .preauthorize, .logout,
        ]
    ) { story, finding in
        let starters = Dictionary(
            story.signIns.map { ($0.start.code, $0.start.device) }, uniquingKeysWith: { _, latest in latest })
        for calls in story.devices {
            var device = SignedInDevice()
            for call in calls {
                device.take(client: call.holder)
                if call.endpoint == .configuration, call.isSuccess {
                    finding.show(call)
                    device.configurations += 1
                    let live = device.profiles.values.filter { $0.since <= call.requested && call.requested < $0.until }
                    if !live.isEmpty || device.configurations >= 3 { finding.fault(call) }
                    // With temporary access, the user may be about to sign in.
                    let isExcusable = live.allSatisfy(\.isTemporary) && device.configurations < 3
                    device.excusable = isExcusable ? call : nil
                }
                if call.isSession {
                    device.configurations = 0
                    if call.mvpd != nil || call.endpoint == .startPartnerSession, let excused = device.excusable {
                        finding.excuse(excused)
                        device.excusable = nil
                    }
                }
                // A profile by a code is that of the device that began with the code, whichever device asks for it.
                if call.endpoint != .profileByCode || starters[call.code] == call.device { device.take(call) }
            }
        }
    }

    static let frequentConfigurations = AcceptanceRule(
        id: "C2", isMandatory: false, title: "The configuration is kept for 3 to 5 minutes",
        advice: "Keep the configuration in memory for at least 3 minutes.",
        judge: eachDevice(from: nil as Timestamp?) { call, asked, finding in
            guard call.endpoint == .configuration, call.isSuccess else { return }
            finding.show(call)
            if let asked, call.requested - asked < .minutes(3) { finding.fault(call) }
            asked = call.requested
        })

    static let storedChoice = AcceptanceRule(id: "C3", title: "The provider's choice is stored") {
        _, finding in
        finding.hide("show it on the device")
    }
}

/// What a device could know of its profiles, as far as its calls show.
private struct SignedInDevice: Sendable {
    private(set) var profiles: [Pseudonym: ReviewedCall.SeenProfile] = [:]
    private var client: Pseudonym?
    /// How many times in a row it asked for the configuration.
    var configurations = 0
    /// The call for the configuration that is right if a sign-in follows.
    var excusable: ReviewedCall?

    /// The most profiles that are remembered of a device: the work is not the recording's to choose.
    private static let mostProfiles = 64

    /// Takes over whose call it is: a profile is the client's, and a new client has none.
    mutating func take(client new: Pseudonym?) {
        guard let new, new != client else { return }
        if client != nil { profiles = [:] }
        client = new
    }

    /// Takes over what a call says of the profiles.
    mutating func take(_ call: ReviewedCall) {
        // An answer about a provider that cannot be read may have ended any profile.
        if call.isOpaque, call.mvpd != nil { profiles = [:] }
        if let mvpd = call.mvpd,
            call.isSuccess && call.isAt(.profile, .logout) || call.actions.contains(.authentication)
        {
            profiles[mvpd] = nil
        }
        guard call.isSuccess else { return }
        if call.endpoint == .profiles { profiles = profiles.filter { $0.value.isTemporary } }
        for logout in call.logouts { profiles[logout.mvpd] = nil }
        for profile in call.profiles where profiles.count < Self.mostProfiles { profiles[profile.mvpd] = profile }
    }
}

// MARK: Authentication

extension AcceptanceRule {
    static let pollingTimes = AcceptanceRule(
        id: "A1", title: "Polling begins in time, and stops",
        page: "Basic authentication flow performed within primary application",
        advice: "Begin to poll when the browser has come back (at once on a second screen), and stop at the "
            + "profile, at the end of the code, and when there is a newer code.",
        answers: [.startSession, .profileByCode]
    ) { story, finding in
        for signIn in story.signIns where !signIn.polls.isEmpty {
            let end = signIn.end
            finding.fault(signIn.polls.filter { $0.requested > end })
            if !signIn.isSecondScreen {
                guard let back = story.comingBack(of: signIn) else {
                    finding.hide("record the browser, too: nothing says when it came back")
                    continue
                }
                finding.fault(signIn.polls.filter { $0.requested < back })
            }
            finding.show(signIn.polls)
        }
    }

    static let pollingPace = AcceptanceRule(
        id: "A2", title: "Polls are 3 to 5 seconds apart, not less",
        page: "Basic authentication flow performed within primary application",
        advice: "Wait 3 to 5 seconds from one poll to the next."
    ) { story, finding in
        let polls = story.devices.map { $0.filter { $0.endpoint == .profileByCode } }
        for polls in polls.flatMap({ Dictionary(grouping: $0, by: \.code).values }) {
            // What follows a 401 or a 429 is a repetition, for which R4 and E2 have rules.
            let gaps = zip(polls, polls.dropFirst()).filter { $0.0.isDecided }
                .map { (length: ($1.requested - $0.requested).milliseconds, poll: $1) }
            finding.show(gaps.map(\.poll))
            let lengths = gaps.map(\.length).sorted()
            guard let least = lengths.first else { continue }
            // The middle one, or halfway between the two in the middle.
            let median = (lengths[(lengths.count - 1) / 2] + lengths[lengths.count / 2]) / 2
            if median < 2_900 || least < 2_500 { finding.fault(gaps.filter { $0.length < 2_900 }.map(\.poll)) }
        }
    }

    static let repeatedProfiles = AcceptanceRule(
        id: "A3", title: "Profiles are kept",
        page: "Basic profiles flow performed within primary application",
        advice: "Keep the profiles until they end, and ask again after a sign-in, a logout or a return to the "
            + "foreground.",
        judge: eachDevice(from: (asked: Set<Pseudonym?>(), last: Timestamp?.none)) { call, device, finding in
            let isBack = device.last.map { call.requested - $0 >= .minutes(5) } ?? false
            device.last = call.requested
            // A profile is the client's: a new one has none.
            let mayChange =
                call.isSession || call.isAt(.authorize, .preauthorize, .logout, .createPartnerProfile, .register)
            if isBack || mayChange { device.asked = [] }
            guard call.isAt(.profiles, .profile), call.status != 401 else { return }
            if device.asked.contains(call.mvpd) { finding.fault(call) }
            guard call.isSuccess else { return }
            finding.show(call)
            device.asked.insert(call.mvpd)
        })

    static let unvalidatedCodes = AcceptanceRule(
        id: "A4", isMandatory: false,
        title: "A code typed on a second screen is validated before the browser is sent on",
        page: "Basic authentication flow performed within secondary application",
        advice: "Ask for the session by its code before you send the browser to authenticate.",
        answers: [.startSession]
    ) { story, finding in
        for signIn in story.signIns where signIn.start.session?.action == .resume {
            if let browser = signIn.browser, signIn.lookups.allSatisfy({ $0.requested > browser.requested }) {
                finding.fault(browser)
            } else if let lookup = signIn.lookups.first {
                finding.show(lookup)
            } else if signIn.isDone {
                finding.hide("record the second screen, too")
            }
        }
    }

    static let severalProfiles = AcceptanceRule(
        id: "A5", isMandatory: false, title: "Several profiles are handled",
        answers: [.profiles, .profile, .profileByCode, .createPartnerProfile],
        judge: eachDevice(from: false) { call, mustChoose, finding in
            if mustChoose, call.isAt(.authorize, .preauthorize, .profile) {
                finding.show(call)
                mustChoose = false
            }
            if call.profiles.count > 1 { mustChoose = true }
        })
}
#endif
