#if Client
import BrokerClient
import EntitlementValues
import HTTPTypes
import ServiceResponses
import TextCodecs
import Testing

/// No secret stands in a URL: proxies and servers write URLs into their logs.
@Suite struct SecretsTests {
    /// The spellings in which a text may stand somewhere.
    static func spellings(of secret: String) -> [String] {
        let base64 = Base64.encode(Array(secret.utf8))
        let plain = [secret, base64, String(base64.filter { $0 != "=" })]
        return plain + plain.map { Percent.encode($0.utf8) }
    }

    static let secrets = [
        "client secret": Secrets.clientSecret, "access token": Secrets.accessToken,
        "device identifier": Secrets.deviceIdentifier, "SAML answer": Secrets.saml,
        "platform token": Secrets.platformToken, "service token": Secrets.serviceToken,
        "software statement": Secrets.statement, "visitor": Secrets.visitor,
        "identity": #"{"email":"\#(Secrets.identity)"}"#,
    ]

    @Test func `Each secret goes out, and none in a URL`() async throws {
        var urls = "", elsewhere = ""
        for call in EndpointCall.all {
            let test = try TestBroker(BrokerRecorder(answering: call.answer, status: call.status))
            try await call.make(try test.knowingCaller)
            for sent in test.recorder.sent {
                urls += " \(sent.request.authority ?? "")\(sent.path)"
                elsewhere += " \(sent.body)"
                for field in sent.request.headerFields { elsewhere += " \(field.value)" }
            }
        }
        for (name, secret) in Self.secrets {
            let spellings = Self.spellings(of: secret)
            #expect(!spellings.contains { urls.contains($0) }, "\(name) in a URL")
            // Otherwise the search could not have found it either.
            #expect(spellings.contains { elsewhere.contains($0) }, "\(name) was not used")
        }
    }

    @Test func `The browser's address holds the code alone`() throws {
        let test = try TestBroker(BrokerRecorder(answering: ""))
        let address = try test.broker.signInAddress(for: AuthenticationCode("AB/C 1"), requestor: "REF30")
        #expect(address == "https://broker.example/api/v2/authenticate/REF30/AB%2FC%201")
        #expect(throws: BrokerError.request(.badIdentifier(name: "code"))) {
            try test.broker.signInAddress(for: AuthenticationCode(""), requestor: "REF30")
        }
        #expect(test.recorder.sent.isEmpty)
    }

    @Test func `Errors of requests and scopes show no values`() async throws {
        let test = try TestBroker(BrokerRecorder(answering: ""))
        let secret = Secrets.deviceIdentifier
        let scope = TemporaryAccessScope.device(secret)
        var dumped = ""
        dump(scope, to: &dumped)
        #expect(!"\(scope) \(String(reflecting: scope)) \(dumped)".contains(secret))
        let error = await #expect(throws: BrokerError.self) {
            try await test.caller.session(AuthenticationCode(".."), requestor: "REF30")
        }
        #expect(error == .request(.badIdentifier(name: "code")))
        #expect(test.recorder.sent.isEmpty)
    }
}
#endif
