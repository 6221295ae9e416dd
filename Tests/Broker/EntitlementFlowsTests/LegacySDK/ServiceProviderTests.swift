#if Client
import BrokerClient
import BrokerMessages
import BrokerSimulation
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import HTTPTypes
import ServiceResponses
import Testing

/// Addresses of service providers as the operator's library took them, and old addresses of logos.
@Suite struct ServiceProviderTests {
    @Test(arguments: [
        ["http://sp.auth.adobe.com/"], ["http://sp.auth.adobe.com/adobe-services"],
        ["sp.auth.adobe.com/adobe-services/"], ["HTTP://SP.auth.adobe.com", "https://sp.auth.adobe.com"],
    ])
    func `Old addresses of the operator are origins over https`(urls: [String]) async throws {
        let session = try FlowBench().newSession()
        try await session.setRequestor(FlowBench.requestor, serviceProviders: urls)
        #expect(await session.origins.map(\.description) == ["https://sp.auth.adobe.com"])
    }

    @Test func `Several addresses are asked at once, as origins are`() async throws {
        let bench = try FlowBench([.sample, .sample])
        let session = try bench.newSession()
        try await session.setRequestor(
            FlowBench.requestor, serviceProviders: ["broker0.example/adobe-services", "https://broker1.example/"])
        #expect(await session.origins == bench.origins)
        #expect(bench.requests(at: 0) == [.configuration] && bench.requests(at: 1) == [.configuration])
    }

    @Test(arguments: [
        "http://broker.example/", "http://sp.auth.adobe.com.evil.example", "http://sp.auth.adobe.com:8080",
        "https://broker.example/other", "https://broker.example/adobe-services?a=1", "https://user@broker.example",
        "ftp://sp.auth.adobe.com", "//sp.auth.adobe.com", "", " ", "https://",
    ])
    func `What is not the address of a server is refused at once, and nothing is told`(url: String) async throws {
        let bench = try FlowBench()
        let session = try bench.newSession()
        let log = EventLog(of: session)
        await #expect(throws: EntitlementFlowError.unsupported(.malformedServiceProvider)) {
            try await session.setRequestor(FlowBench.requestor, serviceProviders: ["https://broker0.example", url])
        }
        #expect(await log.names().isEmpty)
        #expect(bench.simulator.journal.isEmpty)
        await #expect(throws: EntitlementFlowError.requestorNotSet) { try await session.checkAuthentication() }
    }

    @Test func `An old address of a logo is shown and kept over https`() async throws {
        var world = SimulatedWorld.sample
        let names = world.mvpds.map(\.id)
        world.mvpds[0].logoURL = "http://logos.auth.adobe.com/cable.png?a=http://b"
        world.mvpds[1].logoURL = "http://provider.example/logo.png"
        let bench = try FlowBench([world])
        let session = try await bench.session()
        guard case .chooseProvider(let choice) = try await session.getAuthentication() else {
            Issue.record("no picker")
            return
        }
        let logos = Dictionary(uniqueKeysWithValues: choice.providers.map { ($0.id, $0.logoURL) })
        #expect(logos[names[0]] == "https://logos.auth.adobe.com/cable.png?a=http://b")
        // Whether another host has the same over https is not known.
        #expect(logos[names[1]] == "http://provider.example/logo.png")
        _ = try await session.setSelectedProvider(names[0])
        #expect(try await session.selectedProvider()?.logoURL == "https://logos.auth.adobe.com/cable.png?a=http://b")
    }
}
#endif
