#if Service
import BrokerMessages
import EntitlementValues
import TVEService
import Testing

/// What one change of a device's sign-ins decides, in all orders in which the steps of browsers, apps and replicas may come.
///
/// Each actor reads, asks the broker, and changes; between those steps, any step of another one may come.
@Suite struct SignInDecisionTests {
    /// The device's sign-ins, the broker, and what the actors have seen.
    private struct World {
        var signIns = DeviceSignIns()
        var now = Timestamp(milliseconds: 1_780_000_000_000)
        /// Whether the victim, or the user, has signed in at the provider.
        var hasSignedIn = false
        /// When the broker was asked last since then: the record of the sign-in's session has the profile.
        var asked: Timestamp?
        var read: [String: DeviceSignIns] = [:]
        var found: [String: MVPDID] = [:]
        var seen: [String: SeenSignIn] = [:]
        /// The one-time code that was handed to the app.
        var code: String?

        /// The session of the sign-in.
        static let number: Int64 = 0
        static let state = "state"

        init(code: Bool = false) {
            let begun = signIns.start(
                Self.state, returnTo: "app://done", keeping: (session: 0, isSignedIn: false), at: now,
                until: now + .minutes(30))
            #expect(begun != .moved)
            signIns.change(Self.state) { open in
                open.mvpd = "SampleCable"
                if code { (open.kind, open.activationCode) = (.code, "ABCDEF") }
            }
        }

        /// Whether requests of the device use what came of the sign-in.
        var isIn: Bool { signIns.current == Self.number && hasSignedIn }

        mutating func ask(_ actor: String) {
            guard hasSignedIn else { return }
            asked = now
            found[actor] = "SampleCable"
        }
    }

    private typealias Step = (inout World) -> Void

    // MARK: Actors

    private static func logsIn() -> [Step] { [{ $0.hasSignedIn = true }] }

    /// A browser comes back.
    private static func returns(_ actor: String, _ browser: ReturningBrowser) -> [Step] {
        [
            { $0.read[actor] = $0.signIns },
            { world in
                if world.read[actor]?.signInToAskAbout(for: browser, at: World.state) != nil { world.ask(actor) }
            },
            { world in
                let came = world.signIns.come(
                    browser, to: World.state, finding: world.found[actor], proof: "proof", at: world.now)
                if case .waits(let open) = came { world.code = open.proof ?? world.code }
            },
        ]
    }

    /// The app hands in the code, if it has one.
    private static func proves() -> [Step] {
        [{ world in if let code = world.code { _ = world.signIns.prove(by: code, at: world.now) } }]
    }

    /// The app asks how far it is: it reads, and settles later.
    private static func polls(_ actor: String) -> [Step] {
        [
            { world in
                world.seen[actor] = world.signIns.decidedByProfile(at: world.now).map { open in
                    SeenSignIn(
                        open, world.asked.map { KnownProfile(mvpd: "SampleCable", until: nil, asked: $0) })
                }
            },
            { world in _ = world.signIns.settle(world.seen[actor], at: world.now) },
        ]
    }

    /// The device's own question, which is put as long as a code is shown.
    private static func asks(_ actor: String) -> [Step] { [{ $0.ask(actor) }] }

    private static func waits(_ duration: TimeToLive) -> [Step] { [{ $0.now = $0.now + duration }] }

    private static func browser(
        _ mark: String, isDevice: Bool = false, isMarked: Bool = false, confirmed: String? = nil
    )
        -> ReturningBrowser
    {
        ReturningBrowser(isDevice: isDevice, mark: mark, isMarked: isMarked, confirmed: confirmed)
    }

    /// Runs all orders in which lines of steps may come.
    ///
    /// - Returns: How many there are.
    @discardableResult
    private func all(
        _ lines: [[Step]],
        from world: World,
        _ check: (World) -> Bool
    ) -> (count: Int, failed: Int) {
        guard lines.contains(where: { !$0.isEmpty }) else { return (1, check(world) ? 0 : 1) }
        var (count, failed) = (0, 0)
        for index in lines.indices where !lines[index].isEmpty {
            var (next, rest) = (world, lines)
            rest[index].removeFirst()(&next)
            let found = all(rest, from: next, check)
            (count, failed) = (count + found.count, failed + found.failed)
        }
        return (count, failed)
    }

