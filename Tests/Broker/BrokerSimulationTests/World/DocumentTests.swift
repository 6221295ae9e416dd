#if Client
import BrokerMessages
import BrokerSimulation
import HTTPTypes
import Testing

@Suite("The document of the simulated broker")
struct DocumentTests {
    private func document(_ path: String) throws -> String {
        let site = try SimulatorSite(Simulation().simulator, settings: SiteSettings(origin: "http://127.0.0.1:8090"))
        let request = HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1:8090", path: path)
        return String(decoding: site.answer(to: request, body: []).body, as: UTF8.self)
    }

    @Test func `The same is there as JSON`() throws {
        let contract = try document("/sim/openapi.json")
        #expect(contract.hasPrefix("{\n\"openapi\":\"3."))
        for line in try document("/sim/openapi.yaml").split(separator: "\n") where line.hasPrefix("  /") {
            #expect(contract.contains("\n\"\(line.dropFirst(2).dropLast())\":{"))
        }
    }

    @Test func `The document has each endpoint of the table under its name, and no other`() throws {
        let document = try document("/sim/openapi.yaml")
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
