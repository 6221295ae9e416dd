#if Client

/// What the broker of one origin knows of one device.
///
/// Times are milliseconds.
struct BrokerModel {
    struct Profile: Equatable {
        var mvpd: String
        var since: Int64
        var until: Int64
    }

    struct Code {
        let number: Int
        let mvpd: String
        let until: Int64
        /// The registration of the device that made it.
        let registration: Int
        var isUsed = false
    }

    /// What the broker says of the user's profile with a provider.
    enum Standing {
        case signedIn(Profile)
        case signedOut
        /// Temporary access is used up.
        case usedUp
    }

    /// What the broker decides on a resource.
    enum Decision {
        /// The user may watch; the decision holds until then, or is not to be kept.
        case permit(until: Int64?)
        /// The provider denies it.
        case denial
        case signedOut
        /// The time of temporary access is over.
        case timeIsOver
        /// Temporary access has no room for another resource.
        case tooManyResources
    }

    static let codeLifetime: Int64 = 30 * 60 * 1000
    static let profileLifetime: Int64 = 30 * 86_400 * 1000
    static let decisionLifetime: Int64 = 86_400 * 1000
    /// How long temporary access lasts from the first decision on, and for how many resources.
    static let trialLifetime: Int64 = 10 * 60 * 1000
    static let trialResources = 1

    private var profiles: [String: Profile] = [:]
    private var codes: [Int: Code] = [:]
    /// The codes with which the profiles were won.
    private var winners: [String: Int] = [:]
    private var decisions: [String: Int64] = [:]
    private var lastCode = 0
    private var registration = 0
    /// When temporary access began, and for what it was used: by the device, whatever its registration is.
    private var trial: (since: Int64, resources: Set<String>)?

    /// The profile of a provider, as long as it lives.
    private func profile(of mvpd: String, at now: Int64) -> Profile? {
        profiles[mvpd].flatMap { now < $0.until ? $0 : nil }
    }

    /// The living profiles; temporary access is not one of them.
    func profiles(at now: Int64) -> [Profile] { WalkStep.providers.compactMap { profile(of: $0, at: now) } }

    /// The living profile that ends last.
    func bestProfile(at now: Int64) -> Profile? { profiles(at: now).max { $0.until < $1.until } }

    /// Answers the question for the profile with a provider.
    func standing(with mvpd: String, at now: Int64) -> Standing {
        guard mvpd == WalkStep.trial else { return profile(of: mvpd, at: now).map { .signedIn($0) } ?? .signedOut }
        let since = trial?.since ?? now
        let isFull = trial.map { $0.resources.count >= Self.trialResources } ?? false
        guard now < since + Self.trialLifetime, !isFull else { return .usedUp }
        return .signedIn(Profile(mvpd: mvpd, since: since, until: since + Self.trialLifetime))
    }

    /// Answers a new session: with a code, unless there is a profile already, or none is needed.
    mutating func code(for mvpd: String, at now: Int64) -> Code? {
        guard mvpd != WalkStep.trial, profile(of: mvpd, at: now) == nil else { return nil }
        lastCode += 1
        let code = Code(
            number: lastCode, mvpd: mvpd, until: now + Self.codeLifetime, registration: registration)
        codes[lastCode] = code
        return code
    }

    /// Answers whether a user has signed in with a code; `nil` if the code has ended.
    func profile(ofCode number: Int, at now: Int64) -> Profile?? {
        guard let code = codes[number], now < code.until else { return nil }
        return .some(winners[code.mvpd] == number ? profile(of: code.mvpd, at: now) : nil)
    }

    /// A user signs in with a code.
    ///
    /// - Returns: Whether the code was good for that.
    mutating func signIn(with number: Int, at now: Int64) -> Bool {
        guard let code = codes[number], now < code.until, !code.isUsed else { return false }
        codes[number]?.isUsed = true
        guard code.registration == registration else { return true }
        profiles[code.mvpd] = Profile(mvpd: code.mvpd, since: now, until: now + Self.profileLifetime)
        winners[code.mvpd] = number
        return true
    }

    /// Decides on a resource for playback.
    mutating func decide(_ resource: String, _ mvpd: String, at now: Int64) -> Decision {
        guard resource != "sim:deny" else { return .denial }
        guard mvpd != WalkStep.trial else { return decideTemporarily(resource, at: now) }
        guard let profile = profile(of: mvpd, at: now) else { return .signedOut }
        let key = "\(mvpd) \(resource)"
        if let known = decisions[key], now < known { return .permit(until: known) }
        decisions[key] = min(now + Self.decisionLifetime, profile.until)
        return .permit(until: decisions[key])
    }

    private mutating func decideTemporarily(_ resource: String, at now: Int64) -> Decision {
        var used = trial ?? (now, [])
        guard now < used.since + Self.trialLifetime else { return .timeIsOver }
        guard used.resources.contains(resource) || used.resources.count < Self.trialResources else {
            return .tooManyResources
        }
        used.resources.insert(resource)
        trial = used
        return .permit(until: nil)
    }

    /// Whether a question before playback finds somebody who is signed in; temporary access always says yes.
    func answersBeforePlayback(of mvpd: String, at now: Int64) -> Bool {
        mvpd == WalkStep.trial || profile(of: mvpd, at: now) != nil
    }

    /// Ends a profile.
    ///
    /// - Returns: Whether a browser has to end the provider's own session.
    mutating func logOut(of mvpd: String, at now: Int64) -> Bool {
        defer { profiles[mvpd] = nil }
        decisions = decisions.filter { !$0.key.hasPrefix("\(mvpd) ") }
        return profile(of: mvpd, at: now) != nil && mvpd == "SampleCable"
    }

    mutating func endCodes() { codes = [:] }

    /// Ends all profiles, and with them the decisions, and temporary access that has begun.
    mutating func endProfiles(at now: Int64) {
        decisions = [:]
        profiles = profiles.mapValues { profile in
            Profile(mvpd: profile.mvpd, since: profile.since, until: min(now, profile.until))
        }
        if let trial { self.trial = (min(trial.since, now - Self.trialLifetime), trial.resources) }
    }

    /// The device has lost its credentials: it comes back as another one.
    mutating func registerAnew() {
        registration += 1
        (profiles, winners, decisions) = ([:], [:], [:])
    }
}
#endif
