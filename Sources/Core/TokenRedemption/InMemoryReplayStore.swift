public import EntitlementValues
import OpenSSLBridge
import Synchronization

/// Remembers redeemed tokens in the memory of this process.
///
/// It is meant for a service of one process, and for tests. When the process ends, everything is forgotten: a token
/// that was used before a restart can be used again after it. Two processes do not share what they know; for them there
/// are `SQLiteStores` and `RedisStores`.
///
/// The store never makes room by dropping a redemption that may still matter. If it is full it throws `.full`, and the
/// verification ends in `.storeUnavailable`. A redemption takes about 60 bytes; memory grows with their number. It
/// takes less than a microsecond, and now and then a fraction of a millisecond to drop expired ones. A clock that leaps
/// ahead has nothing dropped at once, so that nothing is refused after it has leapt back, unless the store is full.
public final class InMemoryReplayStore: ReplayStore, ProbedReplayStore {
    /// The maximum number of redemptions.
    public let capacity: Int

    private let shards: [Shard]
    private let held = Atomic(0)
    /// The second in which no room was found last.
    private let secondWithoutRoom = Atomic(Int64.min)
    private let clock: StoreClock
    private let time: TimeSource

    /// Makes an empty store.
    ///
    /// - Parameters:
    ///   - capacity: The maximum number of redemptions. Each is held for the token's remaining time and 15 minutes:
    ///     with a thousand new sessions a second and tokens of 7 minutes, that is about 1.4 million.
    ///   - time: Says which redemptions have expired and can be dropped.
    public init(capacity: Int = 1_000_000, time: TimeSource = .system) {
        self.capacity = capacity
        self.time = time
        clock = StoreClock(time)
        // Tables small enough that rebuilding one takes a fraction of a millisecond.
        var count = 16
        while count < 16_384, count * 4096 < capacity { count *= 2 }
        shards = (0..<count).map { _ in Shard() }
    }

    /// The number of redemptions, including those that have expired and are not dropped yet.
    public var count: Int { held.load(ordering: .relaxed) }

    /// Redeems an ID: of all callers, one is the first.
    ///
    /// - Parameters:
    ///   - id: The ID of the token.
    ///   - expiry: The instant until which the redemption must be remembered at least.
    ///   - now: The instant of the redemption, by the clock of the verification.
    /// - Returns: Whether this was the first redemption of the ID.
    /// - Throws: `.full` if nothing more fits in, `.forgotten` if the redemption may be one that was dropped.
    public func redeem(
        _ id: ReplayID,
        until expiry: Timestamp,
        at now: Timestamp
    ) throws(ReplayStoreError) -> Redemption {
        let time = clock.read()
        let entry = ReplayTable.Entry(id, until: expiry, at: now, clock: time.wall)
        let home = Int(entry.digest.0 % UInt64(shards.count))
        while true {
            switch shards[home].redeem(entry, at: time.sure, held: held, capacity: capacity) {
            case .first: return .first
            case .seen: return .seen
            case .forgotten(let through): throw .forgotten(until: expiry, forgottenThrough: through)
            case .full: guard makeRoom(from: home, at: time) else { throw .full(capacity: capacity) }
            }
        }
    }

    /// Finds out whether there is room, or would be after expired redemptions are dropped; throws `.full` if there is
    /// none.
    package func probe() throws(ReplayStoreError) {
        let time = time.now
        guard count < capacity || shards.contains(where: { $0.hasExpired(at: time) }) else {
            throw .full(capacity: capacity)
        }
    }

    /// Drops the expired redemptions of one table that has some, and tells whether there is room now.
    ///
    /// Those that have expired by the time of day alone go last: if it is wrong, tokens are refused later on, and
    /// without room they are refused now. Searches at most once a second, since ends are whole seconds: in a flood,
    /// redemptions are refused at once.
    private func makeRoom(from home: Int, at time: StoreClock.Reading) -> Bool {
        let second = time.wall.milliseconds / 1000
        guard secondWithoutRoom.load(ordering: .relaxed) != second else { return false }
        for instant in [time.sure, time.wall] {
            for offset in shards.indices {
                let dropped = shards[(home + offset) % shards.count].dropExpired(at: instant)
                if dropped > 0 {
                    held.subtract(dropped, ordering: .relaxed)
                    return true
                }
            }
        }
        secondWithoutRoom.store(second, ordering: .relaxed)
        return false
    }
}

/// One part of the store, with a lock of its own.
private final class Shard: Sendable {
    private let table = Mutex(ReplayTable())

    func redeem(
        _ entry: ReplayTable.Entry,
        at time: Timestamp,
        held: borrowing Atomic<Int>,
        capacity: Int
    ) -> ReplayTable.Answer {
        table.withLock { table in
            var place = table.place(for: entry)
            if place.isTaken { return .seen }
            if let through = table.mayHaveForgotten(entry) { return .forgotten(through: through) }
            if table.isCrowded {
                held.subtract(table.rebuild(at: time), ordering: .relaxed)
                place = table.place(for: entry)
            }
            guard held.add(1, ordering: .relaxed).newValue <= capacity else {
                held.subtract(1, ordering: .relaxed)
                return .full
            }
            table.insert(entry, at: place.index)
            return .first
        }
    }

    func hasExpired(at time: Timestamp) -> Bool { table.withLock { $0.hasExpired(at: time) } }

    func dropExpired(at time: Timestamp) -> Int {
        table.withLock { $0.hasExpired(at: time) ? $0.rebuild(at: time) : 0 }
    }
}

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
