#if Client
import BrokerBench
import BrokerClient
import BrokerMessages
import BrokerSimulation
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import MediaTokens
import RecordChecks
import ServiceResponses
import Testing
import TestVectors

@Suite("checkAuthorization")
struct CheckAuthorizationTests {
    @Test func `A play of a user who is signed in is one call, and writes nothing`() async throws {
        let bench = try await AuthorizationBench.verifying()
        try await bench.signIn()
        let (log, writes) = (EventLog(of: bench.session), bench.store.writes)
        let playback = try await bench.session.checkAuthorization("news").playback
        #expect(playback?.mvpd == "SampleCable")
        #expect(playback?.resource == "news")
        #expect(playback?.source == .mvpd)
        #expect(playback?.until == bench.time.now + .hours(24))
        #expect(playback?.isCached == false)
        #expect(playback?.token.verified?.resource == "news")
        #expect(bench.requests == [.authorize])
        #expect(bench.store.writes == writes)
        #expect(await log.names() == ["authenticated", "permitted", "tracking of authorization"])
    }

    @Test func `A play reads the record no more often because another device was erased`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        func reads() async throws -> Int {
            let before = bench.store.reads
            #expect(try await bench.session.checkAuthorization("news").playback != nil)
            return bench.store.reads - before
        }
        _ = try await reads()
        let usual = try await reads()
        #expect(try await bench.directory.forget("other") == false)
        #expect(try await reads() == usual)
    }

    @Test func `The tracking of a permit names the user of the verified token`() async throws {
        let bench = try await AuthorizationBench.verifying()
        try await bench.signIn()
        let log = EventLog(of: bench.session)
        let playback = try await bench.session.checkAuthorization("news").playback
        let tracking = try #require(await log.next().tracking)
        #expect(tracking.isSuccess)
        #expect(tracking.guid == playback?.token.verified?.sessionGUID.rawValue)
        #expect(tracking.guid?.utf8.count == 32)
        #expect(tracking.mvpd == "SampleCable")
        #expect(tracking.device.deviceType == "tablet")
    }

    @Test func `A decision that the broker made before is told as cached`() async throws {
        let bench = try await AuthorizationBench.verifying()
        try await bench.signIn()
        _ = try await bench.session.checkAuthorization("news")
        bench.advance(by: .seconds(2))
        #expect(try await bench.session.checkAuthorization("news").playback?.isCached == true)
    }

    @Test func `Who is not signed in is refused without a call`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.change { $0.adopt(nil, askedAt: AuthorizationBench.start) }
        let log = EventLog(of: bench.session)
        await #expect(throws: EntitlementFlowError.notAuthenticated) {
            try await bench.session.checkAuthorization("news")
        }
        #expect(bench.requests == [])
        let events = await log.next()
        #expect(
            events.map(\.description) == [
                "not authenticated", "not permitted", "status N000 (Info)", "tracking of authorization",
            ])
        let failure = try #require(events.failure)
        #expect(failure.legacy.original == .userNotAuthenticated)
        #expect(failure.details == nil)
        #expect(events.tracking?.refusal == "User Not Authenticated Error")
    }

    @Test func `An ended profile counts as signed out`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        bench.advance(by: .seconds(31 * 24 * 3600))
        await #expect(throws: EntitlementFlowError.notAuthenticated) {
            try await bench.session.checkAuthorization("news")
        }
        #expect(bench.requests == [])
    }

    @Test func `A device that comes back asks for the profiles and plays: two calls`() async throws {
        let bench = try await AuthorizationBench.verifying()
        try await bench.register()
        try await bench.signInAtBroker()
        bench.forgetRequests()
        #expect(try await bench.session.checkAuthorization("news").playback != nil)
        #expect(bench.requests == [.profiles, .authorize])
        bench.forgetRequests()
        // Tokens of one second are the same.
        bench.advance(by: .seconds(1))
        #expect(try await bench.session.checkAuthorization("news").playback != nil)
        #expect(bench.requests == [.authorize])
    }

    @Test func `If the provider is known and the profile is not, the decision itself tells of the sign-in`()
        async throws
    {
        let bench = try await AuthorizationBench.verifying()
        try await bench.signInAtBroker()
        try await bench.choose("SampleCable")
        bench.forgetRequests()
        #expect(try await bench.session.checkAuthorization("news").playback != nil)
        #expect(bench.requests == [.authorize])
        let record = try await bench.record()
        #expect(record.profile?.mvpd == "SampleCable")
        #expect(record.profile?.notAfter == nil)
    }

    @Test func `A device that was never signed in is asked for once`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.register()
        for _ in 0..<2 {
            await #expect(throws: EntitlementFlowError.notAuthenticated) {
                try await bench.session.checkAuthorization("news")
            }
        }
        #expect(bench.requests == [.profiles])
    }

    @Test func `Without a requestor the request fails, and is told`() async throws {
        let bench = try await AuthorizationBench()
        let session = EntitlementSession(of: await bench.session.device, for: bench.application)
        let log = EventLog(of: session)
        await #expect(throws: EntitlementFlowError.requestorNotSet) { try await session.checkAuthorization("news") }
        #expect(await log.names() == ["not permitted", "status CFG400 (Error)", "tracking of authorization"])
    }

    @Test func `The provider's origin decides, whichever was named first`() async throws {
        let bench = try await AuthorizationBench.verifying()
        try await bench.signInAtBroker(origin: 1)
        try await bench.choose("SampleCable", origin: bench.origins[1])
        bench.forgetRequests()
        #expect(try await bench.session.checkAuthorization("news").playback != nil)
        #expect(bench.requests == [])
        #expect(bench.other.journal.compactMap(\.endpoint) == [.authorize])
    }

    @Test func `A store that does not answer is an error, not a refusal`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        bench.store.setAway()
        let log = EventLog(of: bench.session)
        let error = await #expect(throws: EntitlementFlowError.self) {
            try await bench.session.checkAuthorization("news")
        }
        #expect(error?.isStore == true)
        #expect(bench.requests == [])
        #expect(
            await log.names() == [
                "not authenticated", "not permitted", "status 500 (Error)", "tracking of authorization",
            ])
    }

    @Test func `A logout in the middle makes the permit void`() async throws {
        let bench = try await AuthorizationBench.verifying()
        try await bench.signIn()
        let directory = bench.directory
        bench.transport.onAnswer { path, answer in
            if path.contains("/authorize/") {
                _ = try? await directory.change("device-key") { $0["REF30"].logOut(mvpd: "SampleCable", at: .now) }
            }
            return answer
        }
        let log = EventLog(of: bench.session)
        await #expect(throws: EntitlementFlowError.superseded) { try await bench.session.checkAuthorization("news") }
        #expect(await log.names() == ["not permitted", "tracking of authorization"])
    }

    @Test func `A cancelled play is told as a failure and leaves the sign-in`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        bench.activate(.network(.delay(.seconds(6))), at: .authorize)
        let log = EventLog(of: bench.session)
        let play = Task { try await bench.session.checkAuthorization("news") }
        try await eventually { !bench.requests.isEmpty }
        play.cancel()
        await #expect(throws: EntitlementFlowError.cancelled) { try await play.value }
        #expect(await log.names() == ["authenticated", "not permitted", "tracking of authorization"])
        #expect(try await bench.record().profile != nil)
    }
}
#endif
