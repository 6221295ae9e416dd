package import EntitlementValues

/// How long a change is tried that others come before.
package enum ChangeLimit: Sendable {
    /// As long as a request can wait, with pauses that grow: see ``ChangeAttempts``.
    case patient
    /// So often, without pauses.
    case atMost(Int)
}

/// Counts and paces the attempts to change a record that others may change at the same time.
///
/// Each attempt is a pass of `repeat { … } while try await attempts.goOn()`; after the loop all were lost.
package struct ChangeAttempts: Sendable {
    /// How many attempts there are at least, unless they take longer than ``limit``.
    package static let minimum = 40
    /// How many attempts there are at least, however long they take.
    package static let fewest = 8
    /// How long it is tried at least: fast attempts may all be lost within a moment in which others change the record, too.
    package static let patience: Duration = .seconds(10)
    /// How long slow attempts go on: a request waits for them.
    package static let limit: Duration = .seconds(60)

    private let time: TimeSource
    private let trying: ChangeLimit
    private let first: Duration
    private var start: Duration
    /// How many attempts there were, with the one that is under way.
    package private(set) var count = 1

    /// Begins the first attempt; attempts end, and wait, by `time`.
    package init(by time: TimeSource, trying: ChangeLimit = .patient) {
        (self.time, self.trying) = (time, trying)
        first = time.uptime
        start = first
    }

    /// Begins another attempt after one that was lost, if there is to be one; returns whether there is.
    ///
    /// It waits for a random time before: of those who meet, few meet again. That time grows from the one that an
    /// attempt took to 32 times as much, so that it fits slow stores and fast ones, as long as there is time.
    package mutating func goOn() async throws(CancellationError) -> Bool {
        if case .atMost(let most) = trying {
            guard count < most else { return false }
            count += 1
            return true
        }
        let now = time.uptime
        let (passed, left) = (now - first, first + Self.limit - now)
        guard count < Self.fewest || passed < Self.patience || count < Self.minimum && left > .zero else {
            return false
        }
        let wanted = min(max(now - start, .milliseconds(1)), .seconds(1)) * (1 << min(count - 1, 5))
        let longest = min(wanted, max(left, .seconds(1)))
        try await time.sleep(untilUptime: now + longest * Double.random(in: 0...1))
        count += 1
        start = time.uptime
        return true
    }
}
