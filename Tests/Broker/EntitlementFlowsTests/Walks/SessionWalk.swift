#if Client
import BrokerBench
import BrokerClient
import BrokerMessages
import BrokerSimulation
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import SealedRecords
import TestVectors
import TVETesting
import Testing

/// A session beside its model: each step is done by both, and all that can be seen has to be the same.
final class SessionWalk {
    /// Two of them differ.
    struct Difference: Error, CustomStringConvertible {
        let expected: WalkObservation
        let seen: WalkObservation
        let description: String
    }

    /// What there is in a walk besides one origin and ordinary sign-ins.
    struct Features: OptionSet, Sendable, CustomStringConvertible {
        /// Providers are at one of two origins, each of which may fail alone.
        static let twoOrigins = Features(rawValue: 1)
        /// There is temporary access.
        static let temporaryAccess = Features(rawValue: 2)
        /// Sign-ins are forced.
        static let forcedSignIns = Features(rawValue: 4)
        /// Other processes erase the device.
        static let erasures = Features(rawValue: 8)

        let rawValue: Int

        var description: String {
            let names: [(Features, String)] = [
                (.twoOrigins, "two origins"), (.temporaryAccess, "temporary access"),
                (.forcedSignIns, "forced sign-ins"), (.erasures, "erasures"),
            ]
            return names.filter { contains($0.0) }.map { ", with \($0.1)" }.joined()
        }
    }

    private static let keys = Result { try SimulatorKeys() }
    private static let start = Timestamp(milliseconds: 1_780_000_000_000)
    private static let redirect = "https://app.example.com/done"
    static let requestor: RequestorID = "REF30"

    /// The length from the start of a walk; the model counts by it.
    static func milliseconds(of instant: Timestamp) -> Int64 { instant.since(start).milliseconds }

    let time = ManualTime(at: start)
    /// How much real time a session has to do what its model did.
    var patience = Duration.seconds(120)
    private let simulators: [BrokerSimulator]
    private let origins: [BrokerOrigin]
    let transport: WalkTransport
    /// The records as another process has them.
    private let elsewhere: DeviceDirectory
    private let application: EntitlementApplication
    private let device: Device
    private let options: SessionOptions
    private(set) var session: EntitlementSession
    private(set) var model: SessionModel
    private var log: EventLog
    private var waiter: Task<String, Never>?
    /// The code that was shown last, its number in the model, and the origin that made it.
    private var shown: (text: String, number: Int, origin: Int)?
    private var seen = WalkObservation()
    /// How often users have signed in, and how often a resource was permitted.
    private(set) var (signIns, permits) = (0, 0)

    /// - Parameters:
    ///   - isTelevision: Whether the user signs in on another device.
    ///   - remembersProvider: Whether the provider of the last sign-in is taken again without a question.
    ///   - writesDecisions: Whether the times of decisions go out with each change, instead of once a minute.
    ///   - features: What there is besides.
    ///   - wire: How the session is joined with its brokers.
    /// - Throws: What keeps the walk from its start.
    init(
        onTelevision isTelevision: Bool,
        rememberingProvider remembersProvider: Bool,
        writingDecisions writesDecisions: Bool,
        with features: Features,
        over wire: Wire
    ) async throws {
        let (source, start, keys) = (time.source, Self.start, try Self.keys.get())
        let worlds = Self.worlds(with: features)
        origins = try worlds.indices.map { try BrokerOrigin(parsing: "https://broker\($0).example") }
        simulators = try worlds.map { try BrokerSimulator(world: $0, keys: keys, time: source) }
        transport = WalkTransport(to: simulators, at: origins, time: source, over: wire)
        // Requests that fail are not repeated: that is the client's part.
        var settings = BrokerSettings()
        (settings.maximumRepeatsWhenThrottled, settings.maximumRepeatsAfterFailures) = (0, 0)
        let store = InMemoryRecordStore(time: source)
        elsewhere = DeviceDirectory(in: store, sealer: .unsealed, time: source)
        let directory = DeviceDirectory(
            in: store, sealer: .unsealed,
            time: writesDecisions ? TimeSource(LeapingClock()) { source.now } : StandingClock.source { source.now })
        let broker = Broker(
            at: BrokerEnvironment(api: origins[0], management: origins[0]),
            application: Broker.Application(
                try SoftwareStatement(simulators[0].softwareStatement(of: Self.requestor))), records: directory,
            over: transport, settings: settings, pacer: RequestPacer(time: TimeSource(LeapingClock())), time: source)
        application = EntitlementApplication(at: broker, domain: "example.com", redirect: Self.redirect)
        device = Device(
            key: "device", identifier: try DeviceIdentifier("device"),
            info: try DeviceInfo([
                .model: "Model", .osName: "OS", .osVersion: "1",
                .primaryHardwareType: isTelevision ? "TV" : "Tablet",
            ]))
        var options = SessionOptions()
        options.remembersProvider = remembersProvider
        self.options = options
        session = EntitlementSession(of: device, for: application, options: options)
        model = SessionModel(
            isTelevision: isTelevision, remembersProvider: remembersProvider, origins: origins.count,
            at: source.now.since(start).milliseconds)
        log = EventLog(of: session)
        begin()
        try await perform(.setRequestor)
        try await compare()
    }

