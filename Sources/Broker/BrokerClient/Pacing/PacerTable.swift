#if Client
/// The counts of many client addresses, in bounded memory.
///
/// If it is full, an address that was not used for some time makes room for a new one: a hand goes round, takes the mark
/// of use off those that have it, and stops at the first that has none. Addresses for which requests wait stay.
struct PacerTable: Sendable {
    /// The answer to a request.
    enum Answer: Sendable {
        case granted
        case skipped(Duration)
        case tooLate(Duration)
        /// Look again at an uptime.
        case wait(UInt64, until: Duration)
    }

    private struct Slot: Sendable {
        let key: Int
        var bucket: PacerBucket
        var wasUsed = false
    }

    private let capacity: Int
    private var slots: [Slot] = []
    private var places: [Int: Int] = [:]
    private var hand = 0
    private var forgotten = ForgottenAddresses()
    /// The count of requests without an address; it is never forgotten.
    private var shared: PacerBucket?
    private var lastTicket: UInt64 = 0

    init(capacity: Int) { self.capacity = max(1, capacity) }

    /// How many addresses are remembered.
    var count: Int { slots.count }

    /// How many bytes there is room for, without the queues of requests that wait.
    var byteCount: Int {
        slots.capacity * MemoryLayout<Slot>.stride + places.capacity * MemoryLayout<(Int, Int)>.stride
            + forgotten.byteCount
    }

    /// Asks for a turn: the request may be sent, or is told when to look again.
    ///
    /// `key` is the hash of the client's address; `nil` for the server's own requests. `deadline` is the uptime by
    /// which the request has to be sent.
    mutating func ask(
        _ key: Int?,
        _ priority: RequestPriority,
        before deadline: Duration,
        at now: Duration
    ) -> Answer {
        lastTicket &+= 1
        let ticket = lastTicket
        return withBucket(key, at: now) { bucket in
            if bucket.take(at: now, priority) { return .granted }
            let turn = bucket.turn(of: nil, at: now)
            if priority == .polling { return .skipped(turn - now) }
            guard turn < deadline else { return .tooLate(turn - now) }
            bucket.join(ticket)
            return .wait(ticket, until: bucket.nextLook(at: now))
        }
    }

    /// Asks again after a wait: the request may be sent, or is told when to look again.
    ///
    /// `key` is the hash of the client's address; `nil` for the server's own requests. `deadline` is the uptime by
    /// which the request has to be sent.
    mutating func askAgain(_ ticket: UInt64, _ key: Int?, before deadline: Duration, at now: Duration) -> Answer {
        withBucket(key, at: now) { bucket in
            if bucket.take(ticket, at: now) { return .granted }
            let turn = bucket.turn(of: ticket, at: now)
            guard turn < deadline else {
                bucket.leave(ticket)
                return .tooLate(turn - now)
            }
            return .wait(ticket, until: bucket.nextLook(at: now))
        }
    }

    /// Gives a turn back that was waited for.
    ///
    /// `key` is the hash of the client's address; `nil` for the server's own requests.
    mutating func leave(_ ticket: UInt64, _ key: Int?) {
        guard let key else { return shared?.leave(ticket) ?? () }
        if let place = places[key] { slots[place].bucket.leave(ticket) }
    }

    /// Counts what others must have sent for an address.
    ///
    /// `key` is the hash of the client's address; `nil` for the server's own requests.
    mutating func exhaust(_ key: Int?, at now: Duration) {
        withBucket(key, at: now) { $0.exhaust(at: now) }
    }

    private mutating func withBucket<Result>(
        _ key: Int?,
        at now: Duration,
        _ body: (inout PacerBucket) -> Result
    ) -> Result {
        guard let key else {
            var bucket = shared ?? PacerBucket(at: now, hasAdvance: true)
            defer { shared = bucket }
            return body(&bucket)
        }
        let place = places[key] ?? add(key, at: now)
        slots[place].wasUsed = true
        return body(&slots[place].bucket)
    }

    private mutating func add(_ key: Int, at now: Duration) -> Int {
        let slot = Slot(key: key, bucket: PacerBucket(at: now, hasAdvance: !forgotten.contains(key)))
        guard slots.count >= capacity, let place = free() else {
            slots.append(slot)
            places[key] = slots.count - 1
            return slots.count - 1
        }
        forgotten.insert(slots[place].key)
        places[slots[place].key] = nil
        slots[place] = slot
        places[key] = place
        return place
    }

    /// The place of an address that may be forgotten; `nil` if requests wait for each of them.
    private mutating func free() -> Int? {
        for _ in 0..<2 * slots.count {
            let place = hand
            hand = (hand + 1) % slots.count
            guard slots[place].bucket.queue.isEmpty else { continue }
            guard slots[place].wasUsed else { return place }
            slots[place].wasUsed = false
        }
        return nil
    }
}

/// Remembers in 2 MiB that client addresses have been there: a Bloom filter in two generations.
///
/// It says of one in about forty new addresses that they have been there, which costs them their advance only. Once a
/// million addresses are in the younger generation, the older one is dropped, so that the filter never fills up.
package struct ForgottenAddresses: Sendable {
    private static let words = 1 << 17
    private static let probes = 4
    private static let generationCapacity = 1 << 20

    private var younger: [UInt64] = []
    private var older: [UInt64] = []
    private var count = 0

    package init() {}

    /// How many bytes there is room for.
    package var byteCount: Int { (younger.capacity + older.capacity) * MemoryLayout<UInt64>.stride }

    /// Remembers an address, by its hash.
    package mutating func insert(_ key: Int) {
        if count == Self.generationCapacity { (older, younger, count) = (younger, [], 0) }
        // Most processes never forget an address, and need no memory for it.
        if younger.isEmpty { younger = [UInt64](repeating: 0, count: Self.words) }
        for bit in Self.bits(of: key) { younger[bit >> 6] |= 1 << UInt64(bit & 63) }
        count += 1
    }

    /// Whether an address has been there, by its hash.
    ///
    /// Sometimes `true` for one that has not; never `false` for one of the last million.
    package func contains(_ key: Int) -> Bool {
        [younger, older].contains { words in
            !words.isEmpty && Self.bits(of: key).allSatisfy { words[$0 >> 6] & 1 << UInt64($0 & 63) != 0 }
        }
    }

    /// The places of a key: double hashing with the halves of its hash.
    private static func bits(of key: Int) -> [Int] {
        let hash = UInt64(bitPattern: Int64(key))
        let (first, step) = (hash & 0xFFFF_FFFF, hash >> 32 | 1)
        return (0..<UInt64(probes)).map { Int((first + $0 * step) % UInt64(words * 64)) }
    }
}
#endif
