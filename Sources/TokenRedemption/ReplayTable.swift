import EntitlementValues
import OpenSSLBridge

/// Holds redemptions in one stretch of memory, 40 bytes each, found by linear probing.
///
/// Nothing is ever removed singly. When the table is crowded it is made anew from the redemptions that still count, in the size
/// that these need: growing, shrinking and dropping are one operation, and its cost is spread over the redemptions between.
///
/// Places follow from the IDs directly. Those are digests of signed texts, so nobody without the issuer's key can make many
/// that fall together.
struct ReplayTable: Sendable {
    /// What is known of an ID.
    enum Answer {
        case first, seen, full
        case forgotten(through: Timestamp)
    }

    /// A redemption, or an empty place.
    struct Entry: Sendable {
        let digest: (UInt64, UInt64, UInt64, UInt64)
        /// The end of the redemption by the verification's clock.
        let until: Seconds
        /// The end of the redemption by the store's clock, too; 0 marks an empty place.
        let end: Seconds

        static let empty = Entry(digest: (0, 0, 0, 0), until: Seconds(0), end: Seconds(0))
    }

    private var places: [Entry] = []
    private var count = 0
    /// The first end of all redemptions that are held.
    private var firstEnd = Seconds.last
    /// The last `until` of all redemptions that were dropped.
    private var forgottenThrough: Seconds?

    /// Whether the next redemption needs a table made anew: at four fifths, searching gets slow.
    var isCrowded: Bool { (count + 1) * 5 > places.count * 4 }

    /// Where a redemption is, or else the empty place where it belongs; in a table without places, 0.
    func place(for redemption: Entry) -> (index: Int, isTaken: Bool) {
        guard !places.isEmpty else { return (0, false) }
        // The words are evenly spread, so their upper half scales to any size; the first one chose the shard.
        var index = Int(redemption.digest.1.multipliedFullWidth(by: UInt64(places.count)).high)
        while places[index].end != Seconds(0) {
            if places[index].digest == redemption.digest { return (index, true) }
            index += 1
            if index == places.count { index = 0 }
        }
        return (index, false)
    }

    /// How far back redemptions were dropped, where this one may have been among them.
    func mayHaveForgotten(_ redemption: Entry) -> Timestamp? {
        guard let forgottenThrough, redemption.until <= forgottenThrough else { return nil }
        return forgottenThrough.timestamp
    }

    /// Adds a redemption that is not there yet, in a table that is not crowded, at its place.
    mutating func insert(_ redemption: Entry, at index: Int) {
        places[index] = redemption
        count += 1
        firstEnd = min(firstEnd, redemption.end)
    }

    /// Whether the table holds redemptions that are over.
    func hasOver(_ time: Timestamp) -> Bool { firstEnd.isOver(time) }

    /// Makes the table anew without the redemptions that are over, three fifths full; returns how many those were.
    mutating func renew(_ time: Timestamp) -> Int {
        let old = places
        let oldCount = count
        let live = hasOver(time) ? old.count { $0.end != Seconds(0) && !$0.end.isOver(time) } : count
        places = Array(repeating: .empty, count: max(16, live * 5 / 3))
        count = 0
        firstEnd = .last
        for redemption in old where redemption.end != Seconds(0) {
            if redemption.end.isOver(time) {
                forgottenThrough = max(forgottenThrough ?? redemption.until, redemption.until)
            } else {
                insert(redemption, at: place(for: redemption).index)
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
/// Rounding up forgets later, and refuses sooner what may be forgotten.
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

    func isOver(_ time: Timestamp) -> Bool { self != .last && timestamp < time }

    static func < (one: Seconds, other: Seconds) -> Bool { one.value < other.value }
}