    /// The worlds of the origins: with two, one of them has a provider without a logout page, the other one the rest.
    private static func worlds(with features: Features) -> [SimulatedWorld] {
        var world = SimulatedWorld.sample
        for place in world.mvpds.indices where world.mvpds[place].id.rawValue == WalkStep.trial {
            world.mvpds[place].temporaryAccess = TemporaryAccess(
                duration: TimeToLive(milliseconds: BrokerModel.trialLifetime),
                maximumResources: BrokerModel.trialResources)
        }
        guard features.contains(.twoOrigins) else { return [world] }
        var other = world
        world.requestors[0].mvpds = ["SampleCable", MVPDID(WalkStep.trial)]
        other.requestors[0].mvpds = ["SampleFiber"]
        return [world, other]
    }

    /// Makes the model wrong on purpose, which is seen without much patience.
    func spoil(_ change: (inout SessionModel) -> Void) {
        change(&model)
        patience = .seconds(1)
    }

    // MARK: Steps

    /// Does a step, and compares.
    func take(_ step: WalkStep) async throws {
        // No two steps happen at the same instant.
        try await pass(10)
        begin()
        switch step {
        case .call(let call): try await perform(call)
        case .interrupted(let call, let index, let kind): try await perform(call, at: index, kind)
        case .waitBegins: try await beginWait()
        case .waitEnds:
            waiter?.cancel()
            model.endWait()
        case .restart: try await restart()
        case .userSignsIn: userSignsIn()
        case .codesEnd:
            for origin in origins.indices {
                simulators[origin].expire(.codes)
                model.brokers[origin].endCodes()
            }
        case .profilesEnd:
            for origin in origins.indices {
                simulators[origin].expire(.profiles)
                model.brokers[origin].endProfiles(at: model.now)
            }
        case .fault(let kind, let index, let origin):
            transport.fail(kind, after: index, at: origin)
            model.faults[origin] = (kind, index)
        case .erasedElsewhere:
            // A code that ends just then may be told as its end.
            if let code = model.code, model.watch != nil, code.until < model.now + 2 * Self.longestLook { break }
            try await elsewhere.forget(device.key)
            model.eraseElsewhere()
            try await compare()
            // What waits for the sign-in notices it in that time.
            return try await pass(Self.longestLook)
        case .pass(let seconds): return try await pass(seconds * 1000)
        }
        model.lookIfDue()
        try await compare()
    }

    /// After so many milliseconds at most, a wait for the sign-in looks at the record.
    private static let longestLook: Int64 = 5000

    /// Lets time pass at once, and lets the session look for the sign-in if it is due.
    private func pass(_ duration: Int64) async throws {
        begin()
        time.advance(by: TimeToLive(milliseconds: duration))
        model.now += duration
        model.lookIfDue()
        try await compare()
    }

    private func begin() {
        seen = WalkObservation()
        transport.forgetRequests()
        (model.requests, model.events, model.waitOutcome) = ([], [], nil)
        (model.leavesStatusesOpen, expectedOutcome) = (false, "")
    }

    private var expectedOutcome = ""

    private func perform(_ call: WalkCall) async throws {
        expect(of: call, await session.outcome(of: call, at: origins))
    }

