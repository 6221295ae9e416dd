#if Service
package import EntitlementValues
import Synchronization

/// Does later what has to be done about sign-ins: ends those that are not proved, and logs out what came of them.
///
/// Each process does it for the sign-ins that it has seen. If the process stops before, or has no room, the device's next
/// request does it; a sign-in that no request asks for does no harm, since its session is used for nothing else.
package final class SignInKeeper: Sendable {
    /// The most things that are kept in mind.
    package static let capacity = 32_768
    /// With how many others it is still worth its place to clear away a sign-in that was given up, for half an hour.
    package static let roomForClearing = capacity / 2
    /// The same for the end of a code, of which the device hears when it asks.
    package static let roomForReminders = capacity / 4

    private static let many = 1_024

    private struct Entry {
        /// Tells it from a later one of the same name.
        let number: UInt64
        let instant: Timestamp
        /// What is done; `nil` once it has begun.
        var job: (@Sendable () async -> Void)?
        /// Does it, once it has begun.
        var task: Task<Void, Never>?
    }

    private struct State {
        weak var gateway: Gateway?
        var entries: [String: Entry] = [:]
        var last: UInt64 = 0
        /// Waits for the first of those that have not begun: a task for each would cost several times its entry.
        var timer: (number: UInt64, until: Timestamp, task: Task<Void, Never>)?
        var dropped = 0
    }

    private let state = Mutex(State())

    package init() {}

    deinit {
        state.withLock { state in
            state.timer?.task.cancel()
            for entry in state.entries.values { entry.task?.cancel() }
        }
    }

    /// The gateway that is in use: a reload puts another one in its place, and ends the sessions of the one before.
    var gateway: Gateway? {
        get { state.withLock { $0.gateway } }
        set { state.withLock { $0.gateway = newValue } }
    }

    /// Does something later.
    ///
    /// - Parameters:
    ///   - name: What is done; if something of that name is to be done already, nothing changes.
    ///   - instant: When; at once if it has passed.
    ///   - time: By which the instant is told.
    ///   - capacity: With how many other things it is still worth its place.
    ///   - job: Does it.
    package func schedule(
        _ name: String,
        at instant: Timestamp,
        by time: TimeSource,
        upTo capacity: Int = SignInKeeper.capacity,
        _ job: @escaping @Sendable () async -> Void
    ) {
        let now = time.now
        state.withLock { state in
            guard state.entries[name] == nil else { return }
            guard state.entries.count < capacity else {
                state.dropped += 1
                return
            }
            state.last += 1
            state.entries[name] = Entry(number: state.last, instant: instant, job: job)
            if instant <= now {
                begin(name, of: &state)
            } else if let timer = state.timer, timer.until <= instant {
                // A timer that is late has begun to sleep before the clock was set. One that is due just now is about to
                // end, and would never do so if each call began it anew.
                if timer.until + .seconds(1) <= now { wait(until: now, by: time, of: &state) }
            } else {
                wait(until: instant, by: time, of: &state)
            }
        }
    }

    /// Gives up something that was to be done.
    package func cancel(_ name: String) {
        state.withLock { $0.entries.removeValue(forKey: name) }?.task?.cancel()
    }

    /// How many things are to be done.
    package var count: Int { state.withLock(\.entries.count) }

    /// How many things found no room so far.
    package var droppedCount: Int { state.withLock(\.dropped) }

    // MARK: Timing

    private func wait(until instant: Timestamp, by time: TimeSource, of state: inout State) {
        state.timer?.task.cancel()
        state.last += 1
        let number = state.last
        let task = Task { [weak self] in
            guard (try? await time.sleep(until: instant)) != nil else { return }
            self?.beginDue(by: time, after: number)
        }
        state.timer = (number, instant, task)
    }

    /// Begins what is due when a timer has ended, and waits for the next; a timer that another has replaced begins nothing.
    private func beginDue(by time: TimeSource, after number: UInt64) {
        let now = time.now
        state.withLock { state in
            guard state.timer?.number == number else { return }
            state.timer = nil
            let waiting = state.entries.filter { $0.value.job != nil }
            for (name, entry) in waiting where entry.instant <= now { begin(name, of: &state) }
            guard let next = waiting.values.lazy.map(\.instant).filter({ $0 > now }).min() else { return }
            // Looking through many of them takes milliseconds, which may be a part of each second, and no more.
            wait(until: waiting.count > Self.many ? max(next, now + .seconds(1)) : next, by: time, of: &state)
        }
    }

    private func begin(_ name: String, of state: inout State) {
        guard var entry = state.entries[name], let job = entry.job else { return }
        let number = entry.number
        entry.job = nil
        entry.task = Task { [weak self] in
            await job()
            self?.end(name, number)
        }
        state.entries[name] = entry
    }

    private func end(_ name: String, _ number: UInt64) {
        state.withLock { state in
            if state.entries[name]?.number == number { state.entries[name] = nil }
        }
    }
}
#endif
