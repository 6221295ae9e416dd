#if Client
import BrokerBench
import BrokerClient
import BrokerMessages
import BrokerSimulation
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import RecordChecks
import TestVectors
import TVETesting
import Testing

/// Servers that share a store, at a time that moves second by second.
///
/// The network does not keep up with that; ``ReplicaTests`` has replicas that poll over HTTP.
@Suite("Polling happens once for each device", .enabled(if: Wire.current == .call))
struct PollingTurnTests {
    let time = ManualTime(at: DeviceBench.start)
    let bench: DeviceBench
    let device: Device

    init() throws {
        bench = try DeviceBench(time: time.source)
        device = try DeviceBench.device("tv")
    }

    private func wait(on server: DeviceSessions) -> Task<SignIn, any Error> {
        Task { [device] in try await server.with(device) { try await $0.awaitAuthentication() } }
    }

    /// Lets seconds pass.
    ///
    /// After each, so many tasks pause again: one of each server that looks for idle sessions, and one of each wait.
    private func pass(_ seconds: Int, with pauses: Int) async throws {
        try await eventually { time.rests(with: pauses) }
        for _ in 0..<seconds {
            time.advance(by: .seconds(1))
            try await eventually { time.rests(with: pauses) }
        }
    }

    /// Lets seconds pass until all calls of servers have ended, each of them once the servers have nothing else to do.
    private func pass(untilUnused servers: [DeviceSessions]) async throws {
        try await eventually {
            let open = servers.reduce(0) { $0 + $1.useCount }
            if open > 0, time.rests(with: servers.count + open) { time.advance(by: .seconds(1)) }
            return open == 0
        }
    }

    @Test func `Of three servers that wait for one device, one asks and the others look at the version`() async throws {
        let servers = try (0..<3).map { _ in try bench.server() }
        let step = try await servers[0].with(device) { try await $0.setSelectedProvider("SampleCable") }
        let waits = servers.map(wait)
        try await pass(10, with: 6)
        let (before, polls) = (bench.store.counts, bench.count(.profileByCode))
        try await pass(40, with: 6)
        let after = bench.store.counts
        // One asks every 5 s.
        #expect(bench.count(.profileByCode) - polls == 8)
        // The two others look each second. The lease is written every other time, and read again by the two.
        let versions = after.versions - before.versions
        #expect((70...80).contains(versions), "\(versions)")
        let written = after.written.count - before.written.count
        #expect((3...5).contains(written), "\(written)")
        #expect(after.reads - before.reads <= 40, "\(after.reads - before.reads)")
        try bench.logIn(step)
        try await pass(untilUnused: servers)
        for wait in waits { #expect(try await wait.value.mvpd == "SampleCable") }
        #expect(try await bench.record(of: "tv").lease == nil)
        #expect(bench.count(.startSession) == 1)
    }

    @Test func `When the one that asks has gone, another takes over once its lease has ended`() async throws {
        let other = try bench.server()
        var step: AuthenticationStep?
        do {
            let first = try bench.server()
            step = try await first.with(device) { try await $0.setSelectedProvider("SampleCable") }
            try await pass(1, with: 2)
        }
        // The first server has ended like a killed process: it gave nothing back.
        time.advance(by: .seconds(5))
        try await eventually { time.sleepers == 0 }
        let lease = try #require(try await bench.record(of: "tv").lease)
        let polls = bench.count(.profileByCode)
        let waiting = wait(on: other)
        try bench.logIn(step)
        let left = Int(lease.until.since(time.now).milliseconds / 1000)
        try await pass(left - 1, with: 2)
        #expect(left > 2 && bench.count(.profileByCode) == polls, "nobody asks as long as the lease holds")
        try await pass(untilUnused: [other])
        #expect(try await waiting.value.mvpd == "SampleCable")
        #expect(time.now.since(lease.until) <= .seconds(3))
        #expect(bench.count(.profileByCode) == polls + 1)
    }
}
#endif
