import EntitlementValues
import Foundation
import Synchronization
import TestVectors
import TVETesting
import Testing
import TokenRedemption

@Suite struct InMemoryReplayStoreTests {
    static let now = RedeemingTests.now
    static let end = now + .minutes(22)

    @Test func `An ID prints its bytes`() throws {
        let digest: [UInt8] = (0..<32).map { $0 * 7 }
        let parsed = ReplayID(digest: digest.span)
        let id = try #require(parsed)
        #expect(id.bytes == digest)
        #expect(ReplayID(digest: digest) == id)
        #expect(id.description == "00070e151c232a31383f464d545b626970777e858c939aa1a8afb6bdc4cbd2d9")
        for count in [0, 31, 33] {
            let other = [UInt8](repeating: 1, count: count)
            let none = ReplayID(digest: other.span)
            #expect(none == nil)
            #expect(ReplayID(digest: other) == nil)
        }
    }

    @Test func `An ID is read from its digits`() throws {
        let digits = "00070e151c232a31383f464d545b626970777e858c939aa1a8afb6bdc4cbd2d9"
        let id = try #require(ReplayID(hexadecimal: digits))
        #expect(id.description == digits)
        #expect(ReplayID(hexadecimal: digits.uppercased()) == id)
    }

    @Test(arguments: [
        "", "00", String(repeating: "0", count: 63), String(repeating: "0", count: 65),
        String(repeating: "g", count: 64), " " + String(repeating: "0", count: 63),
        String(repeating: "0", count: 64) + "\n", String(repeating: "\u{FF10}", count: 64),
    ])
    func `Other texts are no IDs`(_ text: String) {
        #expect(ReplayID(hexadecimal: text) == nil)
    }

    /// A probe fails as a redemption would, and takes no place of one.
    @Test func `A probe says whether the store redeems`() throws {
        let time = ManualTime(at: Self.now)
        let store = InMemoryReplayStore(capacity: 2, time: time.source)
        for number in 0..<2 {
            try store.probe()
            #expect(try store.redeem(.numbered(number), until: Self.end, at: Self.now) == .first)
        }
        #expect(throws: ReplayStoreError.full(capacity: 2)) { try store.probe() }
        // Now there would be room for a redemption.
        time.advance(by: .hours(1))
        try store.probe()
        #expect(store.count == 2)
    }

