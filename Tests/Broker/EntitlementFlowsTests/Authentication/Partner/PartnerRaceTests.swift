#if Client
import BrokerBench
import BrokerClient
import BrokerMessages
import BrokerSimulation
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import ServiceResponses
import TestVectors
import TVETesting
import Testing

/// What sign-ons with the device's partner promise, whatever comes between two of their steps.
@Suite("Partner sign-on, and what comes between its steps")
struct PartnerRaceTests {
    private let framework = PartnerFramework(mappingID: "sample-satellite")

    /// What a loud reply tells that the user has closed the partner's picker.
    private static let closedPicker = ["status N005 (Info)", "not authenticated"]

    /// A session that knows what the partner says, and asks it nothing by itself.
    private func session(_ bench: FlowBench, _ partner: PartnerFramework) async throws -> EntitlementSession {
        var options = SessionOptions()
        options.partnerSignIn = .onDemand
        let session = try await bench.session(options: options)
        _ = try await session.synchronize(partner: try partner.status(at: bench.time.now))
        bench.forgetRequests()
        return session
    }

    // MARK: Cancels

    @Test func `The partner's picker is not shown for a sign-in that is cancelled meanwhile`() async throws {
        let bench = try FlowBench()
        // The user permits access, and has no provider yet.
        let session = try await session(bench, PartnerFramework(mappingID: "", choice: .other))
        bench.transport.onAnswer { path, answer in
            if path.hasSuffix("/configuration") { _ = try? await session.setSelectedProvider(nil) }
            return answer
        }
        let log = EventLog(of: session)
        await #expect(throws: EntitlementFlowError.superseded) { try await session.getAuthentication() }
        #expect(bench.requests() == [.configuration])
        #expect(await log.names() == ["not authenticated", "status N005 (Info)"])
    }

    @Test func `The partner is not asked to confirm a sign-in that is cancelled meanwhile`() async throws {
        let bench = try FlowBench()
        let session = try await session(bench, framework)
        bench.transport.onAnswer { path, answer in
            if path.contains("/sessions/sso/") { _ = try? await session.setSelectedProvider(nil) }
            return answer
        }
        let log = EventLog(of: session)
        await #expect(throws: EntitlementFlowError.superseded) { try await session.getAuthentication() }
        #expect(bench.requests() == [.startPartnerSession])
        #expect(await log.names() == ["not authenticated", "status N005 (Info)"])
    }

    // MARK: Earlier waits and questions

    @Test func `A sign-in that the partner's choice begins ends the wait for an earlier one`() async throws {
        let bench = try FlowBench()
        let session = try await session(bench, PartnerFramework(mappingID: "", choice: .other))
        _ = try await session.setSelectedProvider("SampleCable")
        #expect(try await session.handleExternalURL(FlowBench.redirect) == .waiting)
        try await eventually { bench.time.rests(with: 1) }
        #expect(await session.isWaiting)
        let status = try PartnerFramework(mappingID: "sample-wireless").status(at: bench.time.now)
        guard case .openUserAgent? = try await session.partnerReplied(.status(status)) else {
            Issue.record("no visit")
            return
        }
        #expect(await !session.isWaiting)
    }

    @Test func `The reply to a sign-in's question is told, although one was put silently before`() async throws {
        let bench = try FlowBench()
        let session = try await silentlyAskingSession(bench)
        guard case .askPartner(.confirm) = try await session.getAuthentication() else {
            Issue.record("no question")
            return
        }
        let log = EventLog(of: session)
        #expect(try await session.partnerReplied(.cancelled) == nil)
        #expect(await log.names() == Self.closedPicker)
    }

    @Test func `A reply after a choice is told, although the question was put silently before`() async throws {
        let bench = try FlowBench()
        let session = try await silentlyAskingSession(bench)
        _ = try await session.setSelectedProvider("SampleCable")
        let log = EventLog(of: session)
        #expect(try await session.partnerReplied(.cancelled) == nil)
        #expect(await log.names() == Self.closedPicker)
    }

    /// A session that has put a question to the partner without an event.
    private func silentlyAskingSession(_ bench: FlowBench) async throws -> EntitlementSession {
        let session = try await bench.session()
        let state = try await session.synchronize(partner: try framework.status(at: bench.time.now))
        let question = try #require(state.question)
        guard case .confirm = question else { throw UnexpectedQuestion() }
        return session
    }

    private struct UnexpectedQuestion: Error {}
}
#endif
