#if Service
import EntitlementValues
import Synchronization

/// Slows failures down, all of them together: after a few, ten a second are answered, of all clients.
///
/// Those who are right are never kept waiting by it, unless so many failures wait that no more are taken.
final class FailureBrake: Sendable {
    /// How many failures are answered at once after a quiet time.
    private static let burst = 10
    private static let interval: Duration = .milliseconds(100)
    /// How long a failure may wait: further requests are not looked at before.
    private static let longestWait: Duration = .seconds(5)

    private let time: TimeSource
    /// When the last failure is answered, as uptime.
    private let last = Mutex<Duration?>(nil)

    init(time: TimeSource) { self.time = time }

    /// Whether another request may fail.
    var hasRoom: Bool {
        let now = time.uptime
        return last.withLock { ($0 ?? now) - now < Self.longestWait }
    }

    /// Waits for the turn of a failure; throws `CancellationError` if the request is over before.
    func wait() async throws {
        let now = time.uptime
        let turn = last.withLock { last in
            let quiet = now - Self.interval * Self.burst
            let turn = max(last ?? quiet, quiet) + Self.interval
            last = turn
            return turn
        }
        if turn > now { try await time.sleep(untilUptime: turn) }
    }
}
#endif
