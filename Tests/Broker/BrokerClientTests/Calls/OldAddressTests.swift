#if Client
import BrokerClient
import BrokerMessages
import EntitlementValues
import InMemoryLogging
import Logging
import Testing

/// Addresses of the time of plain HTTP: in old code, and in old configurations.
@Suite struct OldAddressTests {
    private let log = InMemoryLogHandler()

    private func broker() throws -> Broker {
        let log = log
        return try TestBroker(
            BrokerRecorder(answering: "{}"), observation: BrokerObservation(logger: Logger(label: "test") { _ in log })
        ).broker
    }

    private var warnings: [String] { log.entries.filter { $0.level == .warning }.map(\.message.description) }

    @Test(arguments: [
        ("http://sp.auth.adobe.com/", 1), ("http://sp.auth.adobe.com/adobe-services", 1),
        ("hTTp://SP.auth.adobe.com/adobe-services/", 1), ("https://sp.auth.adobe.com/adobe-services", 0),
        ("sp.auth.adobe.com", 0),
    ])
    func `A service provider of the operator is reached over https, with a warning that does not show the address`(
        text: String, count: Int
    ) throws {
        #expect(try broker().origin(ofServiceProvider: text).description == "https://sp.auth.adobe.com")
        #expect(warnings.count == count && !warnings.contains { $0.contains("adobe.com") })
    }

    @Test(arguments: [
        ("http://provider.example", "plain_http"), ("http://sp.auth.adobe.com.example", "plain_http"),
        ("http://sp.auth.adobe.com/other", "origin_with_more"), ("http://sp.auth.adobe.com/?a", "origin_with_more"),
        ("http://sp.auth.adobe.com@evil.example/", "origin_with_more"), ("http://", "malformed_origin"),
    ])
    func `Others are refused, and nothing is said to be raised`(text: String, code: String) throws {
        let error = #expect(throws: BrokerSettingsError.self) { try broker().origin(ofServiceProvider: text) }
        #expect(error?.code == code)
        #expect(warnings.isEmpty)
    }

    @Test func `A service provider on this machine stays plain`() throws {
        #expect(
            try broker().origin(ofServiceProvider: "http://127.0.0.1:8090/").description == "http://127.0.0.1:8090")
        #expect(warnings.isEmpty)
    }

    @Test func `Shown addresses of the operator are raised with one warning, others stay`() throws {
        let addresses = [
            "http://a.auth.adobe.com/1.png", nil, "http://auth-staging.adobe.com", "https://auth.adobe.com/2.png",
            "http://provider.example/3.png", "http://auth.adobe.com:80/4.png", "", "not an address",
        ]
        let raised = try broker().raisingToHTTPS(addresses)
        #expect(
            raised == [
                "https://a.auth.adobe.com/1.png", nil, "https://auth-staging.adobe.com", "https://auth.adobe.com/2.png",
                "http://provider.example/3.png", "http://auth.adobe.com:80/4.png", "", "not an address",
            ])
        #expect(warnings.count == 1)
        #expect(try broker().raisingToHTTPS([nil, "https://auth.adobe.com"]) == [nil, "https://auth.adobe.com"])
        #expect(warnings.count == 1)
    }
}
#endif
