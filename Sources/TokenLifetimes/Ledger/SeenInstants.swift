import EntitlementValues

/// Remembers which instants a ledger saw, as far as it matters: for each recording, the latest one since.
///
/// A clock that goes forward leaves one level. Each step back opens another, and reaching a level closes it.
struct SeenInstants: Sendable {
    private struct Level {
        var instant: Timestamp
        /// The last recording before this instant was seen.
        var serial: UInt64
    }

    /// From the latest instant down, and from the first seen on.
    private var levels: [Level] = []

    /// Takes note of an instant, by which every recording so far is measured.
    mutating func see(_ now: Timestamp, after serial: UInt64) {
        while let last = levels.last, last.instant <= now { levels.removeLast() }
        if levels.count < Self.most {
            levels.append(Level(instant: now, serial: serial))
        } else {
            // A clock that does nothing but go back: from here on, the level above counts.
            levels[levels.count - 1].serial = serial
        }
    }

    /// The latest instant that was seen since a recording; `nil` where none was.
    func latest(since serial: UInt64) -> Timestamp? {
        levels.first { $0.serial >= serial }?.instant
    }

    private static let most = 64
}
