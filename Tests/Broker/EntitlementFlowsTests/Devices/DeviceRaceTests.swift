#if Client
import BrokerBench
import BrokerClient
import BrokerMessages
import BrokerSimulation
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import RecordChecks
import SealedRecords
import ServiceResponses
import Synchronization
import TestVectors
import TVETesting
import Testing

/// What a process keeps of a device, and for how long, whatever comes between.
@Suite("What is kept of a device, and what comes between")
struct DeviceRaceTests {
    // MARK: Erasures

    @Test func `A device that is erased as its record is read is not called for as the client of before`() async throws
    {
        let bench = try FlowBench()
        let session = try await bench.session()
        try await bench.signIn(session)
        let caller = try bench.application.broker.caller(await session.device, from: "203.0.113.77")
        bench.store.actOnce(.afterRead) { _ = try? await bench.application.broker.records.forget("device") }
        #expect(try await session.selectedProvider()?.id == "SampleCable", "that is what was read")
        // The access token of before would still bring the profile.
        let profiles = try await bench.flowing { try await caller.profiles(requestor: FlowBench.requestor).profiles }
        #expect(profiles.isEmpty)
    }

    @Test func `What a change finds erased is not called for as the client of before`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        try await bench.signIn(session)
        let caller = try bench.application.broker.caller(await session.device, from: "203.0.113.77")
        #expect(try await bench.otherProcess.broker.records.forget("device"))
        // A cancel writes the record, and reads it in no other way.
        try await session.setSelectedProvider(nil)
        let profiles = try await bench.flowing { try await caller.profiles(requestor: FlowBench.requestor).profiles }
        #expect(profiles.isEmpty)
    }

    @Test func `The first answer about a device that is erased meanwhile is not stored`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        let other = bench.otherProcess
        bench.transport.onAnswer { path, answer in
            if path.hasSuffix("/profiles") { _ = try? await other.broker.records.forget("device") }
            return answer
        }
        // The device registers with this very call, so that the session knows no client of it yet.
        await #expect(throws: EntitlementFlowError.superseded) { try await session.checkAuthentication() }
        #expect(try await other.broker.records.record(of: "device") == nil)
    }

    @Test func `No permit of a device that was erased stays in memory`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        _ = try await bench.session.preauthorize(["a"])
        #expect(await bench.session.state.permits.count == 1)
        #expect(try await bench.directory.forget("device-key"))
        #expect(try await bench.session.selectedProvider() == nil)
        #expect(await bench.session.state.permits.count == 0)
    }

    // MARK: What stays

    @Test func `The registration of a device stays in memory as long as its session`() async throws {
        var settings = FlowBench.patientSettings
        settings.rememberedDevices = 1
        let bench = try FlowBench(settings: settings)
        let session = try await bench.session()
        _ = try await session.checkAuthentication(.broker)
        let other = try await bench.session(key: "other")
        _ = try await other.checkAuthentication(.broker)
        #expect(bench.application.broker.registrations.known(of: "device") != nil)
        // Until here, the session lives.
        #expect(try await session.checkAuthentication(.localOnly) == .notAuthenticated)
    }

    @Test func `A session stays as long as a task waits for its decision, and goes then`() async throws {
        let bench = try FlowBench()
        let (sessions, request) = try await waitingRequest(bench)
        let asker = Asker()
        let asking = Task { try await asker.outcome(of: request) }
        try await eventually { await asker.hasBegun }
        bench.time.advance(by: .seconds(61))
        try await evict(sessions, bench)
        #expect(sessions.count == 1)
        asking.cancel()
        await #expect(throws: EntitlementFlowError.cancelled) { try await asking.value }
        try await evict(sessions, bench)
        #expect(sessions.count == 0)
    }

    @Test func `The end of a request whose session goes is told`() async throws {
        let log = EventNames()
        let bench = try FlowBench { $0.observer = { log.note($0) } }
        let (sessions, request) = try await waitingRequest(bench)
        let gone = try await sessions.with(try DeviceBench.device("tv")) { WeakSession(session: $0) }
        bench.time.advance(by: .seconds(61))
        try await evict(sessions, bench)
        try await eventually { gone.session == nil }
        try #require(log.last == "not permitted")
        await #expect(throws: EntitlementFlowError.superseded) { try await request.outcome() }
    }

    // MARK: Support

    private struct UnexpectedStep: Error {}

    private struct WeakSession: Sendable { weak let session: EntitlementSession? }

    /// Sessions that go after a minute, and a request of one of them, which waits for the choice of a provider.
    private func waitingRequest(
        _ bench: FlowBench
    ) async throws -> (sessions: DeviceSessions, request: PendingAuthorization) {
        var limits = DeviceSessions.Limits()
        limits.idleTime = .seconds(60)
        let sessions = DeviceSessions(for: bench.application, limits: limits) { session throws(EntitlementFlowError) in
            try await session.setRequestor(FlowBench.requestor)
        }
        var options = SessionOptions()
        options.hasUserAgent = true
        let outcome = try await sessions.with(try DeviceBench.device("tv"), options: options) { session in
            try await session.getAuthorization("news")
        }
        guard case .needsAuthentication(_, let request) = outcome else { throw UnexpectedStep() }
        return (sessions, request)
    }

    /// Removes idle sessions while nothing else looks for them.
    private func evict(_ sessions: DeviceSessions, _ bench: FlowBench) async throws {
        // The one that looks for them from time to time pauses, or there are none left.
        try await eventually { bench.time.rests(with: sessions.count == 0 ? 0 : 1) }
        await sessions.evict()
    }
}

/// Waits for a decision.
///
/// Nothing leaves the actor between the note that it has begun and the wait. So who reads the note finds a task that waits.
private actor Asker {
    private(set) var hasBegun = false

    func outcome(of request: PendingAuthorization) async throws -> AuthorizationOutcome {
        hasBegun = true
        return try await request.outcome()
    }
}

/// The names of the events that an observer is told.
private final class EventNames: Sendable {
    private let names = Mutex<[String]>([])

    func note(_ event: DeviceEvent) { names.withLock { $0.append(event.description) } }

    var last: String? { names.withLock { $0.last } }
}
#endif
