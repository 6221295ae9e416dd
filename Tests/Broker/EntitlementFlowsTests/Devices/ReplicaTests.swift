#if Client
import BrokerBench
import BrokerSimulation
import DeviceRecords
import EntitlementValues
import Foundation
import Synchronization
import TestVectors
import TVETesting
import Testing

#if Redis
import TestServers
#endif

@Suite("Replicas of a server, in processes of their own", .serialized)
struct ReplicaTests {
    #if Redis
    /// Without the program, the others have no store on Redis among their arguments: only this one says so.
    @Test(
        .enabled(if: RedisServer.executable != nil, "redis-server is not installed (Debian: apt install redis-server)"))
    func `They share a store on Redis, too`() async throws {
        let bench = try await ReplicaBench(.redis)
        #expect(try await bench.directory.record(of: "nobody") == nil)
        #expect(await bench.end())
    }
    #endif

    @Test(arguments: ReplicaBench.stores)
    func `One replica asks for a device, and another goes on when it is killed`(store: ReplicaBench.Store) async throws
    {
        let bench = try await ReplicaBench(store)
        let first = Task { await bench.replica(0).serve("signin", "tv") }
        try await eventually { try await bench.directory.record(of: "tv")?["REF30"].pendingCode != nil }
        let others = [1, 2].map { number in Task { await bench.replica(number).serve("signin", "tv") } }
        let start = bench.time.now
        for _ in 0..<30 { try await bench.passSecond() }
        let polls = bench.polls(of: "tv").filter { $0 > start }
        // Every 5 s by one; three would ask three times as often.
        #expect((5...6).contains(polls.count), "\(polls.count) in 30 s")
        #expect(zip(polls, polls.dropFirst()).allSatisfy { $1.since($0) >= .seconds(5) })

        bench.replica(0).kill()
        #expect(await first.value == nil)
        let killed = bench.time.now
        for _ in 0..<20 where bench.polls(of: "tv").last ?? killed <= killed { try await bench.passSecond() }
        // 15 s of the lease, and some seconds until that is seen.
        #expect(bench.polls(of: "tv").last ?? killed > killed, "nobody asks 20 s after the kill")
        try await bench.signInUser(of: "tv", after: .zero)
        try await bench.flowing { for other in others { #expect(await other.value == "in") } }
        #expect(bench.sessions(of: "tv") == 1 && bench.registrations == 1)
        for number in [1, 2] { #expect(await bench.replica(number).serve("play", "tv") == "permitted") }
    }

    /// `TVE_DEVICES` and `TVE_KILLS` set how many, and `TVE_SEED` what is random; the defaults are 12, 8 and 1.
    @Test(arguments: ReplicaBench.stores)
    func `Replicas that are killed at random lose nothing, and no user signs in twice`(
        store: ReplicaBench.Store
    ) async throws {
        func number(_ variable: String, _ usual: Int) -> Int {
            ProcessInfo.processInfo.environment[variable].flatMap { Int($0) } ?? usual
        }
        let names = (0..<number("TVE_DEVICES", 12)).map { "tv-\($0)" }
        let (kills, seed) = (number("TVE_KILLS", 8), UInt64(number("TVE_SEED", 1)))
        print("replicas that are killed at random: seed \(seed)")
        let bench = try await ReplicaBench(store, seed: seed)
        try await bench.flowing {
            let haveEnded = Atomic(false)
            async let killer: Void = Self.kill(kills, bench, Noise(seed: seed)) {
                haveEnded.load(ordering: .acquiring)
            }
            try await withThrowingTaskGroup { group in
                for (index, name) in names.enumerated() {
                    let random = Noise(seed: seed &+ UInt64(index) &+ 1)
                    group.addTask { try await Self.watchTelevision(name, bench, random) }
                }
                try await group.waitForAll()
            }
            haveEnded.store(true, ordering: .releasing)
            try await killer
        }
        // After the last kill all is as it was.
        for name in names {
            #expect(try await bench.serve("signin", name) == "in")
            #expect(try await bench.serve("play", name) == "permitted")
            let record = try #require(try await bench.directory.record(of: DeviceKey(name)))
            #expect(record.registrations.count == 1 && record["REF30"].profile?.mvpd == "SampleCable")
            #expect(record["REF30"].pendingCode == nil && record["REF30"].lease == nil)
        }
        // A process that is killed before it has stored what the broker gave costs one more, unused.
        #expect(bench.registrations <= names.count + kills * names.count)
        #expect(await bench.end())
    }

    /// Kills replicas, each after some more requests; without them, once nothing is asked anymore.
    private static func kill(
        _ count: Int,
        _ bench: ReplicaBench,
        _ random: consuming Noise,
        unless haveEnded: @Sendable () -> Bool
    ) async throws {
        for _ in 0..<count {
            let target = bench.requests + 1 + random.below(12)
            try await eventually { bench.requests >= target || haveEnded() }
            try bench.replace(random.below(3))
        }
    }

    /// What a household does: one user signs in once, while the television asks any replica whether that is done, and then
    /// plays.
    private static func watchTelevision(
        _ name: String,
        _ bench: ReplicaBench,
        _ random: consuming Noise
    ) async throws {
        let delay = TimeToLive.seconds(Int64(1 + random.below(15)))
        let user = Task { try await bench.signInUser(of: name, after: delay) }
        #expect(try await bench.serve("signin", name) == "in")
        let sessions = bench.sessions(of: name)
        try await user.value
        for _ in 0..<3 {
            // Two replicas at once, either of which may be killed.
            async let one = bench.serve("play", name)
            async let two = bench.serve("signin", name)
            #expect(try await one == "permitted")
            #expect(try await two == "in")
        }
        #expect(bench.sessions(of: name) == sessions, "the user was not asked again")
    }
}
#endif