    // MARK: Attacks

    /// In all orders in which the victim's browser comes back, the victim's profile is not the device's in the end.
    @Test(arguments: [false, true])
    func `A victim's return makes the sign-in void, whatever the attacker does at the same time`(hasCookie: Bool) {
        let attacker =
            Self.returns("attacker", Self.browser("a", isDevice: hasCookie)) + Self.proves() + Self.polls("app")
        let victim = Self.logsIn() + Self.returns("victim", Self.browser("v"))
        let found = all([attacker, victim], from: World()) { !$0.isIn }
        #expect(found.count == 210 && found.failed == 0)
    }

    @Test(arguments: [false, true])
    func `A reload of the attacker's does not skip the time in which a profile is held back`(hasCookie: Bool) {
        let attacker =
            Self.returns("attacker", Self.browser("a", isDevice: hasCookie)) + Self.proves()
            + Self.returns("again", Self.browser("a", isDevice: hasCookie, isMarked: true)) + Self.polls("app")
        // The victim signs in after the attacker's first return, and is not back yet.
        var world = World()
        for step in attacker.prefix(3) { step(&world) }
        let found = all([Array(attacker.dropFirst(3)), Self.logsIn()], from: world) { !$0.isIn }
        #expect(found.count == 7 && found.failed == 0)
    }

    @Test func `A login at a forwarded address of a code's sign-in is void without the browser that confirmed`() {
        var world = World(code: true)
        #expect(world.signIns.confirm(World.state, choosing: "SampleCable", mark: "m") == "SampleCable")
        let attacker =
            Self.returns("attacker", Self.browser("a", confirmed: "m"))
            + Self.returns("again", Self.browser("a", confirmed: "m"))
        let device = Self.asks("device") + Self.polls("device")
        let victim = Self.logsIn() + Self.returns("victim", Self.browser("v"))
        let found = all([attacker, device, victim], from: world) { !$0.isIn }
        #expect(found.count > 10_000 && found.failed == 0)
    }

    @Test func `A reload in the browser that confirmed does not skip that time either`() {
        var world = World(code: true)
        #expect(world.signIns.confirm(World.state, choosing: "SampleCable", mark: "m") == "SampleCable")
        let attacker = Self.browser("a", confirmed: "m")
        for step in Self.returns("attacker", attacker) + Self.logsIn() { step(&world) }
        world.ask("again")
        guard
            case .held = world.signIns.come(
                attacker, to: World.state, finding: "SampleCable", proof: "proof", at: world.now)
        else {
            Issue.record("not held back")
            return
        }
        for step in Self.polls("device") { step(&world) }
        #expect(!world.isIn)
        for step in Self.waits(.seconds(1)) + Self.polls("device") { step(&world) }
        #expect(world.isIn, "the victim is not back")
        for step in Self.returns("victim", Self.browser("v")) { step(&world) }
        #expect(!world.isIn)
    }

    /// An attacker who knows when the victim signs in at a forwarded address confirms the code just after it.
    @Test func `A code that is confirmed right after a login is held back, and void when its victim returns`() {
        var world = World(code: true)
        let confirms: Step = { world in
            #expect(world.signIns.confirm(World.state, choosing: "SampleCable", mark: "m") == "SampleCable")
        }
        for step in Self.logsIn() + [confirms] + Self.asks("device") + Self.polls("device") { step(&world) }
        #expect(!world.isIn && world.signIns.open != nil)
        for step in Self.returns("victim", Self.browser("v")) { step(&world) }
        for step in Self.waits(.seconds(2)) + Self.polls("later") { step(&world) }
        #expect(!world.isIn && world.signIns.open == nil && world.signIns.end == .notProved)
    }

    @Test func `A second browser does not take over a code that is confirmed in another one`() {
        var world = World(code: true)
        #expect(world.signIns.confirm(World.state, choosing: "SampleCable", mark: "m") == "SampleCable")
        let before = world.signIns
        #expect(world.signIns.confirm(World.state, choosing: "SampleFiber", mark: "n") == nil)
        #expect(world.signIns == before)
        #expect(world.signIns.confirm(World.state, choosing: "SampleFiber", mark: "m") == "SampleCable")
        #expect(world.signIns.confirm(World.state, choosing: "SampleFiber", mark: nil) == "SampleCable")
    }

