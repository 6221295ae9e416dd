package import EntitlementValues
import Synchronization

/// A clock of which a pause takes no time: it moves to the pause's end by itself.
///
/// It does so once nothing else seems to be left to do, and to the end of the pause that ends first. So several tasks
/// that pause wake up in the order of their ends.
///
/// Waits of five seconds and more are time limits, which other work is expected to outrun. The clock does not move to
/// their ends by itself; they last until pauses or ``advance(by:)`` have brought it there, or until they are cancelled.
///
/// A task that looks for something again and again, with a pause after each look, would make time run away from all
/// others. Where there is one, let the clock ``stand()``.
package final class SkippingClock: Clock, Sendable {
    package struct Instant: InstantProtocol {
        package var uptime: Duration

        package init(uptime: Duration = .zero) { self.uptime = uptime }

        package func advanced(by duration: Duration) -> Instant { Instant(uptime: uptime + duration) }
        package func duration(to other: Instant) -> Duration { other.uptime - uptime }
        package static func < (one: Instant, other: Instant) -> Bool { one.uptime < other.uptime }
    }

    private struct Sleeper {
        let deadline: Instant
        let isPause: Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var latest = Instant()
        var lastID = 0
        var sleepers: [Int: Sleeper] = [:]
        var isStanding = false
        /// Whether a task moves the clock at present.
        var isMoving = false
        var isHeld: (@Sendable () -> Bool)?

        /// Stands at an instant from now on, and wakes those whose wait is over.
        mutating func move(to instant: Instant) {
            latest = max(latest, instant)
            for (id, sleeper) in sleepers where sleeper.deadline <= latest {
                sleepers[id] = nil
                sleeper.continuation.resume()
            }
        }
    }

    private let state = Mutex(State())

    package init() {}

    package var now: Instant { state.withLock { $0.latest } }
    package var minimumResolution: Duration { .zero }

    package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if add(continuation, id, until: deadline) { Task { await keepMoving() } }
            }
        } onCancel: {
            state.withLock { $0.sleepers.removeValue(forKey: id) }?.continuation.resume()
        }
        try Task.checkCancellation()
    }

    /// Lets a task wait, or go on if its wait is over; tells whether a task is needed that moves the clock.
    private func add(_ continuation: CheckedContinuation<Void, Never>, _ id: Int, until deadline: Instant) -> Bool {
        state.withLock { state in
            // Under the lock: a cancellation from here on finds the continuation.
            guard state.latest < deadline, !Task.isCancelled else {
                continuation.resume()
                return false
            }
            let isPause = state.latest.duration(to: deadline) < .seconds(5)
            state.sleepers[id] = Sleeper(deadline: deadline, isPause: isPause, continuation: continuation)
            guard isPause, !state.isMoving, !state.isStanding else { return false }
            state.isMoving = true
            return true
        }
    }

    /// Ends one pause after the other, until no task pauses.
    private func keepMoving() async {
        repeat { await settle() } while endFirstPause()
    }

    /// Waits until those are asleep who are about to pause as well, and nothing is held.
    private func settle() async {
        var known = -1
        // Longer than tests wait for anything: what is held then is held for ever.
        for _ in 0..<120_000 {
            let (count, isHeld) = state.withLock { ($0.lastID, $0.isHeld) }
            if count == known, isHeld?() != true { return }
            known = count
            do { try await Task.sleep(for: .milliseconds(1)) } catch { return }
        }
    }

    private func endFirstPause() -> Bool {
        state.withLock { state in
            let next = state.sleepers.values.filter(\.isPause).map(\.deadline).min()
            guard let next, !state.isStanding else {
                state.isMoving = false
                return false
            }
            state.move(to: next)
            return true
        }
    }

    /// Lets pauses wait as long as something takes real time, in which no time may pass by this clock.
    package func hold(while isHeld: @escaping @Sendable () -> Bool) { state.withLock { $0.isHeld = isHeld } }

    /// Lets time pass.
    package func advance(by duration: Duration) {
        state.withLock { $0.move(to: $0.latest.advanced(by: duration)) }
    }

    /// From now on, the clock does not move by itself.
    package func stand() { state.withLock { $0.isStanding = true } }

    /// A source of time by this clock; the time of day goes with it.
    package func source(from start: Timestamp) -> TimeSource {
        TimeSource(self) { start + TimeToLive(milliseconds: Int64(self.now.uptime / .milliseconds(1))) }
    }

    /// A source of time by such a clock; the time of day goes with it.
    package static func source(from start: Timestamp) -> TimeSource {
        SkippingClock().source(from: start)
    }
}
