public import EntitlementValues
import Synchronization

/// Remembers used tokens in the memory of this process.
///
/// For a service of one process, and for tests. What it knows ends with the process, so a token used before a restart can
/// be used again after it, and two processes do not know of each other; for those there are `SQLiteStores` and
/// `RedisStores`.
///
/// It never drops a redemption that may still matter to make room: where all places are taken it throws `.full`, and the
/// verification ends in `.storeUnavailable`. About 60 bytes are used for each redemption, from the first redemption on, not in
/// advance. A redemption takes less than a microsecond, now and then a fraction of a millisecond to drop old redemptions.
public final class InMemoryReplayStore: ReplayStore {
    /// How many redemptions it holds at most.
    public let capacity: Int

    private let shards: [Shard]
    private let held = Atomic(0)
    /// The second in which room was last looked for in vain.
    private let secondWithoutRoom = Atomic(Int64.min)
    private let clock: @Sendable () -> Timestamp

    /// Makes an empty store.
    ///
    /// - Parameters:
    ///   - capacity: How many redemptions it holds at most. Each is held for the token's remaining time and 15 minutes: with a
    ///     thousand new sessions a second and tokens of 7 minutes, about 1.4 million.
    ///   - clock: What time it is, to drop redemptions that are over.
    public init(capacity: Int = 1_000_000, clock: @escaping @Sendable () -> Timestamp = { .now }) {
        self.capacity = capacity
        self.clock = clock
        // Tables small enough that one of them is renewed in a fraction of a millisecond.
        var count = 16
        while count < 16_384, count * 4096 < capacity { count *= 2 }
        shards = (0..<count).map { _ in Shard() }
    }

    /// How many redemptions it holds, those included that are over and not dropped yet.
    public var count: Int { held.load(ordering: .relaxed) }

    /// Redeems an ID: of all callers, one is the first.
    ///
    /// - Throws: `.full` where there is no room, `.forgotten` where the redemption may be one that was dropped.
    public func redeem(
        _ id: ReplayID,
        until expiry: Timestamp,
        at now: Timestamp
    ) throws(ReplayStoreError) -> Redemption {
        let time = clock()
        let redemption = ReplayTable.Entry(id, until: expiry, at: now, clock: time)
        let home = Int(redemption.digest.0 % UInt64(shards.count))
        while true {
            switch shards[home].redeem(redemption, time, held, capacity) {
            case .first: return .first
            case .seen: return .seen
            case .forgotten(let through): throw .forgotten(until: expiry, forgottenThrough: through)
            case .full: guard makeRoom(from: home, time) else { throw .full(capacity: capacity) }
            }
        }
    }

    /// Drops redemptions that are over, where there are any; one table is enough.
    ///
    /// Looked for once a second, the resolution of ends: a flood is refused at once.
    private func makeRoom(from home: Int, _ time: Timestamp) -> Bool {
        let second = time.milliseconds / 1000
        guard secondWithoutRoom.load(ordering: .relaxed) != second else { return false }
        for offset in shards.indices {
            let dropped = shards[(home + offset) % shards.count].dropOver(time)
            if dropped > 0 {
                held.subtract(dropped, ordering: .relaxed)
                return true
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
        _ redemption: ReplayTable.Entry,
        _ time: Timestamp,
        _ held: borrowing Atomic<Int>,
        _ capacity: Int
    ) -> ReplayTable.Answer {
        table.withLock { table in
            var place = table.place(for: redemption)
            if place.isTaken { return .seen }
            if let through = table.mayHaveForgotten(redemption) { return .forgotten(through: through) }
            if table.isCrowded {
                held.subtract(table.renew(time), ordering: .relaxed)
                place = table.place(for: redemption)
            }
            guard held.add(1, ordering: .relaxed).newValue <= capacity else {
                held.subtract(1, ordering: .relaxed)
                return .full
            }
            table.insert(redemption, at: place.index)
            return .first
        }
    }

    func dropOver(_ time: Timestamp) -> Int {
        table.withLock { $0.hasOver(time) ? $0.renew(time) : 0 }
    }
}