    @Test func `A code that nobody confirmed when its profile was seen is given up, also if it is confirmed since`() {
        var world = World(code: true)
        let steps =
            Self.logsIn() + Self.asks("device") + Self.polls("device").prefix(1)
            + [{ world in _ = world.signIns.confirm(World.state, choosing: "SampleCable", mark: "m") }]
            + Self.polls("device").dropFirst()
        for step in steps { step(&world) }
        #expect(world.signIns.open == nil && world.signIns.end == .notProved && !world.isIn)
    }

    // MARK: Users

    /// Two requests of one browser, at whichever replicas, count as one.
    @Test(arguments: [true, false])
    func `A browser that loads the return twice at once signs in all the same`(hasCookie: Bool) {
        let own = Self.browser("u", isDevice: hasCookie)
        let lines = [
            Self.returns("first", own), Self.returns("second", own), Self.proves() + Self.polls("app"),
        ]
        var world = World()
        world.hasSignedIn = true
        let end = Self.proves() + Self.polls("end") + Self.waits(.seconds(2)) + Self.polls("later")
        let found = all(lines, from: world) { world in
            var world = world
            for step in end { step(&world) }
            return world.isIn && world.signIns.open == nil
        }
        #expect(found.count == 1680 && found.failed == 0)
    }

    @Test func `An app that hands its code in twice at once is answered twice`() {
        var world = World()
        world.hasSignedIn = true
        for step in Self.returns("browser", Self.browser("u")) { step(&world) }
        var (first, polled) = (world.signIns, world)
        guard case .proved = first.prove(by: "proof", at: world.now) else {
            Issue.record("not proved")
            return
        }
        guard case .proved = first.prove(by: "proof", at: world.now) else {
            Issue.record("not proved again")
            return
        }
        for step in Self.proves() + Self.polls("app") { step(&polled) }
        #expect(polled.isIn && polled.signIns.prove(by: "proof", at: polled.now) == .again(session: World.number))
        #expect(polled.signIns.prove(by: "other", at: polled.now) == .refused)
        #expect(polled.signIns.prove(by: "proof", at: polled.now + .minutes(2)) == .refused)
    }

    @Test func `A profile that was not there with the first return counts after it was held back`() {
        var world = World()
        for step in Self.returns("browser", Self.browser("u")) + Self.proves() { step(&world) }
        #expect(world.signIns.open?.isThere == false)
        for step in Self.logsIn() + [{ $0.ask("device") }] + Self.polls("app") { step(&world) }
        #expect(!world.isIn)
        for step in Self.waits(.seconds(1)) + Self.polls("later") { step(&world) }
        #expect(world.isIn)
    }

    // MARK: Beginnings