    /// Does a call, and something else while an answer of the broker is on its way.
    private func perform(_ call: WalkCall, at index: Int, _ kind: WalkInterruption) async throws {
        let hold = transport.hold(at: index, includingPolls: call == .handleExternalURL)
        let (session, origins) = (session, origins)
        let calling = Task {
            let outcome = await session.outcome(of: call, at: origins)
            hold.reached.end(with: .success(false))
            return outcome
        }
        var logout: Task<Void, Never>?
        if try await hold.reached.value() {
            switch kind {
            case .taskIsCancelled: calling.cancel()
            case .cancel: try await session.setSelectedProvider(nil)
            case .logout:
                let hasEnded = Promise<Void>()
                logout = Task {
                    _ = try? await session.logout()
                    hasEnded.end(with: .success(()))
                }
                try await eventually { hasEnded.hasEnded || session.queue.waitingCount == 1 }
            }
            hold.released.end(with: .success(()))
        }
        let outcome = await calling.value
        await logout?.value
        transport.holdNothing()
        model.interruption = (kind, index)
        expect(of: call, outcome)
    }

    private func expect(of call: WalkCall, _ outcome: WalkOutcome) {
        (seen.outcome, seen.remembered, seen.requests) = (outcome.text, outcome.remembered, transport.requests)
        expectedOutcome = model.perform(call, observed: seen)
        if let text = outcome.code, let code = model.code {
            shown = (text, code.number, model.origin(of: code.mvpd, with: model.choice))
        }
        if expectedOutcome.hasPrefix("permitted") { permits += 1 }
    }

    private func beginWait() async throws {
        guard model.watch?.listeners ?? 0 == 0 else { return }
        let session = session
        let hasEnded = Promise<Void>()
        let task = Task {
            let outcome = await session.wait()
            hasEnded.end(with: .success(()))
            return outcome
        }
        try await eventually {
            if hasEnded.hasEnded { return true }
            return await session.state.wait?.listeners == 1
        }
        if hasEnded.hasEnded {
            seen.outcome = await task.value
            model.forgetEndedCode(answering: seen.outcome)
        }
        if let outcome = model.beginWait() {
            expectedOutcome = outcome
        } else {
            waiter = task
        }
    }

    private func restart() async throws {
        await session.stopWaiting()
        // As a server lets a session go.
        await session.handOverDecisions()
        application.broker.records.dropNotedDecisions(of: device.key)
        seen.events = await log.names()
        model.restart()
        session = EntitlementSession(of: device, for: application, options: options)
        log = EventLog(of: session)
    }

    private func userSignsIn() {
        guard let shown else { return }
        seen.outcome = (try? simulators[shown.origin].logIn(code: shown.text, as: "ok")) == nil ? "refused" : "in"
        let isIn = model.brokers[shown.origin].signIn(with: shown.number, at: model.now)
        if isIn { signIns += 1 }
        expectedOutcome = isIn ? "in" : "refused"
    }

    // MARK: Comparing

    /// Waits until the session has done what the model did, and compares.
    private func compare() async throws {
        var expected = WalkObservation(
            outcome: expectedOutcome, remembered: seen.remembered,
            requests: WalkTransport.inOrder(model.requests), events: model.events, waitOutcome: model.waitOutcome)
        if model.waitOutcome != nil {
            seen.waitOutcome = await waiter?.value
            waiter = nil
        }
        if model.leavesStatusesOpen { expected = expected.withoutStatuses }
        do {
            try await eventually(within: patience) { await isSame(as: expected) }
        } catch is WaitedInVain {
            let looks =
                "watches \(await session.isWaiting), sleeps \(time.deadlines) at \(time.now); model: "
                + (model.watch.map { "\($0)" } ?? "no watch")
            throw Difference(
                expected: expected, seen: seen, description: "expected \(expected)\nseen     \(seen)\n\(looks)")
        }
    }

    /// Looks at what has happened by now.
    private func isSame(as expected: WalkObservation) async -> Bool {
        // A wait is over before it is told.
        let isWatching = await session.isWaiting == (model.watch != nil)
        let deadlines = time.deadlines.map(Self.milliseconds)
        let isAsleep = model.watch.map { deadlines.contains($0.nextLook) } ?? true
        seen.events += await log.names()
        seen.requests = transport.requests
        if model.leavesStatusesOpen { seen = seen.withoutStatuses }
        return expected == seen && isWatching && isAsleep
    }
}
#endif
