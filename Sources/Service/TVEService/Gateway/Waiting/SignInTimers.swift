#if Service
package import BrokerMessages
package import DeviceRecords
import EntitlementFlows
package import EntitlementValues
import SealedRecords
import Synchronization

/// Does what has to be done about sign-ins although no request comes: ends those that are not proved, logs out what came of
/// them, and asks the broker as long as a user may be signing in.
///
/// Each device has one look at the next instant at which time alone changes something for it; the look itself finds out in
/// the device's record what that is. Each process looks at the devices whose sign-ins it has changed. If the process stops
/// before, or has no room, the device's next request does it; a sign-in that no request asks for does no harm, since its
/// session is used for nothing else.
package final class SignInTimers: Sendable {
    /// The most devices that are looked at later, and tasks that run, together.
    package static let capacity = 32_768
    /// How often a look is tried that does not get everything done.
    private static let maximumTries = 3
    private static let pause = TimeToLive.seconds(60)
    /// How often the time between two looks doubles while the store does not answer: to 16 minutes.
    private static let maximumDoublings = 4
    private static let many = 1_024

    /// A device that is looked at later, with what its record does not say.
    package struct Device: Sendable {
        package let key: DeviceKey
        let app: String
        /// Where its last request came from, or that of its browser.
        let address: ClientAddress
        let port: UInt16?

        package init(key: DeviceKey, app: String, address: ClientAddress, port: UInt16? = nil) {
            (self.key, self.app, self.address, self.port) = (key, app, address, port)
        }
    }

    /// What is done for a device.
    package enum Work: Sendable, Hashable {
        /// Its record is looked at.
        case look
        /// The broker is asked for its sign-in under way until that ends; the state says which one it is.
        case ask(state: String)
    }

    /// What came of a look.
    package enum Outcome: Sendable, Hashable {
        /// All that was due is done; when it is worth another look.
        case done(NextLook?)
        /// Not all is done; when it is worth a look all the same.
        case failed(NextLook?)
        /// A store does not answer, or refuses to write, so what is due stays so.
        case storeAway

        /// What an error has stopped; `next` is when it is worth another look all the same.
        init(_ error: any Error, next: NextLook?) {
            switch error {
            case SealedTableError.store, DeviceRecordsError.store, EntitlementFlowError.store(.store): self = .storeAway
            // A record that is damaged stays so.
            default: self = .failed(next)
            }
        }
    }

    /// Names a task that runs, so that there is one of its kind.
    package enum Name: Sendable, Hashable {
        case look(DeviceKey)
        case ask(state: String)
        /// Revokes plays, of a sign-in or a device.
        case plays(of: String)
    }

    /// Does the work, at the gateway that is in use then: a reload puts another one in the place of the one before.
    package typealias Worker = @Sendable (Device, Work) async -> Outcome

    private struct Look {
        var device: Device
        var next: NextLook
        /// How often it was tried in vain.
        var tries = 0
        /// How often in a row a store has not answered.
        var outages = 0

        var isAgain: Bool { tries > 0 || outages > 0 }
    }

    private struct State {
        /// `nil` before the start, and after the stop.
        var worker: Worker?
        var looks: [DeviceKey: Look] = [:]
        var tasks: [Name: (number: UInt64, task: Task<Void, Never>)] = [:]
        /// Tells tasks and timers from later ones of the same name.
        var last: UInt64 = 0
        /// Waits for the first look: a task for each would cost several times its entry.
        var timer: (number: UInt64, until: Timestamp, task: Task<Void, Never>)?
        var dropped = 0

        var count: Int { looks.count + tasks.count }

        mutating func number() -> UInt64 {
            last += 1
            return last
        }
    }

    private let time: TimeSource
    private let state = Mutex(State())

    package init(by time: TimeSource) { self.time = time }

    deinit { stop() }

    /// Lets work be done from now on.
    package func start(_ worker: @escaping Worker) { state.withLock { $0.worker = worker } }

    /// Ends all of it; from now on nothing is done anymore.
    package func stop() {
        let tasks = state.withLock { state in
            defer { (state.worker, state.looks, state.tasks, state.timer) = (nil, [:], [:], nil) }
            return state.tasks.values.map(\.task) + (state.timer.map { [$0.task] } ?? [])
        }
        for task in tasks { task.cancel() }
    }

    /// How many devices are looked at later, and how many tasks run.
    package var count: Int { state.withLock(\.count) }

    /// How much found no room so far.
    package var droppedCount: Int { state.withLock(\.dropped) }

    // MARK: Looks

    /// Notes when a device is to be looked at next, in place of what was noted before.
    ///
    /// The look is `nil` if time alone changes nothing.
    package func note(_ next: NextLook?, for device: Device) {
        state.withLock { state in
            guard state.worker != nil else { return }
            let known = state.looks[device.key]
            // Not replaced: what was tried in vain, what is due, and what ends a return within two minutes. A note may be of
            // an older read than the one before it, and a look that finds nothing costs one read.
            let now = time.now
            let again = known.flatMap { look in
                look.isAgain || look.next.instant <= now || look.next.worth == .proof ? look.next : nil
            }
            guard let found = next.map({ $0.first(with: again) }) ?? again else {
                state.looks[device.key] = nil
                return
            }
            // Tries and outages stay.
            var look = known ?? Look(device: device, next: found)
            (look.device, look.next) = (device, found)
            put(look, in: &state)
        }
    }

    /// Looks at a device now, unless a look runs, or is to be tried again for another reason than the store: that has
    /// just answered.
    package func clear(_ device: Device) {
        let isTried = state.withLock { state in
            state.tasks[.look(device.key)] != nil || state.looks[device.key].map { $0.tries > 0 } == true
        }
        if !isTried { note(NextLook(at: time.now, as: .clearing), for: device) }
    }

    /// Does not look at a device that is erased.
    package func forget(_ device: DeviceKey) { state.withLock { $0.looks[device] = nil } }

    private func put(_ look: Look, in state: inout State) {
        let key = look.device.key
        let others = state.count - (state.looks[key] == nil ? 0 : 1)
        guard others < look.next.worth.room else {
            state.looks[key] = nil
            state.dropped += 1
            return
        }
        state.looks[key] = look
        let (now, instant) = (time.now, look.next.instant)
        if instant <= now {
            begin(key, of: &state)
        } else if let timer = state.timer, timer.until <= instant {
            // A timer that is late has begun to sleep before the clock was set. A timer that is due just now is about
            // to end, and must not begin anew with each call: then it would never end.
            if timer.until + .seconds(1) <= now { wait(until: now, of: &state) }
        } else {
            wait(until: instant, of: &state)
        }
    }

    /// Begins a look, unless one of the device runs: then it begins when that ends.
    private func begin(_ key: DeviceKey, of state: inout State) {
        let name = Name.look(key)
        guard state.tasks[name] == nil, let worker = state.worker, let look = state.looks.removeValue(forKey: key)
        else {
            return
        }
        let number = state.number()
        let task = Task { [weak self] in
            let outcome = await worker(look.device, .look)
            self?.end(look, number, with: outcome)
        }
        state.tasks[name] = (number, task)
    }

    private func end(_ look: Look, _ number: UInt64, with outcome: Outcome) {
        let (key, name, now) = (look.device.key, Name.look(look.device.key), time.now)
        state.withLock { state in
            guard state.tasks[name]?.number == number else { return }
            state.tasks[name] = nil
            // What was noted while it ran is newer than what it has seen.
            var next = state.looks[key] ?? look
            switch outcome {
            case .done(let later):
                if state.looks[key] == nil {
                    guard let later else { return }
                    next.next = later
                }
                (next.tries, next.outages) = (0, 0)
            case .failed(let later):
                let isLast = look.tries + 1 >= Self.maximumTries
                let again = isLast ? nil : NextLook(at: now + Self.pause, as: look.next.worth)
                guard let known = state.looks[key]?.next ?? later ?? again else { return }
                next.next = known.first(with: again)
                (next.tries, next.outages) = (isLast ? 0 : look.tries + 1, 0)
            case .storeAway:
                // What is due stands in the record alone: so this goes on until the store answers, ever more seldom.
                let pause = TimeToLive.seconds(60 << min(look.outages, Self.maximumDoublings))
                let again = NextLook(at: now + pause, as: look.next.worth)
                next.next = again.first(with: state.looks[key]?.next)
                (next.tries, next.outages) = (look.tries, look.outages + 1)
            }
            put(next, in: &state)
        }
    }

    // MARK: Timing

    private func wait(until instant: Timestamp, of state: inout State) {
        state.timer?.task.cancel()
        let number = state.number()
        let task = Task { [weak self, time] in
            guard (try? await time.sleep(until: instant)) != nil else { return }
            self?.beginDue(after: number)
        }
        state.timer = (number, instant, task)
    }

    /// Begins what is due when a timer has ended, and waits for the next; a timer that another has replaced begins nothing.
    private func beginDue(after number: UInt64) {
        let now = time.now
        state.withLock { state in
            guard state.timer?.number == number else { return }
            state.timer = nil
            let waiting = state.looks
            for (key, look) in waiting where look.next.instant <= now { begin(key, of: &state) }
            guard let next = waiting.values.lazy.map(\.next.instant).filter({ $0 > now }).min() else { return }
            // Looking through many of them takes milliseconds, which may be a part of each second, and no more.
            wait(until: waiting.count > Self.many ? max(next, now + .seconds(1)) : next, of: &state)
        }
    }

    // MARK: Tasks

    /// Lets the broker be asked for a sign-in until that ends, and looks at the device then.
    ///
    /// The look is something of its own: the end of the sign-in cancels the question, and must not cancel a logout. The
    /// state stands in the address of the sign-in's return; if its question runs already, nothing changes.
    package func ask(about state: String, of device: Device) {
        guard let worker = self.state.withLock(\.worker) else { return }
        run(.ask(state: state)) { [weak self, time] in
            _ = await worker(device, .ask(state: state))
            self?.note(NextLook(at: time.now, as: .proof), for: device)
        }
    }

    /// Does something from now on, unless there is something of that name.
    package func run(_ name: Name, _ body: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            guard state.worker != nil, state.tasks[name] == nil else { return }
            guard state.count < Self.capacity else {
                state.dropped += 1
                return
            }
            let number = state.number()
            let task = Task { [weak self] in
                await body()
                self?.end(name, number)
            }
            state.tasks[name] = (number, task)
        }
    }

    /// Gives up something that runs.
    package func cancel(_ name: Name) { state.withLock { $0.tasks.removeValue(forKey: name) }?.task.cancel() }

    private func end(_ name: Name, _ number: UInt64) {
        state.withLock { state in
            if state.tasks[name]?.number == number { state.tasks[name] = nil }
        }
    }
}

extension NextLook.Worth {
    /// With how many others a look is still worth its place.
    package var room: Int {
        switch self {
        // Of the end of a code the device hears when it asks.
        case .codeEnd: SignInTimers.capacity / 4
        // This lasts half an hour.
        case .clearing: SignInTimers.capacity / 2
        case .proof: SignInTimers.capacity
        }
    }
}

extension Gateway {
    /// Does what has to be done for a device of which no request comes.
    func work(_ work: SignInTimers.Work, for device: SignInTimers.Device) async -> SignInTimers.Outcome {
        let record: GatewayDevice?
        do {
            record = try await devices.record(of: device.key)
        } catch {
            return SignInTimers.Outcome(error, next: nil)
        }
        guard let record, !record.isForgotten, let flow = try? SignInFlow(of: record, as: device, in: self) else {
            return .done(nil)
        }
        switch work {
        case .look: return await flow.look(at: record)
        case .ask(let state):
            if let open = record.signIns.open, open.state == state { await flow.waitAtBroker(for: open) }
            return .done(nil)
        }
    }
}
#endif