    /// Otherwise tokens that are good again after the leap would be refused as forgotten.
    @Test(arguments: [2, 4])
    func `Probes of a clock that leaps forget nothing`(_ capacity: Int) throws {
        let time = ManualTime(at: Self.now)
        let store = InMemoryReplayStore(capacity: capacity, time: time.source)
        let end = Self.now + .hours(10)
        for number in 0..<2 { #expect(try store.redeem(.numbered(number), until: end, at: Self.now) == .first) }
        time.set(Self.now + .hours(24))
        // For so long that who reads the clock again and again believes it.
        for _ in 0..<36 {
            time.advance(by: .minutes(5))
            try store.probe()
        }
        time.set(time.now - .hours(24))
        for number in 0..<2 { #expect(try store.redeem(.numbered(number), until: end, at: time.now) == .seen) }
        if capacity > 2 { #expect(try store.redeem(.numbered(2), until: end, at: time.now) == .first) }
    }

    @Test func `IDs that differ in one bit differ`() throws {
        let store = InMemoryReplayStore(capacity: 1000, time: .fixed(at: Self.now))
        for bit in 0..<256 {
            var digest = [UInt8](repeating: 0, count: 32)
            digest[bit / 8] = 1 << (bit % 8)
            let parsed = ReplayID(digest: digest.span)
            let id = try #require(parsed)
            #expect(try store.redeem(id, until: Self.end, at: Self.now) == .first)
            #expect(try store.redeem(id, until: Self.end, at: Self.now) == .seen)
        }
    }

    /// Eight threads present the same tokens, each in another order.
    @Test func `Of many threads exactly one is the first`() {
        let tokens = 10_000
        let store = InMemoryReplayStore(capacity: tokens, time: .fixed(at: Self.now))
        let winners = Mutex([Int](repeating: 0, count: tokens))
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            var first: [Int] = []
            for step in 0..<tokens {
                // Odd factors visit every token; half of the threads go the other way round.
                let number = (step * (thread % 2 == 0 ? 1 : tokens - 1) + thread / 2) % tokens
                let answer = try? store.redeem(.numbered(number), until: Self.end, at: Self.now)
                if answer == .first { first.append(number) }
            }
            winners.withLock { winners in for number in first { winners[number] += 1 } }
        }
        #expect(winners.withLock { $0.allSatisfy { $0 == 1 } })
        #expect(store.count == tokens)
    }

    @Test(arguments: [0, 1, 15, 16, 17, 1000, 70_000])
    func `A full store refuses and forgets nothing`(_ capacity: Int) throws {
        let store = InMemoryReplayStore(capacity: capacity, time: .fixed(at: Self.now))
        for number in 0..<capacity {
            #expect(try store.redeem(.numbered(number), until: Self.end, at: Self.now) == .first)
        }
        for number in capacity..<capacity + 100 {
            #expect(throws: ReplayStoreError.full(capacity: capacity)) {
                try store.redeem(.numbered(number), until: Self.end, at: Self.now)
            }
        }
        for number in 0..<capacity {
            #expect(try store.redeem(.numbered(number), until: Self.end, at: Self.now) == .seen)
        }
        #expect(store.count == capacity)
    }

    @Test func `A full store has room when redemptions are over`() throws {
        let time = ManualTime(at: Self.now)
        let store = InMemoryReplayStore(capacity: 5000, time: time.source)
        for round in 0..<5 {
            for number in 0..<5000 {
                let id = ReplayID.numbered(round * 5000 + number)
                #expect(try store.redeem(id, until: time.now + .minutes(1), at: time.now) == .first)
            }
            #expect(throws: ReplayStoreError.self) {
                try store.redeem(.numbered(-1), until: time.now + .minutes(1), at: time.now)
            }
            time.advance(by: .minutes(2))
        }
    }

    @Test func `A clock that goes back an hour between redemption and sweep forgets nothing`() throws {
        let time = ManualTime(at: Self.now)
        let store = InMemoryReplayStore(capacity: 2000, time: time.source)
        try fill(store, 0..<1000, at: time.now)
        time.set(Self.now - .hours(1))
        try fill(store, 1000..<2000, at: time.now)
        time.advance(by: .minutes(21))
        for number in 0..<2000 {
            #expect(try store.redeem(.numbered(number), until: Self.end, at: time.now) == .seen)
        }
    }

    /// Otherwise every first play would be refused until the time has caught up.
    @Test func `A clock that leaps ahead and back has nothing refused`() throws {
        let time = ManualTime(at: Self.now)
        let store = InMemoryReplayStore(capacity: 100_000, time: time.source)
        try fill(store, 0..<1000, at: time.now)
        time.set(Self.now + .hours(24))
        // So many that each table is made anew.
        try fill(store, 1000..<5000, at: time.now)
        time.set(Self.now)
        try fill(store, 5000..<6000, at: time.now)
        for number in 0..<6000 {
            #expect(try store.redeem(.numbered(number), until: Self.end, at: time.now) == .seen)
        }
    }

