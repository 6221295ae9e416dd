#if Client
import BrokerClient
import BrokerSimulation
import EntitlementFlows
import EntitlementValues
import MediaTokens
import RecordChecks
import ServiceResponses
import Synchronization
import Testing
import TokenRedemption

@Suite("The media token of a permit")
struct MediaTokenTests {
    private static let refused: [MediaTokenDefect] = [
        .badSignature, .otherKey, .weakKey, .otherRequestor, .otherResource, .lookAlike, .requestorMissing, .expired,
        .notYetValid,
    ]

    @Test(arguments: refused)
    func `A token that is not good is refused, and stays unused`(defect: MediaTokenDefect) async throws {
        let replays = CountingReplayStore()
        let bench = try await AuthorizationBench.verifying(in: replays)
        try await bench.signIn()
        bench.activate(.token(defect), at: .authorize, times: 1)
        let log = EventLog(of: bench.session)
        let error = await #expect(throws: EntitlementFlowError.self) {
            try await bench.session.checkAuthorization("news")
        }
        #expect(error?.refusal?.status == defect.expectedStatus)
        #expect(replays.count == 0)
        #expect(bench.requests == [.authorize])
        #expect(
            await log.names() == [
                "authenticated", "not permitted", "status Z500 (Error)", "tracking of authorization",
            ])
        #expect(try await bench.session.checkAuthorization("news").playback != nil)
        #expect(replays.count == 1)
    }

    @Test(arguments: [MediaTokenDefect.documentedRoot, .closingMarker])
    func `A token that is only unusual is good`(defect: MediaTokenDefect) async throws {
        let bench = try await AuthorizationBench.verifying()
        try await bench.signIn()
        bench.activate(.token(defect), at: .authorize)
        #expect(try await bench.session.checkAuthorization("news").playback?.token.verified != nil)
    }

    @Test func `A caller without a session gets the same decision, and nothing of it is written or told`()
        async throws
    {
        let replays = CountingReplayStore()
        let bench = try await AuthorizationBench.verifying(in: replays)
        try await bench.signIn()
        let (caller, written) = (await bench.session.caller(at: bench.origins[0]), bench.store.writes)
        let log = EventLog(of: bench.session)
        func decide(on resource: ResourceID) async throws -> AuthorizationOutcome {
            try await bench.application.checkAuthorization(
                resource, mvpd: "SampleCable", requestor: AuthorizationBench.requestor, by: caller)
        }
        #expect(try await decide(on: "news").playback?.token.verified?.mvpd == "SampleCable")
        guard case .denied(let denial) = try await decide(on: "sim:deny") else {
            Issue.record("it is not denied")
            return
        }
        #expect(denial.error?.code == .authorizationDeniedByMVPD)
        #expect(replays.count == 1)
        bench.activate(.token(.otherResource), at: .authorize, times: 1)
        await #expect(throws: EntitlementFlowError.self) { try await decide(on: "sports") }
        #expect(replays.count == 1)
        #expect(bench.requests == [.authorize, .authorize, .authorize])
        #expect(bench.store.writes == written)
        #expect(await log.names().isEmpty)
    }

    @Test func `A token of another provider is refused`() async throws {
        let bench = try await AuthorizationBench.verifying()
        try await bench.signIn("SampleFiber")
        bench.activate(.token(.swappedProviders), at: .authorize)
        await #expect(
            throws: EntitlementFlowError.token(.mismatch([.mvpd(response: "SampleFiber", token: "SampleProxy")]))
        ) { try await bench.session.checkAuthorization("news") }
    }

    @Test func `A token that came before is refused`() async throws {
        let bench = try await AuthorizationBench.verifying()
        try await bench.signIn()
        let first = Mutex<HTTPAnswer?>(nil)
        bench.transport.onAnswer { path, answer in
            guard path.contains("/authorize/") else { return answer }
            return first.withLock { known in
                known = known ?? answer
                return known ?? answer
            }
        }
        #expect(try await bench.session.checkAuthorization("news").playback != nil)
        await #expect(throws: EntitlementFlowError.token(.refused(.replayed))) {
            try await bench.session.checkAuthorization("news")
        }
    }

    @Test func `Without a store, a token is verified and not used up`() async throws {
        let bench = try await AuthorizationBench.verifying(in: nil)
        try await bench.signIn()
        let token = try #require(try await bench.session.checkAuthorization("news").playback?.token.verified)
        let store = InMemoryReplayStore()
        #expect(
            try store.redeem(token.replayID, until: token.replayableUntil, at: bench.time.now) == .first)
    }

    @Test func `If the store cannot tell, nothing is played`() async throws {
        let bench = try await AuthorizationBench.verifying(in: InMemoryReplayStore(capacity: 1))
        try await bench.signIn()
        #expect(try await bench.session.checkAuthorization("news").playback != nil)
        bench.advance(by: .seconds(1))
        await #expect(throws: EntitlementFlowError.redemption(.full(capacity: 1))) {
            try await bench.session.checkAuthorization("news")
        }
    }

    @Test func `Without keys the token is text that nothing takes for verified`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        let token = try #require(try await bench.session.checkAuthorization("news").playback?.token)
        guard case .unverified(let text) = token else {
            Issue.record("the token counts as verified")
            return
        }
        #expect(token.verified == nil)
        let verifier = MediaTokenVerifier(keys: try bench.simulator.keys.mediaVerificationKeys)
        let expectations = TokenExpectations(requestor: .exactly("REF30"), resource: .exactly("news"))
        for form in [text.serializedToken, text.plainText] {
            #expect(try verifier.verify(form, expecting: expectations, at: bench.time.now).mvpd == "SampleCable")
        }
    }

    @Test func `A permit without a token is not a permit`() async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        bench.transport.onAnswer { path, answer in
            guard path.contains("/authorize/") else { return answer }
            let body =
                #"{"decisions":[{"resource":"news","serviceProvider":"REF30","mvpd":"SampleCable","authorized":true}]}"#
            return HTTPAnswer(answer.head, body: Array(body.utf8))
        }
        await #expect(throws: EntitlementFlowError.token(.noToken)) {
            try await bench.session.checkAuthorization("news")
        }
    }

    @Test(arguments: ["authorize", "preauthorize"])
    func `A permit of another provider is not a permit, and is not remembered`(call: String) async throws {
        let bench = try await AuthorizationBench()
        try await bench.signIn()
        bench.transport.onAnswer { path, answer in
            guard path.contains("/\(call)/") else { return answer }
            let body = String(decoding: answer.body, as: UTF8.self).replacing("SampleCable", with: "OtherCable")
            return HTTPAnswer(answer.head, body: Array(body.utf8))
        }
        let error = await #expect(throws: EntitlementFlowError.self) {
            if call == "authorize" {
                _ = try await bench.session.checkAuthorization("news")
            } else {
                _ = try await bench.session.preauthorize(["news"])
            }
        }
        guard case .broker(.unreadable)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        bench.transport.onAnswer(nil)
        bench.forgetRequests()
        #expect(try await bench.session.preauthorize(["news"]).permitted == ["news"])
        #expect(bench.requests == [.preauthorize])
    }

    @Test func `White space around a resource does not tell its token from another`() async throws {
        let bench = try await AuthorizationBench.verifying()
        try await bench.signIn()
        #expect(try await bench.session.checkAuthorization(" news ").playback?.resource == " news ")
    }

    @Test func `Neither descriptions nor mirrors show a token`() async throws {
        let bench = try await AuthorizationBench.verifying()
        try await bench.signIn()
        let outcome = try await bench.session.checkAuthorization("news")
        let playback = try #require(outcome.playback)
        var shown = ""
        dump(outcome, to: &shown)
        dump(playback, to: &shown)
        shown += "\(outcome) \(playback) \(String(reflecting: playback)) \(playback.token)"
        let secrets = [
            playback.token.serialized.serializedToken, playback.token.serialized.plainText,
            try #require(playback.token.verified?.sessionGUID.rawValue),
        ]
        for secret in secrets { #expect(!shown.contains(secret)) }
        #expect(shown.contains("verified media token"))
    }
}

extension EntitlementFlowError {
    /// Why a token was refused.
    fileprivate var refusal: MediaTokenError? {
        guard case .token(.refused(let error)) = self else { return nil }
        return error
    }
}

/// A store that counts what it was asked.
private final class CountingReplayStore: ReplayStore {
    private let inner = InMemoryReplayStore()
    private let asked = Mutex(0)

    var count: Int { asked.withLock { $0 } }

    func redeem(
        _ id: ReplayID,
        until expiry: Timestamp,
        at now: Timestamp
    ) async throws(ReplayStoreError) -> Redemption {
        asked.withLock { $0 += 1 }
        return try inner.redeem(id, until: expiry, at: now)
    }
}
#endif
