#if Client
import BrokerBench
import BrokerClient
import BrokerMessages
import BrokerSimulation
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import HTTPTypes
import MediaTokens
import RecordChecks
import ServiceResponses
import Synchronization
import TestVectors
import TVETesting
import Testing
import TokenRedemption

/// What decisions, and requests that wait for a sign-in, promise, whatever comes between two of their steps.
@Suite("Decisions, and what comes between their steps")
struct AuthorizationRaceTests {
    // MARK: Requests that wait for a sign-in

    @Test func `The end of a request is told once, although a cancel comes while it is decided`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        guard case .needsAuthentication(_, let request) = try await session.getAuthorization("news") else {
            Issue.record("signed in")
            return
        }
        try bench.logIn(try await session.setSelectedProvider("SampleCable"))
        bench.transport.onAnswer { path, answer in
            if path.contains("/authorize/") { _ = try? await session.setSelectedProvider(nil) }
            return answer
        }
        let log = EventLog(of: session)
        guard case .authenticated = try await session.handleExternalURL(FlowBench.redirect) else {
            Issue.record("not signed in")
            return
        }
        await #expect(throws: EntitlementFlowError.superseded) { try await request.outcome() }
        let told = await log.names()
        #expect(told.contains("not authenticated"), "the cancel came")
        #expect(told.count { $0 == "not permitted" } == 1)
    }

    @Test func `A request is decided with the newest word of the device's partner`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        guard case .needsAuthentication(_, let request) = try await session.getAuthorization("news") else {
            Issue.record("signed in")
            return
        }
        var options = SessionOptions()
        options.partnerStatus = try PartnerFramework(mappingID: "sample-satellite").status(at: bench.time.now)
        await session.setOptions(options)
        try await bench.signIn(session)
        #expect(try await request.outcome().playback != nil)
        let name = try #require(HTTPField.Name(PartnerFrameworkStatus.name))
        let decisions = bench.transport.requests.filter { $0.path?.contains("/authorize/") == true }
        #expect(decisions.count == 1)
        #expect(decisions.first?.headerFields[name] != nil)
    }

    @Test func `A sign-in that fails after its request was cancelled is not told`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        bench.activate(.status(403), at: .configuration)
        bench.transport.onAnswer { path, answer in
            if path.hasSuffix("/configuration") { _ = try? await session.setSelectedProvider(nil) }
            return answer
        }
        let log = EventLog(of: session)
        let error = await #expect(throws: EntitlementFlowError.self) { try await session.getAuthorization("news") }
        guard case .noOrigin? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        // What the cancel tells.
        #expect(await log.names() == ["not authenticated", "status N005 (Info)", "not permitted"])
    }

    @Test func `A request whose task is cancelled during the sign-in does not wait on`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        let (reached, released) = (Promise<Void>(), Promise<Void>())
        bench.transport.onAnswer { path, answer in
            if path.hasSuffix("/configuration") {
                reached.end(with: .success(()))
                try? await released.value()
            }
            return answer
        }
        let log = EventLog(of: session)
        let asking = Task { try await session.getAuthorization("news") }
        try await reached.value()
        asking.cancel()
        released.end(with: .success(()))
        await #expect(throws: EntitlementFlowError.cancelled) { try await asking.value }
        #expect(await session.state.pending == nil)
        #expect(await log.names() == ["not permitted"])
    }

    // MARK: Answers that are kept

    @Test func `A token that came while the user signed out is good for nothing afterwards`() async throws {
        let bench = try await AuthorizationBench.verifying()
        try await bench.signIn()
        let directory = bench.directory
        let first = Mutex<HTTPAnswer?>(nil)
        bench.transport.onAnswer { path, answer in
            guard path.contains("/authorize/") else { return answer }
            if let known = first.withLock({ $0 }) { return known }
            first.withLock { $0 = answer }
            _ = try? await directory.change("device-key") { $0["REF30"].raiseEpoch() }
            return answer
        }
        await #expect(throws: EntitlementFlowError.superseded) { try await bench.session.checkAuthorization("news") }
        await #expect(throws: EntitlementFlowError.token(.refused(.replayed))) {
            try await bench.session.checkAuthorization("news")
        }
    }

    @Test func `Attributes that could not be kept are asked for again`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        // After a permit, the attributes may be others.
        #expect(try await bench.session.checkAuthorization("news").playback != nil)
        let store = bench.store
        bench.transport.onAnswer { path, answer in
            if path.contains("/profiles") { store.setAway() }
            return answer
        }
        let error = await #expect(throws: EntitlementFlowError.self) {
            try await bench.session.metadata(.userMetadata("zip"))
        }
        #expect(error?.isStore == true)
        bench.transport.onAnswer(nil)
        store.setAway(false)
        bench.forgetRequests()
        #expect(try await bench.session.metadata(.userMetadata("zip")).value != nil)
        #expect(bench.requests == [.profile])
        #expect(try await bench.session.metadata(.userMetadata("zip")).value != nil)
        #expect(bench.requests == [.profile])
    }

    // MARK: Permits

    @Test func `A permit counts for the sign-in that came to be known by its answer`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.signInAtBroker()
        try await bench.choose("SampleCable")
        bench.forgetRequests()
        #expect(try await bench.session.preauthorize(["a"]).permitted == ["a"])
        #expect(try await bench.session.preauthorize(["a"]).answers.map(\.isCached) == [true])
        #expect(bench.requests == [.preauthorize])
    }

    @Test func `No permit stays in memory after the broker has said that the user is not signed in`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        _ = try await bench.session.preauthorize(["a"])
        #expect(await bench.session.state.permits.count == 1)
        bench.activate(.decision(.authenticatedProfileInvalidated), at: .authorize, times: 1)
        #expect(try await bench.session.checkAuthorization("a").denial != nil)
        #expect(await bench.session.state.permits.count == 0)
    }
}
#endif
