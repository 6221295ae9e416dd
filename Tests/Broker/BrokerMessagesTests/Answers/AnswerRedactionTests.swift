import BrokerMessages
import ServiceResponses
import Testing

/// No description, mirror or error shows a code, a session, an address or a personal datum.
@Suite struct AnswerRedactionTests {
    private static let secrets = [
        "Q7OI0XZ", "5f0c2a9e-3f51", "PD94bWwg", "https://example.com/back", "192.0.2.7", "SAMLRequest", "hidden-17",
    ]
    private func shown(_ value: some Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        return [String(describing: value), String(reflecting: value), dumped]
    }

    @Test(arguments: MessageVectorTests.kinds.keys.sorted())
    func `Nothing secret is shown`(_ name: String) throws {
        let kind = try #require(MessageVectorTests.kinds[name])
        let body = kind.bodyWithSecrets
        #expect(Self.secrets.contains { body.contains($0) })
        let answer = try kind.init(parsing: body)
        for text in shown(answer) {
            for secret in Self.secrets { #expect(!text.contains(secret), "\(secret) in \(text)") }
        }
        #expect(String(describing: answer).utf8.allSatisfy { $0 >= 0x20 })
    }

    /// Whichever member is broken, the error names the member and not what it holds.
    @Test(arguments: MessageVectorTests.kinds.keys.sorted())
    func `Errors hold no values`(_ name: String) throws {
        let kind = try #require(MessageVectorTests.kinds[name])
        let body = kind.bodyWithSecrets
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

    @Test func `Codes and sessions are redacted wherever they are`() {
        for text in shown([AuthenticationCode("Q7OI0XZ")]) + shown([SessionID("5f0c2a9e-3f51")]) {
            #expect(!Self.secrets.contains { text.contains($0) })
        }
        #expect("\(AuthenticationCode("Q7OI0XZ"))" == "authentication code")
        #expect("\(SessionID("5f0c2a9e-3f51"))" == "session")
    }

    @Test func `Codes and sessions are compared by bytes`() {
        #expect(AuthenticationCode("ABC") == AuthenticationCode("ABC"))
        #expect(AuthenticationCode("ABC") != AuthenticationCode("abc"))
        #expect(Set([AuthenticationCode("Caf\u{E9}"), AuthenticationCode("Cafe\u{301}")]).count == 2)
        #expect(Set([SessionID("\u{212A}"), SessionID("K"), SessionID("K")]).count == 2)
    }
}

// What is secret in them is among the secrets above.

extension SessionResponse {
    static let bodyWithSecrets = """
        {"actionName":"authenticate","actionType":"interactive","reasonType":"none","code":"Q7OI0XZ",
        "url":"/api/v2/authenticate/WAVE/Q7OI0XZ","sessionId":"5f0c2a9e-3f51-4c1c","serviceProvider":"WAVE",
        "authenticationRequest":{"type":"saml","request":"PD94bWwg","attributesNames":["uid"],"x":"hidden-17"},
        "notAfter":"1780001800","x":"hidden-17"}
        """
}

extension SessionStatusResponse {
    static let bodyWithSecrets = """
        {"existingParameters":{"serviceProvider":"WAVE","redirectUrl":"https://example.com/back","x":"hidden-17"},
        "device":{"type":"Desktop","connection":{"ipAddress":"192.0.2.7","port":"1","x":"hidden-17"},"x":"hidden-17",
        "browser":{"userAgent":"hidden-17","version":{"x":"hidden-17"}}},"x":"hidden-17"}
        """
}

extension LogoutResponse {
    static let bodyWithSecrets = """
        {"logouts":{"M":{"actionName":"logout","actionType":"interactive","x":"hidden-17",
        "url":"https://idp.example.net/slo?SAMLRequest=Q7OI0XZ"},"N":{"actionName":{"x":"hidden-17"}}}}
        """
}

extension ConfigurationResponse {
    static let bodyWithSecrets = """
        {"requestor":{"id":"WAVE","x":"hidden-17","domains":[{"name":"example.com","x":"hidden-17"}],
        "mvpds":[{"id":"M","x":"hidden-17"},{"id":["hidden-17"]}]},"x":"hidden-17"}
        """
}

extension ProfilesResponse {
    static let bodyWithSecrets = """
        {"profiles":{"M":{"notBefore":1780000000000,"notAfter":1780001800000,"issuer":"M","x":"hidden-17",
        "attributes":{"userID":{"value":"hidden-17","state":"plain","x":"hidden-17"},"zip":{"value":["hidden-17"],
        "state":"hidden-17"},"bare":"hidden-17","error":{"error":"denied"}}}},"x":"hidden-17"}
        """
}

extension DecisionsResponse {
    static let bodyWithSecrets = """
        {"decisions":[{"resource":"R","serviceProvider":"WAVE","mvpd":"M","authorized":true,"x":"hidden-17",
        "token":{"serializedToken":"hidden-17","notBefore":1780000000000,"x":"hidden-17"}}],"x":"hidden-17"}
        """
}

extension EnhancedError {
    static let bodyWithSecrets = """
        {"code":"denied","status":403,"action":"none","message":"A text.","trace":"t-1","x":"hidden-17",
        "y":{"z":"192.0.2.7"}}
        """
}

extension ClientCredentials {
    static let bodyWithSecrets = """
        {"client_id":"c","client_secret":"hidden-17","client_id_issued_at":1780000000,"redirect_uris":["r"],
        "grant_types":["client_credentials"],"scopes":["api:client:v2"],"x":"hidden-17"}
        """
}

extension AccessToken {
    static let bodyWithSecrets = """
        {"id":"i","access_token":"hidden-17","created_at":1780000000000,"expires_in":21600,"token_type":"bearer",
        "x":"hidden-17"}
        """
}

extension RegistrationError {
    static let bodyWithSecrets = """
        {"error":"invalid_client","error_description":"hidden-17","error_uri":"https://example.com/back",
        "x":"hidden-17"}
        """
}
