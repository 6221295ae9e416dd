import EntitlementValues
import OpenSSLBridge

/// A hash table of redemptions in one piece of memory: 40 bytes each, found by linear probing.
///
/// Entries are never removed one by one. A crowded table is rebuilt from the entries that still count, in the size that
/// these need. So growing, shrinking and dropping are one operation, and its cost is spread over the redemptions
/// between.
///
/// The place of an entry follows from its ID alone. IDs are digests of signed texts, so a client without the issuer's
/// key cannot make many that collide.
struct ReplayTable: Sendable {
    /// What is known of an ID.
    enum Answer {
        case first, seen, full
        case forgotten(through: Timestamp)
    }

    /// A redemption, or an empty place.
    struct Entry: Sendable {
        let digest: (UInt64, UInt64, UInt64, UInt64)
        /// The end by the clock of the verification.
        let until: Seconds
        /// The end that both clocks agree has passed, by the sure time of the store; 0 marks an empty place.
        let end: Seconds

        static let empty = Entry(digest: (0, 0, 0, 0), until: Seconds(0), end: Seconds(0))
    }

    private var places: [Entry] = []
    private var count = 0
    /// The first end of all entries.
    private var firstEnd = Seconds.last
    /// The last `until` of all entries that were dropped.
    private var forgottenThrough: Seconds?

    /// Whether the table must be rebuilt before the next insertion: above four fifths, searching gets slow.
    var isCrowded: Bool { (count + 1) * 5 > places.count * 4 }

    /// Finds the place of an entry, or else the empty place where it belongs; 0 in a table without places.
    func place(for entry: Entry) -> (index: Int, isTaken: Bool) {
        guard !places.isEmpty else { return (0, false) }
        // The words are evenly spread, so the upper half of the product scales to any size; the first word chose the
        // shard.
        var index = Int(entry.digest.1.multipliedFullWidth(by: UInt64(places.count)).high)
        while places[index].end != Seconds(0) {
            if places[index].digest == entry.digest { return (index, true) }
            index += 1
            if index == places.count { index = 0 }
        }
        return (index, false)
    }

    /// The latest `until` that was dropped, if this entry may have been among the dropped ones; otherwise `nil`.
    func mayHaveForgotten(_ entry: Entry) -> Timestamp? {
        guard let forgottenThrough, entry.until <= forgottenThrough else { return nil }
        return forgottenThrough.timestamp
    }

    /// Inserts a new entry at the place that `place(for:)` found, in a table that is not crowded.
    mutating func insert(_ entry: Entry, at index: Int) {
        places[index] = entry
        count += 1
        firstEnd = min(firstEnd, entry.end)
    }

    /// Whether the table holds expired entries.
    func hasExpired(at time: Timestamp) -> Bool { firstEnd.isExpired(at: time) }

    /// Rebuilds the table, three fifths full, and tells how many expired entries it dropped.
    mutating func rebuild(at time: Timestamp) -> Int {
        let old = places
        let oldCount = count
        let live = hasExpired(at: time) ? old.count { $0.end != Seconds(0) && !$0.end.isExpired(at: time) } : count
        places = Array(repeating: .empty, count: max(16, live * 5 / 3))
        count = 0
        firstEnd = .last
        for entry in old where entry.end != Seconds(0) {
            if entry.end.isExpired(at: time) {
                forgottenThrough = max(forgottenThrough ?? entry.until, entry.until)
            } else {
                insert(entry, at: place(for: entry).index)
            }
        }
        return oldCount - count
    }
}

extension ReplayTable.Entry {
    init(_ id: ReplayID, until expiry: Timestamp, at now: Timestamp, clock: Timestamp) {
        digest = id.digest.words
        until = Seconds(roundingUp: expiry)
        end = max(Seconds(roundingUp: RedemptionLifetime.end(until: expiry, at: now, clock: clock)), Seconds(1))
    }
}

/// An instant in whole seconds since the Unix epoch, up to the year 2106: later ones count as never, earlier ones as 0.
///
/// Rounding up is the safe side: an entry is forgotten later, and an ID that may be forgotten is refused sooner.
struct Seconds: Sendable, Hashable, Comparable {
    let value: UInt32

    static let last = Seconds(.max)

    init(_ value: UInt32) {
        self.value = value
    }

    init(roundingUp instant: Timestamp) {
        let whole = instant.milliseconds / 1000
        value = UInt32(clamping: instant.milliseconds % 1000 > 0 ? whole + 1 : whole)
    }

    var timestamp: Timestamp { Timestamp(milliseconds: Int64(value) * 1000) }

    func isExpired(at time: Timestamp) -> Bool { self != .last && timestamp < time }

    static func < (one: Seconds, other: Seconds) -> Bool { one.value < other.value }
}
