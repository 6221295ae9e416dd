#if Client
import BrokerBench
import BrokerClient
import BrokerMessages
import BrokerSimulation
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import RecordChecks
import ServiceResponses
import TestVectors
import TVETesting
import Testing

/// What a wait for a sign-in promises, whatever comes between two of its steps.
@Suite("A wait for a sign-in, and what comes between its steps")
struct WaitRaceTests {
    // MARK: Questions

    @Test func `A sign-in that two questions find at the same time is told once`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session(.television)
        let step = try await session.setSelectedProvider("SampleCable")
        try await eventually { bench.time.rests(with: 1) }
        let log = EventLog(of: session)
        try bench.logIn(step)
        let (asked, answered) = (Promise<Void>(), Promise<Void>())
        let (written, released) = (Promise<Void>(), Promise<Void>())
        bench.transport.onAnswer { path, answer in
            guard path.contains("/profiles/code/") else { return answer }
            if !asked.hasEnded {
                // The question of the wait itself, whose answer comes last.
                asked.end(with: .success(()))
                try? await answered.value()
            } else {
                // The question of the return, which writes the profile, and does not tell it yet.
                bench.store.actOnce(.afterWrite) {
                    written.end(with: .success(()))
                    try? await released.value()
                }
            }
            return answer
        }
        bench.time.advance(by: .seconds(6))
        try await asked.value()
        let returned = Task { try await session.handleExternalURL(FlowBench.redirect) }
        try await written.value()
        answered.end(with: .success(()))
        try await eventually { await !session.isWaiting }
        released.end(with: .success(()))
        guard case .authenticated = try await returned.value else {
            Issue.record("not signed in")
            return
        }
        #expect(await log.names() == ["authenticated", "tracking of authentication"])
    }

    @Test func `A late answer for an earlier code does not put off the questions for a newer one`() async throws {
        var settings = FlowBench.patientSettings
        settings.maximumRepeatsWhenThrottled = 0
        let bench = try FlowBench(settings: settings)
        let session = try await bench.session(.television)
        _ = try await session.setSelectedProvider("SampleCable")
        try await eventually { bench.time.rests(with: 1) }
        // In the second of the registration, no question of the wait itself is sent: this meets that of the return.
        bench.activate(.throttled(retryAfter: 1_800), at: .profileByCode, times: 1)
        let asked = Promise<Void>()
        bench.transport.onAnswer { path, answer in
            guard path.contains("/profiles/code/"), !asked.hasEnded else { return answer }
            asked.end(with: .success(()))
            _ = try? await session.setSelectedProvider("SampleFiber")
            try? await eventually { bench.time.pauses == 1 }
            return answer
        }
        await #expect(throws: EntitlementFlowError.superseded) {
            try await session.handleExternalURL(FlowBench.redirect)
        }
        #expect(asked.hasEnded && bench.simulator.scenarios.isEmpty)
        bench.forgetRequests()
        try await bench.pass(6, with: 1)
        #expect(bench.requests() == [.profileByCode])
    }

    @Test func `A return that finds a newer code does not ask for the earlier one`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session(.television)
        _ = try await session.setSelectedProvider("SampleCable")
        try await eventually { bench.time.rests(with: 1) }
        bench.forgetRequests()
        // The return reads the record twice: for the code, and before it asks.
        bench.store.actOnce(.afterRead) {
            bench.store.actOnce(.afterRead) { _ = try? await session.setSelectedProvider("SampleFiber") }
        }
        await #expect(throws: EntitlementFlowError.superseded) {
            try await session.handleExternalURL(FlowBench.redirect)
        }
        // The wait for the newer code asks in a later second.
        #expect(bench.requests() == [.startSession])
    }

    @Test func `The question of a return is put once, although the wait looks before it is sent`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        let step = try await session.setSelectedProvider("SampleCable")
        let waiter = session.waiting()
        try await bench.pass(3, with: 1)
        bench.forgetRequests()
        // The return reads the record twice: for the code, and before it asks.
        bench.store.actOnce(.afterRead) {
            bench.store.actOnce(.beforeRead) {
                bench.time.advance(by: .seconds(1))
                try? await eventually { bench.time.rests(with: 1) }
            }
        }
        #expect(try await session.handleExternalURL(FlowBench.redirect) == .waiting)
        #expect(bench.time.now.since(FlowBench.start) == .seconds(4))
        #expect(bench.requests() == [.profileByCode])
        try bench.logIn(step)
        #expect(try await bench.flowing { try await waiter.value() }.mvpd == "SampleCable")
    }

    @Test func `When the process that asks gives its wait up, another one takes over at its next looks`() async throws {
        let bench = try FlowBench()
        let first = try await bench.session(.television)
        _ = try await first.setSelectedProvider("SampleCable")
        try await bench.pass(1, with: 1)
        let second = try await bench.session(.television, of: bench.otherProcess)
        let waiter = second.waiting()
        try await eventually { bench.time.rests(with: 2) }
        await first.stopWaiting()
        bench.forgetRequests()
        // Long before the end that the lease had.
        try await bench.pass(3, with: 1)
        #expect(bench.requests() == [.profileByCode])
        await second.stopWaiting()
        await #expect(throws: EntitlementFlowError.shutDown) { try await waiter.value() }
    }

    // MARK: Beginning

    @Test func `A task that begins to wait while another one does so shares its wait`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        let step = try await session.setSelectedProvider("SampleCable")
        let (first, second) = (Promise<SignIn>(), Promise<SignIn>())
        bench.store.actOnce(.afterRead) {
            session.wait(for: second)
            try? await eventually { await session.state.wait?.listeners == 1 }
        }
        session.wait(for: first)
        try await eventually { await session.state.wait?.listeners == 2 || second.hasEnded }
        try bench.logIn(step)
        guard case .authenticated = try await session.handleExternalURL(FlowBench.redirect) else {
            Issue.record("not signed in")
            return
        }
        #expect(try await first.value().mvpd == "SampleCable")
        #expect(try await second.value().mvpd == "SampleCable")
    }

    // MARK: Ends

    @Test func `Who waits for a code is told as soon as another one is asked for, even if none comes`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session(.television)
        _ = try await session.setSelectedProvider("SampleCable")
        let waiter = session.waiting()
        try await eventually { await session.state.wait?.listeners == 1 && bench.time.rests(with: 1) }
        bench.activate(.status(403), at: .startSession, times: 1)
        await #expect(throws: EntitlementFlowError.self) { try await session.requestCode() }
        #expect(bench.simulator.scenarios.isEmpty)
        try #require(await !session.isWaiting)
        await #expect(throws: EntitlementFlowError.superseded) { try await waiter.value() }
    }

    @Test func `A cancel does not end the wait for a code that is made while the cancel is written`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session(.television)
        _ = try await session.setSelectedProvider("SampleCable")
        try await eventually { bench.time.rests(with: 1) }
        bench.store.actOnce(.afterWrite) {
            _ = try? await session.setSelectedProvider("SampleFiber")
            try? await eventually { bench.time.pauses == 1 }
        }
        try await session.setSelectedProvider(nil)
        #expect(try await session.record(requestor: FlowBench.requestor).pendingCode != nil)
        #expect(await session.isWaiting)
    }

    @Test func `A logout ends the wait for a sign-in at once, although a command runs`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session(.television)
        _ = try await session.setSelectedProvider("SampleCable")
        let waiter = session.waiting()
        try await eventually { await session.state.wait?.listeners == 1 && bench.time.rests(with: 1) }
        let (reached, released) = (Promise<Void>(), Promise<Void>())
        bench.transport.onAnswer { path, answer in
            if path.hasSuffix("/profiles/SampleCable") {
                reached.end(with: .success(()))
                try? await released.value()
            }
            return answer
        }
        let status = Task { try await session.checkAuthentication(.broker) }
        try await reached.value()
        let logout = Task { try await session.logout() }
        try await eventually { session.queue.waitingCount == 1 }
        #expect(await !session.isWaiting)
        released.end(with: .success(()))
        await #expect(throws: EntitlementFlowError.superseded) { try await status.value }
        _ = try await logout.value
        await #expect(throws: EntitlementFlowError.superseded) { try await waiter.value() }
    }

    @Test func `A logout ends the wait that a command before it has begun`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session(.television)
        let (reached, released) = (Promise<Void>(), Promise<Void>())
        bench.transport.onAnswer { path, answer in
            if path.hasSuffix("/profiles") {
                reached.end(with: .success(()))
                try? await released.value()
            } else if path.hasSuffix("/profiles/SampleCable") {
                // The wait has looked, and pauses, before the turn of the logout comes.
                try? await eventually { bench.time.pauses == 1 }
            }
            return answer
        }
        let status = Task { try await session.checkAuthentication(.broker) }
        try await reached.value()
        let choice = Task { try await session.setSelectedProvider("SampleCable") }
        try await eventually { session.queue.waitingCount == 1 }
        let question = Task { try await session.checkAuthentication(.broker) }
        try await eventually { session.queue.waitingCount == 2 }
        let logout = Task { try await session.logout() }
        try await eventually { session.queue.waitingCount == 3 }
        released.end(with: .success(()))
        await #expect(throws: EntitlementFlowError.superseded) { try await status.value }
        guard case .showCode? = try await choice.value else {
            Issue.record("no code")
            return
        }
        #expect(try await question.value == .notAuthenticated)
        _ = try await logout.value
        #expect(await !session.isWaiting)
    }
}

extension EntitlementSession {
    /// Waits for the sign-in in a task of its own.
    fileprivate nonisolated func waiting() -> Promise<SignIn> {
        let outcome = Promise<SignIn>()
        wait(for: outcome)
        return outcome
    }

    /// Waits for the sign-in in a task of its own, and ends a promise as the wait ends.
    fileprivate nonisolated func wait(for outcome: Promise<SignIn>) {
        Task.detached {
            do throws(EntitlementFlowError) {
                outcome.end(with: .success(try await self.awaitAuthentication()))
            } catch {
                outcome.end(with: .failure(error))
            }
        }
    }
}
#endif
