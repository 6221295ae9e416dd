#if Service
import BrokerMessages
package import DeviceRecords
package import EntitlementValues
import TextCodecs

/// The sign-ins of a device: the session whose profile counts, and those that may not be used.
///
/// A user who is tricked into opening the address of another user's sign-in signs that device in at the broker. So each
/// sign-in runs in a session with a registration of its own, to which the broker binds the profile. Only when it is proved
/// that the browser came back to the device does that session become the one that requests use. A sign-in that is given up
/// takes its session with it: what happens there later, at the provider or at the broker, changes nothing for the device.
package struct DeviceSignIns: Sendable, Hashable {
    /// How many given-up sign-ins may wait to be cleared away; while there are so many, no further one begins.
    static let maximumSpent = 16
    /// How many of them are remembered, the oldest go first: two more may be given up although no further one has
    /// begun.
    private static let maximumRemembered = maximumSpent + 2

    /// The session that requests use; its profile was proved, or came without a browser.
    package private(set) var current: Int64
    /// The last number that a session got.
    private(set) var last: Int64 = 0
    /// The sign-in that is under way.
    package private(set) var open: OpenSignIn?
    /// The last one that was proved.
    package private(set) var proved: ProvedSignIn?
    /// Those that were proved before it within two minutes: their plays are revoked if another browser comes back.
    package private(set) var overtaken: [ProvedSignIn] = []
    /// The last plays that began while no browser could make their sign-in void: they end when the user signs out.
    package private(set) var playing: [NotedPlay] = []
    /// How often a user was signed out: a play that was permitted before that is not good any more.
    package private(set) var signOuts: Int64 = 0
    /// Those that were given up.
    package private(set) var spent: [SpentSignIn] = []
    /// Why the last one ended without a user who is signed in.
    package private(set) var end: SignInEnd?
    /// The logout of which the browser has not come back yet.
    package var logout: OpenLogout?

    // MARK: Beginning

    /// Begins a sign-in, in the place of the one that is under way.
    ///
    /// The state stands in the address of the return, and the return page sends the browser to `returnTo`. The sign-in
    /// ends at `end` unless the broker says otherwise.
    ///
    /// `keepsCurrent` says whether a user is signed in with the current session, which then stays as it is until the
    /// new sign-in is proved. Otherwise the new one takes that session, and its registration, and requests use a new
    /// one.
    package mutating func begin(
        state: String,
        returnTo: String?,
        keepingCurrent keepsCurrent: Bool,
        at now: Timestamp,
        until end: Timestamp
    ) -> OpenSignIn {
        giveUp(because: .cancelled)
        last += 1
        let number = keepsCurrent ? last : current
        if !keepsCurrent { current = last }
        let signIn = OpenSignIn(number: number, state: state, begun: now, until: end, returnTo: returnTo)
        (open, self.end) = (signIn, nil)
        return signIn
    }

    /// Changes the sign-in that is under way, and returns true; if it has another state, or none is, nothing changes.
    @discardableResult
    package mutating func change(_ state: String, _ body: (inout OpenSignIn) -> Void) -> Bool {
        guard var signIn = open, signIn.state == state else { return false }
        body(&signIn)
        open = signIn
        return true
    }

    /// Takes a sign-in back that has not left the gateway: no browser and no code knows it.
    ///
    /// The session that it took from the device is the current one again, unless a user was signed in with the other
    /// one meanwhile. `isSignedIn` says whether a user is signed in with the current session. Returns the session that
    /// is used no more, and has to be erased; `nil` if that sign-in is not under way.
    package mutating func takeBack(_ state: String, keepingCurrent isSignedIn: Bool) -> Int64? {
        guard let signIn = open, signIn.state == state else { return nil }
        open = nil
        guard signIn.number < current, !isSignedIn else { return signIn.number }
        defer { current = signIn.number }
        return current
    }

    // MARK: Ending

    /// Makes the session of a sign-in the one that counts.
    ///
    /// `isReturn` says whether a browser came back, so that a second one makes it void. Returns the session that
    /// counted before, which is used no more; `nil` if that sign-in is not under way.
    package mutating func promote(_ state: String, afterReturn isReturn: Bool, at now: Timestamp) -> Int64? {
        guard let signIn = open, signIn.state == state else { return nil }
        let displaced = current
        (open, end, current) = (nil, nil, signIn.number)
        let before = overtaken + (proved.map { [$0] } ?? [])
        let live = before.filter { !$0.plays.isEmpty && now < $0.at + OpenSignIn.proofTime }
        overtaken = live.suffix(Self.maximumOvertaken)
        // Those that no browser can make void any more play on, until the user signs out.
        keep(before.filter { !overtaken.contains($0) }.flatMap(\.plays), at: now)
        proved =
            isReturn
            ? ProvedSignIn(
                number: signIn.number, state: state, mvpd: signIn.mvpd, returnTo: signIn.returnTo,
                mark: signIn.mark, proof: signIn.proof, at: now) : nil
        return displaced
    }

    /// Gives up the sign-in that is under way, and returns it; its session then serves a logout alone.
    ///
    /// Returns `nil` if nothing was under way.
    @discardableResult
    package mutating func giveUp(because reason: SignInEnd) -> SpentSignIn? {
        guard let signIn = open else { return nil }
        let gone = SpentSignIn(
            number: signIn.number, state: signIn.state, mvpd: signIn.mvpd, until: signIn.until)
        (open, end) = (nil, reason)
        remember(gone)
        return gone
    }

    /// How many sign-ins that were proved before the last one are remembered.
    private static let maximumOvertaken = 4

    /// One that was proved; `nil` if it is not remembered.
    func provedSignIn(_ state: String) -> ProvedSignIn? {
        (overtaken + (proved.map { [$0] } ?? [])).first { $0.state == state }
    }

    /// Forgets one that was proved, and hands its plays out.
    mutating func forget(_ gone: ProvedSignIn) -> [NotedPlay] {
        overtaken.removeAll { $0.state == gone.state }
        if proved?.state == gone.state { proved = nil }
        return gone.plays
    }

    /// All plays that are noted.
    package var plays: [NotedPlay] {
        (overtaken + (proved.map { [$0] } ?? [])).flatMap(\.plays) + spent.flatMap(\.plays) + playing
    }

    /// Notes that the user was signed out of a session: no play that was permitted before is noted from now on.
    ///
    /// If another session counts by now, its user plays on. Returns the plays to end; they stay noted until
    /// ``forget(_:)`` is told that they have ended.
    package mutating func signOut(of session: Int64) -> [NotedPlay] {
        guard current == session else { return [] }
        signOuts += 1
        return plays
    }

    /// Forgets plays that have ended.
    package mutating func forget(_ ended: [NotedPlay]) {
        let ended = Set(ended)
        playing.removeAll { ended.contains($0) }
        proved?.plays.removeAll { ended.contains($0) }
        for index in overtaken.indices { overtaken[index].plays.removeAll { ended.contains($0) } }
        for index in spent.indices { spent[index].plays.removeAll { ended.contains($0) } }
    }

    /// Makes a sign-in void that was proved before: two browsers came back to its address.
    ///
    /// Returns what was given up; `nil` if it was not proved, not just now, or does not count any more.
    package mutating func void(_ state: String, at now: Timestamp) -> SpentSignIn? {
        guard let proved, proved.state == state, now < proved.at + OpenSignIn.proofTime, current == proved.number else {
            return nil
        }
        let gone = SpentSignIn(
            number: proved.number, state: state, mvpd: proved.mvpd, until: now + .minutes(30), plays: proved.plays)
        self.proved = nil
        last += 1
        (current, end) = (last, .notProved)
        remember(gone)
        return gone
    }

    /// How many plays may begin with a sign-in while it may still become void, and how many of the later ones are noted.
    static let maximumPlays = 32

    /// Notes a play that has begun.
    ///
    /// While its sign-in may still become void, no play is forgotten for another one: then the next one is refused.
    ///
    /// `session` is the one that counted when the broker was asked, and `signOuts` how often a user had been signed out
    /// then. Returns whether the play is good.
    package mutating func note(
        _ play: NotedPlay,
        of session: Int64,
        after signOuts: Int64,
        at now: Timestamp
    ) -> PlayDecision {
        guard current == session, self.signOuts == signOuts else { return .signInChanged }
        guard var proved, proved.number == session, now < proved.at + OpenSignIn.proofTime else {
            keep([play], at: now)
            return .noted
        }
        if let end = fullUntil(at: now) { return .full(until: end) }
        proved.plays.append(play)
        self.proved = proved
        return .noted
    }

    /// Notes plays whose sign-in cannot become void any more; the oldest go first, and those that are over.
    private mutating func keep(_ plays: [NotedPlay], at now: Timestamp) {
        playing = (playing + plays).filter { now < $0.until }.suffix(Self.maximumPlays)
    }

    /// When further plays may begin; `nil` if they may now.
    func fullUntil(at now: Timestamp) -> Timestamp? {
        guard let proved, proved.number == current, proved.plays.count >= Self.maximumPlays else { return nil }
        let end = proved.at + OpenSignIn.proofTime
        return now < end ? end : nil
    }

    /// Forgets a sign-in that was given up, once the broker has no profile of it, and its code is of no use.
    mutating func forget(_ gone: SpentSignIn) { spent.removeAll { $0.number == gone.number } }

    /// All sessions that the device may have at the broker's client.
    package var sessions: [Int64] { Set(spent.map(\.number) + [current] + (open.map { [$0.number] } ?? [])).sorted() }

    /// Whether the device may have a session at the broker's client.
    func has(_ session: Int64) -> Bool { sessions.contains(session) }

    /// The sessions to erase with the device: those that it may have, and the last ones that it had, of which
    /// something may be left if a process ended before it had erased them.
    package var sessionsToErase: [Int64] {
        let lately = max(0, last - Self.lastErased + 1)...last
        return Set(sessions + Array(lately)).sorted()
    }

    /// How many of the last sessions are erased with the device, whatever became of them.
    private static let lastErased: Int64 = 32

    private mutating func remember(_ gone: SpentSignIn) {
        spent.append(gone)
        if spent.count > Self.maximumRemembered { spent.removeFirst(spent.count - Self.maximumRemembered) }
    }
}

extension DeviceSignIns {
    /// Those of a device on which no user has signed in yet.
    package init() { self.init(current: 0) }
}

/// What comes of a play that is noted.
package enum PlayDecision: Sendable, Hashable {
    /// It is good.
    case noted
    /// Its sign-in does not count any more.
    case signInChanged
    /// Too many have begun; further ones may from an instant on.
    case full(until: Timestamp)
}

extension DeviceKey {
    /// The key of one of a device's sessions.
    package func session(_ number: Int64) -> DeviceKey { number == 0 ? self : DeviceKey("\(rawValue).\(number)") }

    /// The device that a session's key belongs to.
    package var deviceOfSession: DeviceKey { DeviceKey(String(rawValue.prefix { $0 != "." })) }
}
#endif
