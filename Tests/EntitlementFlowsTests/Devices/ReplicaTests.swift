#if Client
import BrokerBench
import BrokerSimulation
import DeviceRecords
import EntitlementValues
import Foundation
import Testing

@Suite("Replicas of a server, in processes of their own", .serialized)
struct ReplicaTests {
    @Test(arguments: ReplicaBench.stores)
    func `One replica asks for a device, and another goes on when it is killed`(store: ReplicaBench.Store) async throws
    {
        let bench = try await ReplicaBench(store)
        let first = Task { await bench.replica(0).serve("signin", "tv") }
        try await eventually { try await bench.directory.record(of: "tv")?["REF30"].pendingCode != nil }
        let others = [1, 2].map { number in Task { await bench.replica(number).serve("signin", "tv") } }
        let start = bench.time.now
        try await bench.time.sleep(untilUptime: bench.time.uptime + .seconds(30))
        let polls = bench.polls(of: "tv").filter { $0 >= start }
        let passed = Double(bench.time.now.since(start).milliseconds) / 1000
        // Every 5 s by one; three would ask three times as often, and a busy machine less often.
        #expect(Double(polls.count) <= passed / 5 + 1 && polls.count >= 1, "\(polls.count) in \(passed) s")

        bench.replica(0).kill()
        #expect(await first.value == nil)
        let killed = bench.time.now
        try await eventually { bench.polls(of: "tv").contains { $0 > killed } }
        let next = try #require(bench.polls(of: "tv").first { $0 > killed })
        // 15 s of the lease, a second until it is seen, and 10 s of a busy machine at five times the speed.
        #expect(next.since(killed) < .seconds(66), "\(next.since(killed))")
        try await bench.signInUser(of: "tv", after: .zero)
        for other in others { #expect(await other.value == "in") }
        #expect(bench.sessions(of: "tv") == 1 && bench.registrations == 1)
        #expect(await bench.serve("play", "tv", by: [1, 2]) == "permitted")
    }

    /// `TVE_DEVICES` and `TVE_KILLS` set how many; the defaults are 12 and 8.
    @Test(arguments: ReplicaBench.stores)
    func `Replicas that are killed at random lose nothing, and no user signs in twice`(
        store: ReplicaBench.Store
    ) async throws {
        let environment = ProcessInfo.processInfo.environment
        let names = (0..<(environment["TVE_DEVICES"].flatMap { Int($0) } ?? 12)).map { "tv-\($0)" }
        let kills = environment["TVE_KILLS"].flatMap { Int($0) } ?? 8
        let bench = try await ReplicaBench(store)
        let killer = Task {
            for _ in 0..<kills {
                try await Task.sleep(for: .milliseconds(Int.random(in: 200...1200)))
                try bench.replace(Int.random(in: 0..<3))
            }
        }
        try await withThrowingTaskGroup { group in
            for name in names {
                group.addTask { try await Self.watchTelevision(name, bench) }
            }
            try await group.waitForAll()
        }
        try await killer.value
        // After the last kill all is as it was.
        for name in names {
            #expect(await bench.serve("signin", name) == "in")
            #expect(await bench.serve("play", name) == "permitted")
            let record = try #require(try await bench.directory.record(of: DeviceKey(name)))
            #expect(record.registrations.count == 1 && record["REF30"].profile?.mvpd == "SampleCable")
            #expect(record["REF30"].pendingCode == nil && record["REF30"].lease == nil)
        }
        // A process that is killed before it has stored what the broker gave costs one more, unused.
        #expect(bench.registrations <= names.count + kills * names.count)
        #expect(await bench.end())
    }

    /// What a household does: one user signs in once, while the television asks any replica whether that is done, and then
    /// plays.
    private static func watchTelevision(_ name: String, _ bench: ReplicaBench) async throws {
        let user = Task { try await bench.signInUser(of: name, after: .milliseconds(Int.random(in: 200...3000))) }
        #expect(await bench.serve("signin", name) == "in")
        let sessions = bench.sessions(of: name)
        try await user.value
        for _ in 0..<3 {
            // Two replicas at once, either of which may be killed.
            async let one = bench.serve("play", name)
            async let two = bench.serve("signin", name)
            #expect(await one == "permitted")
            #expect(await two == "in")
        }
        #expect(bench.sessions(of: name) == sessions, "the user was not asked again")
    }
}

extension ReplicaBench {
    /// Has a command served by one of some replicas.
    fileprivate func serve(_ command: String, _ device: String, by numbers: [Int]) async -> String? {
        await replica(numbers.randomElement() ?? 0).serve(command, device)
    }
}
#endif
