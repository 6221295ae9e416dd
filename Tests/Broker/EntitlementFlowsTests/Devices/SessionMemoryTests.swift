#if Client && canImport(Glibc)
import BrokerBench
import BrokerMessages
import BrokerSimulation
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import Foundation
import ServiceResponses
import Synchronization
import Testing
import TestVectors

/// Without sockets, whose memory is not that of sessions.
@Suite(.enabled(if: Wire.current == .call))
struct SessionMemoryTests {
    /// Sessions as long as they live.
    private final class Witness: Sendable {
        private struct Weak: Sendable { weak let session: EntitlementSession? }

        private let sessions = Mutex<[Weak]>([])

        func see(_ session: EntitlementSession) { sessions.withLock { $0.append(Weak(session: session)) } }

        /// How many were seen, and how many of them still live.
        var counts: (seen: Int, alive: Int) {
            sessions.withLock { sessions in (sessions.count, sessions.count { $0.session != nil }) }
        }
    }

    @Test func `A session that was drained is let go`() async throws {
        let bench = try DeviceBench(time: .system)
        let sessions = try bench.server()
        let witness = Witness()
        for number in 0..<20 { try await Self.play(number, sessions, bench, witness) }
        #expect(witness.counts == (20, 20))
        #expect(await sessions.drain(within: .seconds(60)))
        try await eventually { witness.counts.alive == 0 }
    }

    /// The variable `TVE_SESSIONS` says how many sessions.
    ///
    /// There are 300 without it. With what the broker's client keeps of its device, one should take at most 24 KiB.
    ///
    /// What a session holds is what is free again after all have gone: records and the simulated broker stay. What the
    /// client keeps of the devices, access tokens, times of decisions and the pace of their addresses, goes with it. It is
    /// measured in a process of its own, since other tests take and free memory at the same time.
    @Test(
        .enabled(if: DeepRun.isAsked || count != nil, "what the allocator hands out depends on how threads took turns"))
    func `What a session after a sign-in and a play takes of memory`() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let count = Self.count ?? 300
            let (session, all) = try await Self.bytesEach(of: count)
            print(
                "measured: memory of a session: \(session) bytes; with access token, decision times and pace: \(all) "
                    + "bytes, \(all > 24 * 1024 ? "more than the" : "within the") 24 KiB that it may take; "
                    + "the mean of \(count)")
            #expect(session > 1024, "the sessions were not let go, so nothing was measured: \(session)")
        }
        if let result { print(String(decoding: result.standardOutputContent, as: UTF8.self)) }
    }

    private static let count = ProcessInfo.processInfo.environment["TVE_SESSIONS"].flatMap { Int($0) }

    /// What the sessions of a server share, with its client of the broker, as long as it lives.
    private struct WeakAnswers: Sendable { weak let shared: SharedAnswers? }

    /// The memory of a session in bytes, alone and with what the broker's client keeps of its device: the mean of so many.
    private static func bytesEach(of count: Int) async throws -> (session: Int, all: Int) {
        let bench = try DeviceBench(time: .system)
        let witness = Witness()
        var sessions: DeviceSessions? = try await played(count, bench, witness)
        let server = WeakAnswers(shared: sessions?.application.shared)
        let before = try HeapFigures.bytesInUse()
        #expect(await sessions?.drain(within: .seconds(60)) == true)
        #expect(sessions?.count == 0)
        // Tasks that have ended let go of their sessions a moment later.
        try await eventually { witness.counts.alive == 0 }
        let after = try HeapFigures.bytesInUse()
        #expect(server.shared != nil, "the client went before the second reading")
        sessions = nil
        try await eventually { server.shared == nil }
        let last = try HeapFigures.bytesInUse()
        return ((before - after) / count, (before - last) / count)
    }

    /// A server with so many sessions, each after a sign-in and a play.
    private static func played(
        _ count: Int,
        _ bench: DeviceBench,
        _ witness: Witness
    ) async throws -> DeviceSessions {
        var limits = DeviceSessions.Limits()
        limits.capacity = count
        let sessions = try bench.server(limits: limits)
        var next = 0
        try await withThrowingTaskGroup(of: Void.self) { group in
            func add() {
                let number = next
                next += 1
                group.addTask { try await Self.play(number, sessions, bench, witness) }
            }
            while next < min(8, count) { add() }
            while try await group.next() != nil { if next < count { add() } }
        }
        #expect(sessions.count == count)
        return sessions
    }

    /// The user signs in at once, then something is played.
    private static func play(
        _ number: Int,
        _ sessions: DeviceSessions,
        _ bench: DeviceBench,
        _ witness: Witness
    ) async throws {
        let device = try DeviceBench.device("tv-\(number)")
        var options = SessionOptions()
        options.hasUserAgent = true
        // Requests are paced by address, and each household has one.
        options.clientAddress = try ClientAddress("10.0.\(number / 250).\(number % 250 + 1)")
        try await sessions.with(device, options: options) { session in
            witness.see(session)
            let step = try await session.setSelectedProvider("SampleCable")
            guard case .openUserAgent(let visit) = step, let code = visit.code else { throw MissingCode() }
            try bench.simulator.logIn(code: code.text, as: "ok")
            _ = try await session.handleExternalURL("https://example.com/done")
            guard case .permitted = try await session.getAuthorization("news") else {
                throw WaitedInVain(for: "a permit")
            }
        }
    }
}
#endif
