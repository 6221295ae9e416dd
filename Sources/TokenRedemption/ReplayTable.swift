import EntitlementValues
import OpenSSLBridge

/// Holds claims in one stretch of memory, 40 bytes each, found by linear probing.
///
/// Nothing is ever removed singly. When the table is crowded it is made anew from the claims that still count, in the size
/// that these need: growing, shrinking and dropping are one operation, and its cost is spread over the claims between.
///
/// Places follow from the IDs directly. Those are digests of signed texts, so nobody without the issuer's key can make many
/// that fall together.
struct ReplayTable: Sendable {
    /// What is known of an ID.
    enum Answer {
        case first, seen, full
        case forgotten(through: Timestamp)
    }

    /// A claim, or an empty place.
    struct Entry: Sendable {
        let digest: (UInt64, UInt64, UInt64, UInt64)
        /// The end of the claim by the verification's clock.
        let until: Seconds
        /// The end of the claim by the store's clock, too; 0 marks an empty place.
        let end: Seconds

        static let empty = Entry(digest: (0, 0, 0, 0), until: Seconds(0), end: Seconds(0))
    }

    private var places: [Entry] = []
    private var count = 0
    /// The first end of all claims that are held.
    private var firstEnd = Seconds.last
    /// The last `until` of all claims that were dropped.
    private var forgottenThrough: Seconds?

    /// Whether the next claim needs a table made anew: at four fifths, searching gets slow.
    var isCrowded: Bool { (count + 1) * 5 > places.count * 4 }

    /// Where a claim is, or else the empty place where it belongs; in a table without places, 0.
    func place(for claim: Entry) -> (index: Int, isTaken: Bool) {
        guard !places.isEmpty else { return (0, false) }
        // The words are evenly spread, so their upper half scales to any size; the first one chose the shard.
        var index = Int(claim.digest.1.multipliedFullWidth(by: UInt64(places.count)).high)
        while places[index].end != Seconds(0) {
            if places[index].digest == claim.digest { return (index, true) }
            index += 1
            if index == places.count { index = 0 }
        }
        return (index, false)
    }

    /// How far back claims were dropped, where this one may have been among them.
    func mayHaveForgotten(_ claim: Entry) -> Timestamp? {
        guard let forgottenThrough, claim.until <= forgottenThrough else { return nil }
        return forgottenThrough.timestamp
    }

    /// Adds a claim that is not there yet, in a table that is not crowded, at its place.
    mutating func insert(_ claim: Entry, at index: Int) {
        places[index] = claim
        count += 1
        firstEnd = min(firstEnd, claim.end)
    }

    /// Whether the table holds claims that are over.
    func hasOver(_ time: Timestamp) -> Bool { firstEnd.isOver(time) }

    /// Makes the table anew without the claims that are over, three fifths full; returns how many those were.
    mutating func renew(_ time: Timestamp) -> Int {
        let old = places
        let oldCount = count
        let live = hasOver(time) ? old.count { $0.end != Seconds(0) && !$0.end.isOver(time) } : count
        places = Array(repeating: .empty, count: max(16, live * 5 / 3))
        count = 0
        firstEnd = .last
        for claim in old where claim.end != Seconds(0) {
            if claim.end.isOver(time) {
                forgottenThrough = max(forgottenThrough ?? claim.until, claim.until)
            } else {
                insert(claim, at: place(for: claim).index)
            }
        }
        return oldCount - count
    }
}

extension ReplayTable.Entry {
    init(_ id: ReplayID, until expiry: Timestamp, at now: Timestamp, clock: Timestamp) {
        digest = id.digest.words
        until = Seconds(roundingUp: expiry)
        end = max(Seconds(roundingUp: ClaimLifetime.end(until: expiry, at: now, clock: clock)), Seconds(1))
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
