#if Service
import BrokerBench
import BrokerSimulation
import Foundation
import Testing
import TestVectors

/// `tve serve --check` of a gateway, as a process: what it asks the broker, and its exit codes.
@Suite struct GatewayCheckTests {
    private let folder: Folder
    private let simulator: BrokerSimulator

    init() throws {
        folder = try Folder()
        simulator = try BrokerSimulator()
    }

    private func check(_ changes: [String: String]) async throws -> (
        exitCode: Int32, output: String, error: String
    ) {
        let settings = try GatewayBench.settings(in: folder, of: simulator)
            .filter { !$0.key.hasPrefix("broker.apps.second") }
            .merging(["broker.store": "sqlite:\(folder.path("devices"))"]) { $1 }
            .merging(changes) { $1 }
        let outcome = try await ServeProcess.check(settings)
        return (outcome.exitCode, outcome.output, outcome.error)
    }

    @Test func `A gateway whose domains the broker knows is good, with a warning where a proxy seems to be`()
        async throws
    {
        let server = try await SimulatorServer(simulator)
        let found = try await check(["broker.origin": server.origin])
        #expect(found.exitCode == 0, "\(found.error)")
        #expect(found.output.hasPrefix("no fault in configuration, keys and store, and "), "\(found.output)")
        #expect(found.error.contains("[no_client_address]") && !found.error.contains("[not_durable]"))
        let named = try await check(["broker.origin": server.origin, "broker.clientAddressHeader": "X-Forwarded-For"])
        // The log of the calls is there as well.
        #expect(named.exitCode == 0 && !named.error.contains("warning") && !named.error.contains("[no_client_address]"))
        let open = try await check([
            "broker.origin": server.origin, "broker.clientAddressHeader": "X-Forwarded-For",
            "broker.clientPortHeader": "X-Client-Port", "public.host": "0.0.0.0",
        ])
        #expect(open.exitCode == 0)
        for words in [
            "broker.clientAddressHeader: the proxy must set X-Forwarded-For",
            "broker.clientPortHeader: the proxy must set X-Client-Port",
        ] {
            #expect(open.error.contains(words), "\(open.error)")
        }
        await server.stop()
    }

    @Test func `A domain that the broker does not know is a fault`() async throws {
        let server = try await SimulatorServer(simulator)
        let found = try await check(["broker.origin": server.origin, "broker.publicURL": "https://tv.example.net"])
        #expect(found.exitCode == 78 && found.output.isEmpty)
        #expect(found.error.contains("broker.publicURL") && found.error.contains("[unknown_domain]"))
        await server.stop()
    }

    @Test func `A broker that does not answer leaves it open`() async throws {
        // Nobody listens at that port.
        let found = try await check(["broker.origin": "http://127.0.0.1:1"])
        #expect(found.exitCode == 69 && found.output.isEmpty, "\(found.error)")
    }
}
#endif
