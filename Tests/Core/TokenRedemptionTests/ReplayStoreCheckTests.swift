import EntitlementValues
import Synchronization
import TVETesting
import Testing
import TokenRedemption

/// The check of stores finds each promise that a store can break.
@Suite struct ReplayStoreCheckTests {
    static let now = Timestamp(milliseconds: 1_768_498_200_000)

    /// A store that is wrong in one way.
    private final class FaultyStore: ReplayStore {
        enum Fault { case none, alwaysFirst, alwaysSeen, shortKey, keyWithEnd, looksThenNotes, forgetsPast, isSilent }

        let fault: Fault
        private let known = Mutex<Set<[UInt8]>>([])
        private let looks = Mutex<[[UInt8]: Int]>([:])

        init(_ fault: Fault) { self.fault = fault }

        func redeem(
            _ id: ReplayID, until expiry: Timestamp, at now: Timestamp
        ) async throws(ReplayStoreError) -> Redemption {
            var key = id.bytes
            switch fault {
            case .alwaysFirst: return .first
            case .alwaysSeen: return .seen
            case .isSilent: throw .unavailable(reason: "silent")
            case .shortKey: key.removeLast()
            case .keyWithEnd: key += Array("\(expiry)".utf8)
            case .forgetsPast: if expiry < ReplayStoreCheckTests.now { return .first }
            case .looksThenNotes:
                let isKnown = known.withLock { $0.contains(key) }
                looks.withLock { $0[key, default: 0] += 1 }
                // Until another caller has looked, too, if there is one.
                for _ in 0..<1000 where looks.withLock({ $0[key] == 1 }) { await Task.yield() }
                known.withLock { _ = $0.insert(key) }
                return isKnown ? .seen : .first
            case .none: break
            }
            return known.withLock { $0.insert(key).inserted } ? .first : .seen
        }
    }

    private func faults(of fault: FaultyStore.Fault) async throws -> [ReplayStoreFault] {
        try await ReplayStoreCheck(at: Self.now).faults(of: FaultyStore(fault))
    }

    @Test func `Good stores have no fault`() async throws {
        #expect(try await faults(of: .none) == [])
        let store = InMemoryReplayStore(time: .fixed(at: Self.now))
        #expect(try await ReplayStoreCheck(at: Self.now).faults(of: store, sharedWith: [store, store]) == [])
        #expect(try await ReplayStoreCheck().faults(of: InMemoryReplayStore()) == [])
    }

    @Test func `Every broken promise is found`() async throws {
        #expect(
            try await faults(of: .alwaysFirst)
                == [.secondIsFirst, .otherEndIsFirst, .severalAreFirst, .archiveIsForgotten])
        #expect(try await faults(of: .alwaysSeen) == [.newIDIsSeen, .similarIDIsSeen, .noneIsFirst])
        #expect(try await faults(of: .shortKey) == [.similarIDIsSeen])
        #expect(try await faults(of: .keyWithEnd) == [.otherEndIsFirst])
        #expect(try await faults(of: .forgetsPast) == [.archiveIsForgotten])
        #expect(try await faults(of: .looksThenNotes).contains(.severalAreFirst))
    }

    @Test func `Stores that do not share are found`() async throws {
        let (one, other) = (FaultyStore(.none), FaultyStore(.none))
        let faults = try await ReplayStoreCheck(at: Self.now).faults(of: one, sharedWith: [other])
        #expect(faults.contains(.notShared))
        #expect(faults.contains(.severalAreFirst))
        #expect(!faults.contains(.newIDIsSeen) && !faults.contains(.secondIsFirst))
    }

    @Test func `A store that does not answer is no store`() async throws {
        await #expect(throws: ReplayStoreError.unavailable(reason: "silent")) { try await faults(of: .isSilent) }
        await #expect(throws: ReplayStoreError.full(capacity: 3)) {
            try await ReplayStoreCheck(at: Self.now).faults(
                of: InMemoryReplayStore(capacity: 3, time: .fixed(at: Self.now)))
        }
    }

    /// The rule for stores with a clock of their own.
    @Test(
        arguments: [
            (22, 0, 0, 22), (22, 0, 5, 27), (22, 0, -60, 22), (-1000, -1022, 0, 1440), (3000, -3000, 0, 6000),
        ] as [(Int64, Int64, Int64, Int64)])
    func `A redemption is kept until both clocks allow it`(end: Int64, now: Int64, clock: Int64, expected: Int64) {
        let origin = Self.now
        let kept = RedemptionLifetime.end(
            until: origin + .minutes(end), at: origin + .minutes(now), clock: origin + .minutes(clock))
        #expect(kept == origin + .minutes(expected))
    }
}
