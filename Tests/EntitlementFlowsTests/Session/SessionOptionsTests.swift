#if Client
import BrokerClient
import BrokerMessages
import BrokerSimulation
import EntitlementFlows
import EntitlementValues
import HTTPTypes
import Testing

@Suite("Options that change")
struct SessionOptionsTests {
    @Test func `They count from the next request on, also for a call that is under way`() async throws {
        let bench = try FlowBench()
        var (before, after) = (SessionOptions(), SessionOptions())
        before.clientAddress = try ClientAddress("192.0.2.1")
        after.clientAddress = try ClientAddress("192.0.2.2")
        let session = try await bench.session(options: before)
        bench.transport.onAnswer { [after] path, answer in
            if path.contains("/profiles") { await session.setOptions(after) }
            return answer
        }
        _ = try await session.getAuthentication()
        let name = try #require(HTTPField.Name("X-Forwarded-For"))
        for (place, address) in [("/profiles", "192.0.2.1"), ("/configuration", "192.0.2.2")] {
            let request = try #require(bench.transport.requests.last { $0.path?.contains(place) == true })
            #expect(request.headerFields[name] == address, "\(place)")
        }
    }
}
#endif