    /// The store no longer knows what it dropped to make room, but it knows that it may have dropped it.
    @Test func `A clock that jumps ahead and back lets nothing pass twice`() throws {
        let time = ManualTime(at: Self.now)
        let store = InMemoryReplayStore(capacity: 1000, time: time.source)
        try fill(store, 0..<1000, at: time.now)
        time.set(Self.now + .hours(24))
        try fill(store, 1000..<2000, at: time.now)
        time.set(Self.now)
        for number in 0..<1000 {
            let answer = Result { try store.redeem(.numbered(number), until: Self.end, at: time.now) }
            #expect(throws: ReplayStoreError.self) { try answer.get() }
        }
        #expect(throws: ReplayStoreError.forgotten(until: Self.end, forgottenThrough: Self.end)) {
            try store.redeem(.numbered(0), until: Self.end, at: time.now)
        }
        // A token issued after the jump is accepted, once there is room.
        time.advance(by: .hours(25))
        #expect(try store.redeem(.numbered(-1), until: time.now + .minutes(22), at: time.now) == .first)
    }

    /// A batch verifies rows as of long ago, in any order, for hours.
    @Test func `A redemption of an archive is kept however long ago it was`() throws {
        let time = ManualTime(at: Self.now)
        let store = InMemoryReplayStore(capacity: 5000, time: time.source)
        let past = Timestamp(milliseconds: 1_489_678_788_000)
        for number in 0..<1000 {
            let at = past + .hours(Int64(number * 7919 % 1000))
            #expect(try store.redeem(.numbered(number), until: at + .minutes(22), at: at) == .first)
            time.advance(by: .minutes(1))
        }
        for number in (0..<1000).reversed() {
            let at = past + .hours(Int64(number * 7919 % 1000))
            #expect(try store.redeem(.numbered(number), until: at + .minutes(22), at: at + .minutes(3)) == .seen)
        }
    }

    @Test(arguments: [Int64.min, -1, 0, 1, 4_294_967_295_000, 4_294_967_296_000, .max])
    func `Any instant is answered`(_ milliseconds: Int64) throws {
        let instant = Timestamp(milliseconds: milliseconds)
        for clock in [Timestamp(milliseconds: .min), Self.now, Timestamp(milliseconds: .max)] {
            for now in [Timestamp(milliseconds: .min), Self.now, Timestamp(milliseconds: .max)] {
                let store = InMemoryReplayStore(capacity: 10, time: .fixed(at: clock))
                #expect(try store.redeem(.numbered(1), until: instant, at: now) == .first)
                #expect(try store.redeem(.numbered(1), until: instant, at: now) == .seen)
            }
        }
    }

    /// However the clocks jump, and however often there was no room, no ID is the first twice.
    @Test(arguments: 0..<20)
    func `Nothing passes twice whatever the clocks do`(_ seed: Int) {
        var random = Noise(seed: UInt64(seed))
        let time = ManualTime(at: Self.now)
        let store = InMemoryReplayStore(capacity: 200, time: time.source)
        var passed: Set<Int> = []
        var answers: [String: Int] = [:]
        for _ in 0..<10_000 {
            switch random.next() % 1000 {
            case 0..<5: time.set(time.now + .hours(Int64(random.next() % 3)) - .hours(1))
            case 5..<6: time.set(Self.now)
            default: time.advance(by: .seconds(Int64(random.next() % 8)))
            }
            let number = Int(random.next() % 2000)
            // Each token has its own end, near the time or long ago.
            let until = Self.now + .seconds(Int64(number * 7919 % 2000) * (number % 5 == 0 ? -3600 : 60))
            let now = random.next() % 4 == 0 ? until - .minutes(10) : time.now
            do throws(ReplayStoreError) {
                let answer = try store.redeem(.numbered(number), until: until, at: now)
                answers["\(answer)", default: 0] += 1
                if answer == .first { #expect(passed.insert(number).inserted) }
            } catch {
                answers[error == .full(capacity: 200) ? "full" : "forgotten", default: 0] += 1
            }
        }
        // The test would prove nothing if one of the answers never came.
        #expect(Set(answers.keys) == ["first", "seen", "full", "forgotten"], "\(answers)")
    }

    private func fill(_ store: InMemoryReplayStore, _ numbers: Range<Int>, at now: Timestamp) throws {
        for number in numbers {
            #expect(try store.redeem(.numbered(number), until: now + .minutes(22), at: now) == .first)
        }
    }
}
