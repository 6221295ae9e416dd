#if Service
import EntitlementValues
import Synchronization

/// A time of day that a test moves on, and waits that a test can hold up.
///
/// A machine that is slow must not change what is seen, so the time of day stands still while a request is answered.
/// Waits take as long as they say, unless they move along, or are held up.
final class ShiftedTime: Sendable {
    private struct State {
        /// How far the time of day is from that of the system.
        var offset = TimeToLive.zero
        /// The time of day while it stands.
        var stands: Timestamp?
        /// How many want it to stand.
        var holders = 0
        /// How far the time of waits is from that of the system.
        var shift = Duration.zero
        /// Where the time of waits stops.
        var end: Duration?
        /// How long the waits were that have begun.
        var waits: [Duration] = []
    }

    private let state = Mutex(State())
    private let movesWaits: Bool
    private let start = ContinuousClock.now

    /// Begins at the present instant.
    ///
    /// - Parameters:
    ///   - movesWaits: Whether waits end when the time of day jumps over their end.
    ///   - stands: Whether the time of day stands still from now on, and not only while a request is answered.
    init(movingWaits movesWaits: Bool = false, standing stands: Bool = false) {
        self.movesWaits = movesWaits
        if stands { stand() }
    }

    // MARK: The time of day

    var now: Timestamp {
        state.withLock { $0.stands ?? .now + $0.offset }
    }

    /// Lets the time of day jump.
    func advance(by duration: TimeToLive) {
        state.withLock { state in
            state.offset = state.offset + duration
            state.stands = state.stands.map { $0 + duration }
            if movesWaits { state.shift += duration.duration }
        }
    }

    /// Runs something in which the time of day stands still.
    func standing<Found>(_ body: () async throws -> Found) async rethrows -> Found {
        stand()
        defer { goOn() }
        return try await body()
    }

    private func stand() {
        state.withLock { state in
            state.holders += 1
            // Answers that follow each other have different times, as they have on a machine of any speed.
            state.stands = (state.stands ?? .now + state.offset) + .milliseconds(1)
        }
    }

    private func goOn() {
        state.withLock { state in
            state.holders -= 1
            guard state.holders == 0, let now = state.stands else { return }
            state.offset = now.since(.now)
            state.stands = nil
        }
    }

    // MARK: Waits

    /// Lets no wait end that would take longer than a limit from now on.
    ///
    /// What passes until they are released does not count.
    func holdWaits(after limit: Duration = .zero) { stopWaits(after: limit) }

    /// Lets waits go on.
    func releaseWaits() { stopWaits(after: nil) }

    private func stopWaits(after limit: Duration?) {
        state.withLock { state in
            let now = uptime(state)
            state.shift = now - start.duration(to: .now)
            state.end = limit.map { now + $0 }
        }
    }

    /// How long the waits were that have begun.
    var waits: [Duration] { state.withLock(\.waits) }

    /// The time by which waits are measured.
    fileprivate var uptime: Duration { state.withLock { uptime($0) } }

    private func uptime(_ state: State) -> Duration {
        let passed = start.duration(to: .now) + state.shift
        return state.end.map { min(passed, $0) } ?? passed
    }

    fileprivate func noteWait(of duration: Duration) { state.withLock { $0.waits.append(duration) } }

    var source: TimeSource { TimeSource(HeldClock(time: self)) { self.now } }
}

/// The clock of waits, which may jump and stand still.
private struct HeldClock: Clock {
    struct Instant: InstantProtocol {
        var uptime: Duration

        func advanced(by duration: Duration) -> Instant { Instant(uptime: uptime + duration) }
        func duration(to other: Instant) -> Duration { other.uptime - uptime }
        static func < (one: Instant, other: Instant) -> Bool { one.uptime < other.uptime }
    }

    let time: ShiftedTime

    var now: Instant { Instant(uptime: time.uptime) }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        time.noteWait(of: now.duration(to: deadline))
        // While they are held up, those who wait end with their tasks.
        while case let left = now.duration(to: deadline), left > .zero {
            try await Task.sleep(for: min(left, .milliseconds(20)))
        }
        try Task.checkCancellation()
    }
}
#endif
