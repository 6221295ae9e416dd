#if Client
import BrokerBench
import BrokerClient
import BrokerMessages
import BrokerSimulation
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import HTTPTypes
import RecordChecks
import ServiceResponses
import TestVectors
import TVETesting
import Testing

@Suite("Waiting for a sign-in")
struct WaitingTests {
    @Test func `A shown code is asked for every five seconds from the start, and found`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session(.television)
        let step = try #require(try await session.setSelectedProvider("SampleCable"))
        guard case .showCode(let code) = step else {
            Issue.record("no code")
            return
        }
        #expect(code.url?.hasPrefix("https://broker0.example/") == true && code.missingParameters.isEmpty)
        #expect(try await bench.application.broker.records.device(showing: code.code) == "device")
        let log = EventLog(of: session)
        bench.forgetRequests()
        // In the second of the registration, a question would take the turn of what a user waits for.
        try await bench.pass(21, with: 1)
        #expect(bench.requests() == Array(repeating: .profileByCode, count: 4))
        let waiting = Task { try await session.awaitAuthentication() }
        try bench.logIn(step)
        #expect(try await bench.flowing { try await waiting.value }.mvpd == "SampleCable")
        #expect(await log.names() == ["authenticated", "tracking of authentication"])
        let record = try await session.record(requestor: FlowBench.requestor)
        #expect(record.pendingCode == nil && record.lease == nil)
        #expect(try await bench.application.broker.records.device(showing: code.code) == nil)
        try await eventually { bench.time.sleepers == 0 }
        #expect(try await session.awaitAuthentication().mvpd == "SampleCable")
    }

    @Test func `Less than three seconds count as three`() async throws {
        let bench = try FlowBench { $0.pollInterval = .seconds(1) }
        let session = try await bench.session(.television)
        _ = try await session.setSelectedProvider("SampleCable")
        bench.forgetRequests()
        try await bench.pass(12, with: 1)
        #expect((3...4).contains(bench.requests().count))
    }

    @Test func `The wait ends with the code, and the code is forgotten`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session(.television)
        let step = try await session.setSelectedProvider("SampleCable")
        try await eventually { bench.time.rests(with: 1) }
        let waiting = Task { try await session.awaitAuthentication() }
        try await eventually { await session.state.wait?.listeners == 1 }
        let log = EventLog(of: session)
        bench.time.advance(by: .minutes(30))
        await #expect(throws: EntitlementFlowError.codeEnded) { try await waiting.value }
        #expect(
            await log.names() == ["not authenticated", "status N130 (Error)", "tracking of authentication"])
        #expect(try await session.record(requestor: FlowBench.requestor).pendingCode == nil)
        let code = try #require(step?.code)
        #expect(try await bench.application.broker.records.device(showing: code) == nil)
    }

    @Test func `A code that the broker does not know anymore has ended`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session(.television)
        _ = try await session.setSelectedProvider("SampleCable")
        try await eventually { bench.time.rests(with: 1) }
        bench.simulator.expire(.codes)
        let waiting = Task { try await session.awaitAuthentication() }
        try await eventually { await session.state.wait?.listeners == 1 }
        let log = EventLog(of: session)
        await #expect(throws: EntitlementFlowError.codeEnded) {
            try await bench.flowing { try await waiting.value }
        }
        // By the broker's word, not by the end that was stated.
        #expect(bench.time.now.since(FlowBench.start) < .minutes(5))
        #expect(await log.names().first == "not authenticated")
    }

    @Test func `A new code ends the wait for the old one, and the old one is not asked for anymore`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session(.television)
        let old = try await session.setSelectedProvider("SampleCable")
        let waiting = Task { try await session.awaitAuthentication() }
        try await eventually { await session.state.wait?.listeners == 1 }
        let new = try await session.setSelectedProvider("SampleFiber")
        await #expect(throws: EntitlementFlowError.superseded) { try await waiting.value }
        #expect(old?.code != new?.code)
        // The user signs in with the old code: it does not count here.
        try bench.logIn(old)
        bench.forgetRequests()
        try await bench.pass(11, with: 1)
        #expect(bench.requests() == [.profileByCode, .profileByCode])
        #expect(try await session.checkAuthentication() == .notAuthenticated)
    }

    @Test func `Any number of tasks wait, and one that is cancelled stops alone`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session(.television)
        let step = try await session.setSelectedProvider("SampleCable")
        let waiting = (0..<10).map { _ in Task { try await session.awaitAuthentication() } }
        try await eventually { await session.state.wait?.listeners == 10 }
        waiting[0].cancel()
        await #expect(throws: EntitlementFlowError.cancelled) { try await waiting[0].value }
        try bench.logIn(step)
        try await eventually { bench.time.rests(with: 1) }
        try await bench.flowing {
            for task in waiting.dropFirst() {
                let signIn = try await task.value
                #expect(signIn.mvpd == "SampleCable")
            }
        }
    }

    @Test(arguments: [
        Scenario.status(503), .status(401), .throttled(retryAfter: 20), .network(.dropAnswer), .malformed(.truncated),
        .error(.internalServerError),
    ])
    func `A question that fails is asked again in turn`(scenario: Scenario) async throws {
        let bench = try FlowBench()
        let session = try await bench.session(.television)
        let step = try await session.setSelectedProvider("SampleCable")
        bench.activate(scenario, at: .profileByCode, times: 5)
        try bench.logIn(step)
        let signIn = try await bench.flowing { try await session.awaitAuthentication() }
        #expect(signIn.mvpd == "SampleCable")
        #expect(bench.simulator.scenarios.isEmpty)
    }

    @Test func `Of several profiles for a code, the one of the chosen provider counts`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session(.television)
        let step = try await session.setSelectedProvider("SampleCable")
        try bench.logIn(step)
        let start = FlowBench.start.milliseconds
        let other = #""profiles":{"SampleFiber":{"notBefore":\#(start),"notAfter":\#(start + 86_400_000 * 90)},"#
        bench.transport.onAnswer { path, answer in
            guard path.contains("/profiles/code/") else { return answer }
            let text = String(decoding: answer.body, as: UTF8.self).replacing(#""profiles":{"#, with: other)
            return HTTPAnswer(answer.head, body: Array(text.utf8))
        }
        let signIn = try await bench.flowing { try await session.awaitAuthentication() }
        #expect(signIn.mvpd == "SampleCable")
    }

    /// Brokers whose clients do not wait within a call if they are throttled.
    private static func impatientBench() throws -> FlowBench {
        var settings = FlowBench.patientSettings
        settings.maximumRepeatsWhenThrottled = 0
        return try FlowBench(settings: settings)
    }

    @Test func `Whoever wants no questions for longer than the code lives is asked once more before its end`()
        async throws
    {
        let bench = try Self.impatientBench()
        let session = try await bench.session(.television)
        let step = try await session.setSelectedProvider("SampleCable")
        bench.activate(.throttled(retryAfter: 1_800), at: .profileByCode, times: 1)
        let waiting = Task { try await session.awaitAuthentication() }
        try await eventually { await session.state.wait?.listeners == 1 }
        bench.forgetRequests()
        try await bench.pass(6, with: 1)
        #expect(bench.simulator.scenarios.isEmpty)
        try bench.logIn(step)
        bench.time.advance(by: .minutes(29))
        let signIn = try await bench.flowing { try await waiting.value }
        #expect(signIn.mvpd == "SampleCable")
        #expect(bench.requests() == [.profileByCode, .profileByCode])
        #expect(bench.time.now.since(FlowBench.start) > .minutes(29))
    }

    @Test func `While the broker wants no questions, a cancel in another process ends the wait`() async throws {
        let bench = try Self.impatientBench()
        let first = try await bench.session(.television)
        _ = try await first.setSelectedProvider("SampleCable")
        bench.activate(.throttled(retryAfter: 1_800), at: .profileByCode, times: 1)
        let waiting = Task { try await first.awaitAuthentication() }
        try await eventually { await first.state.wait?.listeners == 1 }
        try await bench.pass(6, with: 1)
        #expect(bench.simulator.scenarios.isEmpty)
        let second = try await bench.session(.television, of: bench.otherProcess)
        _ = try await second.setSelectedProvider(nil)
        await #expect(throws: EntitlementFlowError.superseded) {
            try await bench.flowing { try await waiting.value }
        }
        #expect(bench.time.now.since(FlowBench.start) < .minutes(1))
    }

    @Test func `An answer that will not change ends the wait`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session(.television)
        let step = try await session.setSelectedProvider("SampleCable")
        try bench.logIn(step)
        bench.activate(.error(.invalidParameterServiceProvider), at: .profileByCode)
        let error = await #expect(throws: EntitlementFlowError.self) {
            try await bench.flowing { try await session.awaitAuthentication() }
        }
        guard case .broker(.refused(_, _))? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(await !session.isWaiting)
    }

    @Test func `One session asks, another process looks at the record once a second`() async throws {
        let bench = try FlowBench()
        let first = try await bench.session(.television)
        let step = try await first.setSelectedProvider("SampleCable")
        try await eventually { bench.time.rests(with: 1) }
        try await bench.pass(1, with: 1)
        let second = try await bench.session(.television, of: bench.otherProcess)
        let log = EventLog(of: second)
        let waiting = Task { try await second.awaitAuthentication() }
        try await eventually { bench.time.rests(with: 2) }
        bench.forgetRequests()
        try await bench.pass(20, with: 2)
        #expect(bench.requests().count == 4)
        try bench.logIn(step)
        let signIn = try await bench.flowing(with: { await [first.isWaiting, second.isWaiting].count { $0 } }) {
            try await waiting.value
        }
        #expect(signIn.mvpd == "SampleCable")
        #expect(await log.names() == ["authenticated", "tracking of authentication"])
    }

    @Test func `Another process goes on when the one that asks has stopped`() async throws {
        let bench = try FlowBench()
        var first: EntitlementSession? = try await bench.session(.television)
        let step = try await first?.setSelectedProvider("SampleCable")
        try await eventually { bench.time.rests(with: 1) }
        try await bench.pass(1, with: 1)
        first = nil
        // Its last pause ends, and nobody looks anymore.
        bench.time.advance(by: .seconds(5))
        try await eventually { bench.time.sleepers == 0 }
        let second = try await bench.session(.television, of: bench.otherProcess)
        let waiting = Task { try await second.awaitAuthentication() }
        try await eventually { await second.isWaiting }
        try bench.logIn(step)
        let signIn = try await bench.flowing { try await waiting.value }
        #expect(signIn.mvpd == "SampleCable")
        #expect(bench.time.now.since(FlowBench.start) < .seconds(40))
    }

    @Test func `A cancel in another process ends the wait here`() async throws {
        let bench = try FlowBench()
        let first = try await bench.session(.television)
        _ = try await first.setSelectedProvider("SampleCable")
        let waiting = Task { try await first.awaitAuthentication() }
        try await eventually { await first.state.wait?.listeners == 1 && bench.time.rests(with: 1) }
        let second = try await bench.session(.television, of: bench.otherProcess)
        _ = try await second.setSelectedProvider(nil)
        bench.forgetRequests()
        await #expect(throws: EntitlementFlowError.superseded) {
            try await bench.flowing { try await waiting.value }
        }
        #expect(bench.requests().isEmpty)
    }

    @Test func `A dropped session stops asking`() async throws {
        let bench = try FlowBench()
        var session: EntitlementSession? = try await bench.session(.television)
        _ = try await session?.setSelectedProvider("SampleCable")
        try await eventually { bench.time.rests(with: 1) }
        weak let dropped = session
        session = nil
        bench.forgetRequests()
        bench.time.advance(by: .seconds(30))
        try await eventually { bench.time.sleepers == 0 }
        #expect(dropped == nil)
        #expect(bench.requests().isEmpty)
    }

    @Test func `A request for authorization goes on after the sign-in`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session(.television)
        guard case .needsAuthentication(.chooseProvider, let pending) = try await session.getAuthorization("news")
        else {
            Issue.record("no picker")
            return
        }
        let step = try await session.setSelectedProvider("SampleCable")
        try bench.logIn(step)
        let log = EventLog(of: session)
        let outcome = try await bench.flowing { try await pending.outcome() }
        guard case .permitted(let playback) = outcome else {
            Issue.record("not permitted")
            return
        }
        #expect(playback.resource == "news")
        #expect(await log.names().prefix(3) == ["authenticated", "tracking of authentication", "permitted"])
    }

    @Test func `The store may fail for a while`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session(.television)
        let step = try await session.setSelectedProvider("SampleCable")
        try await eventually { bench.time.rests(with: 1) }
        let waiting = Task { try await session.awaitAuthentication() }
        try await eventually { await session.state.wait?.listeners == 1 }
        bench.store.setAway()
        try await bench.pass(12, with: 1)
        bench.store.setAway(false)
        try bench.logIn(step)
        #expect(try await bench.flowing { try await waiting.value }.mvpd == "SampleCable")
    }
}
#endif
