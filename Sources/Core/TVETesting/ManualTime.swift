public import EntitlementValues
import Synchronization

/// A time that moves only when a test says so.
///
/// ```swift
/// let time = ManualTime(at: Timestamp(milliseconds: 1_768_480_200_000))
/// let ledger = EntitlementLedger(time: time.source)
/// time.advance(by: .minutes(5))
/// ```
public final class ManualTime: Sendable {
    private struct State {
        var now: Timestamp
        var uptime = Duration.zero
        var lastID = 0
        var sleepers: [Int: (deadline: Duration, continuation: CheckedContinuation<Void, Never>)] = [:]
    }

    private let state: Mutex<State>

    /// Makes a time that stands still.
    ///
    /// - Parameter now: The time of day at which it stands.
    public init(at now: Timestamp) {
        state = Mutex(State(now: now))
    }

    /// The time as stores, ledgers and services take it.
    public var source: TimeSource {
        TimeSource(SteadyClock(time: self)) { self.now }
    }

    /// The time of day.
    public var now: Timestamp { state.withLock { $0.now } }

    /// How many tasks wait for this time to go on.
    public var sleepers: Int { state.withLock { $0.sleepers.count } }

    /// When the tasks that wait go on, as times of day.
    public var deadlines: [Timestamp] {
        state.withLock { state in
            state.sleepers.values.map { state.now + TimeToLive($0.deadline - state.uptime) }
        }
    }

    /// Sets the time of day forward or back, as an operator does.
    ///
    /// No time passes by it: tasks that wait go on waiting until ``advance(by:)``.
    ///
    /// - Parameter now: The new time of day.
    public func set(_ now: Timestamp) {
        state.withLock { $0.now = now }
    }

    /// Lets time pass, and wakes the tasks whose wait is over.
    ///
    /// - Parameter duration: How much time passes; not negative.
    public func advance(by duration: TimeToLive) {
        precondition(duration >= .zero, "time does not run backwards; use set(_:)")
        advance(by: duration, uptime: duration.duration)
    }

    /// Lets parts of a millisecond pass, which the time of day does not show; the duration is not negative.
    package func advanceUptime(by duration: Duration) {
        precondition(duration >= .zero, "time does not run backwards; use set(_:)")
        advance(by: .zero, uptime: duration)
    }

    private func advance(by duration: TimeToLive, uptime: Duration) {
        let woken = state.withLock { state in
            state.now = state.now + duration
            state.uptime += uptime
            let due = state.sleepers.filter { $0.value.deadline <= state.uptime }
            for id in due.keys { state.sleepers[id] = nil }
            return due.values.map(\.continuation)
        }
        for continuation in woken { continuation.resume() }
    }

    private var uptime: Duration { state.withLock { $0.uptime } }

    private func sleep(until deadline: Duration) async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDue = state.withLock { state in
                    // Under the lock: a cancellation from here on finds the continuation.
                    if state.uptime >= deadline || Task.isCancelled { return true }
                    state.sleepers[id] = (deadline, continuation)
                    return false
                }
                if isDue { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.sleepers.removeValue(forKey: id) }?.continuation.resume()
        }
        try Task.checkCancellation()
    }

    /// The even clock of a time source, which is the time that was advanced.
    private struct SteadyClock: Clock {
        struct Instant: InstantProtocol {
            let uptime: Duration

            func advanced(by duration: Duration) -> Instant { Instant(uptime: uptime + duration) }
            func duration(to other: Instant) -> Duration { other.uptime - uptime }
            static func < (one: Instant, other: Instant) -> Bool { one.uptime < other.uptime }
        }

        let time: ManualTime

        var now: Instant { Instant(uptime: time.uptime) }
        var minimumResolution: Duration { .zero }

        func sleep(until deadline: Instant, tolerance: Duration?) async throws {
            try await time.sleep(until: deadline.uptime)
        }
    }
}