    @Test func `Of sixteen sign-ins that were given up none is dropped by two that begin at once`() {
        var signIns = DeviceSignIns()
        let now = World().now
        func begin(_ state: String) -> StartDecision {
            signIns.start(
                state, returnTo: nil, keeping: (session: signIns.current, isSignedIn: true), at: now,
                until: now + .minutes(30))
        }
        for number in 0..<17 { _ = begin("\(number)") }
        #expect(signIns.spent.count == 16)
        #expect(begin("one more") == .full(until: now + .minutes(32)))
        #expect(signIns.spent.count == 16 && signIns.open?.state == "16")
        #expect(
            signIns.start("other", returnTo: nil, keeping: (session: 7, isSignedIn: true), at: now, until: now)
                == .moved)
    }

    @Test func `What a sign-in that is taken back has used is handed out, to be erased`() {
        var signIns = DeviceSignIns()
        let now = World().now
        _ = signIns.start("a", returnTo: nil, keeping: (session: 0, isSignedIn: false), at: now, until: now)
        #expect(signIns.current == 1)
        var used = signIns
        // The one that requests used meanwhile goes, unless a user was signed in with it.
        #expect(signIns.takeBack("a", keepingCurrent: false) == 1 && signIns.current == 0)
        #expect(used.takeBack("a", keepingCurrent: true) == 0 && used.current == 1)
        _ = signIns.start("b", returnTo: nil, keeping: (session: 0, isSignedIn: true), at: now, until: now)
        #expect(signIns.takeBack("b", keepingCurrent: true) == 2 && signIns.current == 0)
        #expect(signIns.takeBack("b", keepingCurrent: true) == nil)
        #expect(signIns.sessionsToErase == [0, 1, 2], "also what nothing names any more")
    }

    // MARK: Time

    @Test func `The next look is when time alone changes something`() {
        var signIns = World().signIns
        let now = World().now
        #expect(DeviceSignIns().nextLook(after: now) == nil)
        #expect(signIns.nextLook(after: now) == NextLook(at: now + .minutes(30), as: .codeEnd))
        var returned = signIns
        _ = returned.come(Self.browser("a"), to: World.state, finding: nil, proof: "proof", at: now)
        for (passed, next) in [(TimeToLive.zero, TimeToLive.seconds(8)), (.seconds(8), .minutes(2))] {
            #expect(returned.nextLook(after: now + passed) == NextLook(at: now + next, as: .proof))
        }
        var proven = returned
        _ = proven.prove(by: "proof", at: now)
        #expect(proven.nextLook(after: now) == NextLook(at: now + .seconds(8), as: .proof))
        #expect(proven.nextLook(after: now + .seconds(8)) == NextLook(at: now + .minutes(30), as: .codeEnd))
        // What was given up is cleared away two minutes after its code has ended.
        let gone = signIns.giveUp(because: .cancelled)
        #expect(signIns.nextLook(after: now) == NextLook(at: now + .minutes(32), as: .clearing))
        #expect(signIns.due(at: now + .minutes(31)).isEmpty)
        #expect(signIns.nextLook(after: now + .minutes(32)) == nil)
        #expect(signIns.due(at: now + .minutes(32)) == [gone])
        _ = signIns.start(
            "b", returnTo: nil, keeping: (session: signIns.current, isSignedIn: true), at: now + .minutes(31),
            until: now + .hours(1))
        #expect(signIns.spent == [gone], "it is not forgotten before it is cleared away")
        #expect(
            signIns.nextLook(after: now + .minutes(31)) == NextLook(at: now + .minutes(32), as: .clearing))
    }

    // MARK: Plays

    @Test func `The plays of a sign-in that becomes void are handed on`() {
        var signIns = World().signIns
        let now = World().now
        #expect(signIns.promote(World.state, afterReturn: true, at: now) == 1)
        let play = NotedPlay(session: "one", until: now + .hours(1))
        #expect(signIns.note(play, of: 1, after: 0, at: now) == .signInChanged)
        #expect(signIns.note(play, of: 0, after: 0, at: now) == .noted)
        var late = signIns
        #expect(late.note(play, of: 0, after: 0, at: now + .minutes(2)) == .noted)
        #expect(late.playing == [play] && late.proved == signIns.proved, "it cannot become void any more")
        for _ in 1..<32 { #expect(signIns.note(play, of: 0, after: 0, at: now) == .noted) }
        #expect(signIns.note(play, of: 0, after: 0, at: now) == .full(until: now + .minutes(2)))
        // Another sign-in may take its place before the other browser is back.
        var overtaken = signIns
        _ = overtaken.start(
            "own", returnTo: nil, keeping: (session: 0, isSignedIn: true), at: now, until: now + .hours(1))
        _ = overtaken.promote("own", afterReturn: true, at: now)
        var other = overtaken
        guard
            case .overtaken(let plays) = overtaken.come(
                Self.browser("v"), to: World.state, finding: nil, proof: "", at: now + .seconds(119))
        else {
            Issue.record("not overtaken")
            return
        }
        #expect(plays.count == 32 && overtaken.current == 2 && overtaken.plays.isEmpty)
        #expect(
            other.come(Self.browser("v"), to: World.state, finding: nil, proof: "", at: now + .minutes(2)) == .unknown)
        // It may be under way with the same session, once the user has signed out.
        var again = signIns
        _ = again.start(
            "again", returnTo: nil, keeping: (session: 0, isSignedIn: false), at: now, until: now + .hours(1))
        guard
            case .overtaken = again.come(
                Self.browser("v"), to: World.state, finding: nil, proof: "", at: now)
        else {
            Issue.record("not overtaken")
            return
        }
        #expect(again.open?.state == "again" && again.spent.isEmpty)
        #expect(signIns.void(World.state, at: now)?.plays.count == 32)
        #expect(signIns.note(play, of: 0, after: 0, at: now) == .signInChanged)
    }
}
#endif
