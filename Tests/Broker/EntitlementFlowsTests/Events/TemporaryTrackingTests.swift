#if Client
import BrokerClient
import BrokerSimulation
import EntitlementFlows
import EntitlementValues
import MediaTokens
import Testing

@Suite("Tracking of temporary access")
struct TemporaryTrackingTests {
    /// The MD5 of the benches' identifiers, as `md5sum` prints them.
    private static let ofFlowBench = "0c74fbb33e65c2a3a4b5d418fff63292"
    private static let ofAuthorizationBench = "79464212afb7fd6c38699d0617eaedeb"

    @Test func `The user of temporary access is the device, by the MD5 of its identifier`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        let log = EventLog(of: session)
        _ = try await session.setSelectedProvider("TempPass")
        let all = await log.next().compactMap { if case .tracking(let event) = $0 { event } else { nil } }
        #expect(all.map(\.kind) == [.providerSelection, .authentication])
        #expect(all.last?.guid == Self.ofFlowBench && all.last?.mvpd == "TempPass")
        _ = try await session.checkAuthentication()
        let cached = try #require(await log.next().tracking)
        #expect(cached.guid == Self.ofFlowBench && cached.isCached)
        _ = try await session.checkAuthorization("news")
        let play = try #require(await log.next().tracking)
        #expect(play.kind == .authorization && play.isSuccess && play.mvpd == "TempPass")
        #expect(play.guid == Self.ofFlowBench)
        #expect(play.array[2] == .string(Self.ofFlowBench))
    }

    @Test func `A denial of temporary access names the device, too`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        _ = try await session.setSelectedProvider("TempPass")
        let log = EventLog(of: session)
        _ = try await session.checkAuthorization("sim:deny")
        let denial = try #require(await log.next().tracking)
        #expect(!denial.isSuccess && denial.guid == Self.ofFlowBench)
    }

    @Test(arguments: ["TempPass", "SampleCable"])
    func `A token that is verified names the user itself`(mvpd: MVPDID) async throws {
        let bench = try await AuthorizationBench.verifying()
        if mvpd == "TempPass" {
            _ = try await bench.session.setSelectedProvider(mvpd)
        } else {
            try await bench.signIn(mvpd)
        }
        let log = EventLog(of: bench.session)
        let playback = try await bench.session.checkAuthorization("news").playback
        let verified = try #require(playback?.token.verified?.sessionGUID.rawValue)
        #expect(await log.next().tracking?.guid == verified)
        // The broker names the user of temporary access by the device, too.
        #expect((verified == Self.ofAuthorizationBench) == (mvpd == "TempPass"))
    }

    @Test func `Whoever is signed in with a provider is not told by a device`() async throws {
        let bench = try FlowBench()
        let session = try await bench.session()
        try await bench.signIn(session)
        let log = EventLog(of: session)
        _ = try await session.checkAuthentication(.broker)
        #expect(await log.next().tracking?.guid == nil)
        _ = try await session.checkAuthorization("news")
        #expect(await log.next().tracking?.guid == nil)
    }
}
#endif
