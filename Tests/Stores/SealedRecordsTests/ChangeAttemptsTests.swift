import EntitlementValues
import SealedRecords
import Synchronization
import TVETesting
import Testing

struct ChangeAttemptsTests {
    @Test(arguments: [Duration.milliseconds(200), .seconds(1), .seconds(5)])
    func `Slow attempts end after a time that a request can bear, and there are some at least`(
        attempt: Duration
    ) async throws {
        let clock = ElapsingClock()
        var attempts = ChangeAttempts(by: TimeSource(clock) { Timestamp(milliseconds: 1_768_498_200_000) })
        repeat {
            try await clock.sleep(until: clock.now.advanced(by: attempt), tolerance: nil)
        } while try await attempts.goOn()
        #expect(attempts.count >= ChangeAttempts.fewest)
        // Each of the fewest may come after the limit, with a pause of a second.
        let end = ChangeAttempts.limit + (attempt + .seconds(1)) * ChangeAttempts.fewest + attempt
        #expect(clock.now.uptime <= end)
    }
}

/// A clock of which a wait of any length takes no time.
private final class ElapsingClock: Clock {
    private let latest = Mutex(SkippingClock.Instant())

    var now: SkippingClock.Instant { latest.withLock { $0 } }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: SkippingClock.Instant, tolerance: Duration?) async throws {
        latest.withLock { $0 = max($0, deadline) }
    }
}
