import ServiceResponses
import Testing

/// No description, mirror or error shows a code, a session, an address or a personal datum.
@Suite struct AnswerRedactionTests {
    private static let secrets = [
        "Q7OI0XZ", "5f0c2a9e-3f51", "PD94bWwg", "https://example.com/back", "192.0.2.7", "SAMLRequest", "hidden-17",
    ]
    private static let session = """
        {"actionName":"authenticate","actionType":"interactive","reasonType":"none","code":"Q7OI0XZ",
        "url":"/api/v2/authenticate/WAVE/Q7OI0XZ","sessionId":"5f0c2a9e-3f51-4c1c","serviceProvider":"WAVE",
        "authenticationRequest":{"type":"saml","request":"PD94bWwg","attributesNames":["uid"],"x":"hidden-17"},
        "notAfter":"1780001800","x":"hidden-17"}
        """
    private static let status = """
        {"existingParameters":{"serviceProvider":"WAVE","redirectUrl":"https://example.com/back","x":"hidden-17"},
        "device":{"type":"Desktop","connection":{"ipAddress":"192.0.2.7","port":"1","x":"hidden-17"},"x":"hidden-17",
        "browser":{"userAgent":"hidden-17","version":{"x":"hidden-17"}}},"x":"hidden-17"}
        """
    private static let logout = """
        {"logouts":{"M":{"actionName":"logout","actionType":"interactive","x":"hidden-17",
        "url":"https://idp.example.net/slo?SAMLRequest=Q7OI0XZ"},"N":{"actionName":{"x":"hidden-17"}}}}
        """
    private static let configuration = """
        {"requestor":{"id":"WAVE","x":"hidden-17","domains":[{"name":"example.com","x":"hidden-17"}],
        "mvpds":[{"id":"M","x":"hidden-17"},{"id":["hidden-17"]}]},"x":"hidden-17"}
        """

    static let bodies: [(any ServiceResponse.Type, String)] = [
        (SessionResponse.self, session), (SessionStatusResponse.self, status), (LogoutResponse.self, logout),
        (ConfigurationResponse.self, configuration),
    ]

    private func shown(_ value: some Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        return [String(describing: value), String(reflecting: value), dumped]
    }

    @Test(arguments: bodies.indices)
    func nothingSecretIsShown(_ index: Int) throws {
        let (kind, body) = Self.bodies[index]
        #expect(Self.secrets.contains { body.contains($0) })
        let answer = try kind.init(parsing: body)
        for text in shown(answer) {
            for secret in Self.secrets { #expect(!text.contains(secret), "\(secret) in \(text)") }
        }
        #expect(String(describing: answer).utf8.allSatisfy { $0 >= 0x20 })
    }

    /// Whichever member is broken, the error names the member and not what it holds.
    @Test(arguments: bodies.indices)
    func errorsHoldNoValues(_ index: Int) throws {
        let (kind, body) = Self.bodies[index]
        let valid = Array(body.utf8)
        var refusals = 0
        for position in valid.indices where valid[position] == UInt8(ascii: ":") || valid[position] == UInt8(ascii: ",")
        {
            for change in ["", "7,", ":", "\"", "[", "{}"] {
                let changed = valid[..<position] + change.utf8 + valid[(position + 1)...]
                do throws(ServiceResponseError) {
                    _ = try kind.init(parsing: Array(changed))
                } catch {
                    refusals += 1
                    for text in shown(error) {
                        for secret in Self.secrets { #expect(!text.contains(secret), "\(secret) in \(text)") }
                    }
                }
            }
        }
        #expect(refusals > 30)
    }

    @Test func codesAndSessionsAreRedactedWhereverTheyAre() {
        for text in shown([AuthenticationCode("Q7OI0XZ")]) + shown([SessionID("5f0c2a9e-3f51")]) {
            #expect(!Self.secrets.contains { text.contains($0) })
        }
        #expect("\(AuthenticationCode("Q7OI0XZ"))" == "authentication code")
        #expect("\(SessionID("5f0c2a9e-3f51"))" == "session")
    }

    @Test func codesAndSessionsAreComparedByBytes() {
        #expect(AuthenticationCode("ABC") == AuthenticationCode("ABC"))
        #expect(AuthenticationCode("ABC") != AuthenticationCode("abc"))
        #expect(Set([AuthenticationCode("Caf\u{E9}"), AuthenticationCode("Cafe\u{301}")]).count == 2)
        #expect(Set([SessionID("\u{212A}"), SessionID("K"), SessionID("K")]).count == 2)
    }
}
