#if Client
import BrokerMessages
import BrokerSimulation
import HTTPTypes
import Testing

@Suite("The document of the simulated broker")
struct DocumentTests {
    @Test func `The document has each endpoint of the table under its name, and no other`() throws {
        let site = try SimulatorSite(Simulation().simulator, settings: SiteSettings(origin: "http://127.0.0.1:8090"))
        let request = HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1:8090", path: "/sim/openapi.yaml")
        let document = String(decoding: site.answer(to: request, body: []).body, as: UTF8.self)
        var (operations, path, method): ([String: String], Substring, Substring) = ([:], "", "")
        for line in document.split(separator: "\n") {
            if line.hasPrefix("  /") {
                path = line.dropFirst(2).dropLast()
            } else if line.hasPrefix("    "), !line.hasPrefix("     "), line.hasSuffix(":") {
                method = line.dropFirst(4).dropLast()
            } else if line.hasPrefix("      operationId: "), !path.hasPrefix("/sim/") {
                operations["\(method.uppercased()) \(path)"] = String(line.dropFirst(19))
            }
        }
        var expected: [String: String] = [:]
        for endpoint in BrokerEndpoint.allCases {
            let path = endpoint.path.replacing("{requestor}", with: "{serviceProvider}")
            let words = endpoint.rawValue.split(separator: "_")
            let later = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }
            expected["\(endpoint.method.rawValue) \(path)"] = words[0] + later.joined()
        }
        #expect(operations == expected)
    }
}
#endif
