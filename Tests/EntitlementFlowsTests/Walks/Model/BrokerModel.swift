#if Client

/// What the broker knows of one device.
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

    static let codeLifetime: Int64 = 30 * 60 * 1000
    static let profileLifetime: Int64 = 30 * 86_400 * 1000
    static let decisionLifetime: Int64 = 86_400 * 1000

    private var profiles: [String: Profile] = [:]
    private var codes: [Int: Code] = [:]
    /// The codes with which the profiles were won.
    private var winners: [String: Int] = [:]
    private var decisions: [String: Int64] = [:]
    private var lastCode = 0
    private var registration = 0

    /// The profile of a provider, as long as it lives.
    func profile(of mvpd: String, at now: Int64) -> Profile? {
        profiles[mvpd].flatMap { now < $0.until ? $0 : nil }
    }

    /// The living profiles.
    func profiles(at now: Int64) -> [Profile] { WalkStep.providers.compactMap { profile(of: $0, at: now) } }

    /// The living profile that ends last.
    func bestProfile(at now: Int64) -> Profile? { profiles(at: now).max { $0.until < $1.until } }

    /// Answers a new session: with a code, unless there is a profile already.
    mutating func code(for mvpd: String, at now: Int64) -> Code? {
        guard profile(of: mvpd, at: now) == nil else { return nil }
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

    /// Answers a question before playback: until when the decision holds; `nil` if there is no profile.
    mutating func decide(_ resource: String, _ mvpd: String, at now: Int64) -> Int64? {
        guard let profile = profile(of: mvpd, at: now) else { return nil }
        let key = "\(mvpd) \(resource)"
        if let known = decisions[key], now < known { return known }
        decisions[key] = min(now + Self.decisionLifetime, profile.until)
        return decisions[key]
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

    /// Ends all profiles, and with them the decisions.
    mutating func endProfiles(at now: Int64) {
        decisions = [:]
        profiles = profiles.mapValues { profile in
            Profile(mvpd: profile.mvpd, since: profile.since, until: min(now, profile.until))
        }
    }

    /// The device has lost its credentials: it comes back as another one.
    mutating func registerAnew() {
        registration += 1
        (profiles, winners, decisions) = ([:], [:], [:])
    }
}
#endif
