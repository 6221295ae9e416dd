import BrokerMessages
import EntitlementValues
import ServiceResponses
import Testing

/// Reads a body that must be refused, and gives the error.
func refusal<Response: ServiceResponse>(
    of type: Response.Type,
    _ body: String,
    sourceLocation: SourceLocation = #_sourceLocation
) throws -> ServiceResponseError {
    do throws(ServiceResponseError) {
        _ = try Response(parsing: body)
    } catch {
        return error
    }
    Issue.record("not refused", sourceLocation: sourceLocation)
    throw Unrefused()
}

@Suite struct RegistrationAnswerTests {
    // MARK: Credentials

    @Test func `Credentials are read with their time in seconds`() throws {
        let credentials = try ClientCredentials(
            parsing: """
                {"client_id":"s6BhdRkqt3","client_secret":"t7AkePiru4","client_id_issued_at":1735689600,
                 "redirect_uris":["app://done"],"grant_types":["client_credentials"],"scopes":["api:client:v2"],"x":1}
                """)
        #expect(credentials.clientID == "s6BhdRkqt3")
        #expect(credentials.clientSecret == "t7AkePiru4")
        #expect(credentials.issuedAt == Timestamp(milliseconds: 1_735_689_600_000))
        #expect(credentials.redirectURIs == ["app://done"])
        #expect(credentials.grantTypes == [.clientCredentials])
        #expect(credentials.scopes == [.apiV2])
        #expect(credentials.unknownFields.map(\.name) == ["x"])
        #expect(credentials.faults == [])
        expectRedacted(credentials, hiding: "t7AkePiru4")
    }

    @Test(
        arguments: [
            ("1735689600", 1_735_689_600_000, false), ("\"1735689600\"", 1_735_689_600_000, false),
            ("1735689600000", 1_735_689_600_000_000, true), ("0", 0, true), ("-1", -1000, true),
        ] as [(String, Int64, Bool)])
    func `The time of issue is read as sent and warned about`(_ value: String, _ milliseconds: Int64, _ isOdd: Bool)
        throws
    {
        let body = #"{"client_id":"a","client_secret":"b","client_id_issued_at":\#(value)}"#
        let credentials = try ClientCredentials(parsing: body)
        #expect(credentials.issuedAt == Timestamp(milliseconds: milliseconds))
        let place = credentials.faults.first?.path?.pointer
        #expect(place == (isOdd ? "/client_id_issued_at" : nil))
        #expect(credentials.faults.allSatisfy { $0.isWarning && "\($0)".contains("seconds") })
    }

    @Test(arguments: [
        (#""scopes":"api:client:v2,other""#, ["api:client:v2", "other"]), (#""scopes":"a b""#, ["a", "b"]),
        (#""scopes":[]"#, []), (#""scopes":null"#, []),
    ])
    func `Scopes are read as list and as text`(_ member: String, _ names: [String]) throws {
        let credentials = try ClientCredentials(parsing: #"{"client_id":"a","client_secret":"b",\#(member)}"#)
        #expect(credentials.scopes.map(\.rawValue) == names)
    }

    @Test func `A broken element leaves its neighbours`() throws {
        let body = #"{"client_id":"a","client_secret":"b","redirect_uris":["x",7,"y"]}"#
        let credentials = try ClientCredentials(parsing: body)
        #expect(credentials.redirectURIs == ["x", "y"])
        #expect(credentials.faults.map { $0.path?.pointer } == ["/redirect_uris/1"])
    }

    @Test(arguments: [
        ("{}", "missing_member", "/client_id"), (#"{"client_id":"a"}"#, "missing_member", "/client_secret"),
        (#"{"client_id":"","client_secret":"b"}"#, "wrong_type", "/client_id"),
        (#"{"client_id":1,"client_secret":"b"}"#, "wrong_type", "/client_id"),
        (#"{"client_id":"a","client_secret":"b","client_id_issued_at":true}"#, "wrong_type", "/client_id_issued_at"),
        (
            #"{"client_id":"a","client_secret":"b","client_id_issued_at":"soon"}"#, "bad_timestamp",
            "/client_id_issued_at"
        ),
        (
            #"{"client_id":"a","client_secret":"b","client_id_issued_at":9223372036854775807}"#, "bad_timestamp",
            "/client_id_issued_at"
        ),
        (#"{"client_id":"a","client_secret":"b","scopes":[1]}"#, "wrong_type", "/scopes"),
        (#"{"client_id":"a","client_secret":"b","grant_types":"x"}"#, "wrong_type", "/grant_types"),
    ])
    func `Bad credentials are refused with their place`(_ body: String, _ code: String, _ place: String) throws {
        let error = try refusal(of: ClientCredentials.self, body)
        #expect(error.code == code)
        #expect(error.path?.pointer == place)
        #expect(!"\(error)".contains("soon"))
    }

    // MARK: Access token

    @Test func `An access token is read with its two units`() throws {
        let token = try AccessToken(
            parsing: """
                {"id":"1","access_token":"eyJ.a.b","created_at":1735689600123,"expires_in":21600,"token_type":"bearer","x":[]}
                """)
        #expect(token.bearer.headerValue == "Bearer eyJ.a.b")
        #expect(token.createdAt == Timestamp(milliseconds: 1_735_689_600_123))
        #expect(token.lifetime == .hours(6))
        #expect(token.expires == Timestamp(milliseconds: 1_735_711_200_123))
        #expect(token.id == "1")
        #expect(token.type == "bearer")
        #expect(token.unknownFields.map(\.name) == ["x"])
        #expect(token.faults == [])
        expectRedacted(token, hiding: "eyJ.a.b")
    }

    @Test(arguments: [
        ("\"1735689600123\"", "\"21600\"", []), ("1735689600", "21600", ["/created_at"]),
        ("1735689600123", "21600000", ["/expires_in"]), ("1735689600123", "0", []), ("1735689600123", "2678400", []),
        ("1735689600123", "2678401", ["/expires_in"]),
    ])
    func `Strings are read and other units are warned about`(_ created: String, _ expires: String, _ places: [String])
        throws
    {
        let body = #"{"access_token":"a","created_at":\#(created),"expires_in":\#(expires)}"#
        let token = try AccessToken(parsing: body)
        #expect(token.faults.map { $0.path?.pointer } == places)
        #expect(token.faults.allSatisfy { $0.isWarning })
    }

    @Test(arguments: [
        ("{}", "missing_member", "/access_token"),
        (#"{"access_token":"a","expires_in":1}"#, "missing_member", "/created_at"),
        (#"{"access_token":"a","created_at":1735689600123}"#, "missing_member", "/expires_in"),
        (#"{"access_token":"a","created_at":1735689600123,"expires_in":-1}"#, "bad_timestamp", "/expires_in"),
        (#"{"access_token":"a","created_at":1735689600123,"expires_in":1.5}"#, "bad_timestamp", "/expires_in"),
        (#"{"access_token":"a","created_at":1735689600123,"expires_in":"1e3"}"#, "bad_timestamp", "/expires_in"),
        (#"{"access_token":"a","created_at":1735689600123,"expires_in":[]}"#, "wrong_type", "/expires_in"),
        (
            #"{"access_token":"a","created_at":1735689600123,"expires_in":9223372036854775807}"#, "bad_timestamp",
            "/expires_in"
        ),
        (
            #"{"access_token":"a","created_at":9223372036854775808,"expires_in":1}"#, "bad_timestamp", "/created_at"
        ),
        (#"{"access_token":"","created_at":1735689600123,"expires_in":1}"#, "wrong_type", "/access_token"),
        (#"{"access_token":"a b","created_at":1735689600123,"expires_in":1}"#, "wrong_type", "/access_token"),
        (#"{"access_token":"a\r\nX: 1","created_at":1735689600123,"expires_in":1}"#, "wrong_type", "/access_token"),
    ])
    func `Bad access tokens are refused with their place`(_ body: String, _ code: String, _ place: String) throws {
        let error = try refusal(of: AccessToken.self, body)
        #expect(error.code == code)
        #expect(error.path?.pointer == place)
        // The one is in milliseconds, the other in seconds.
        #expect(place != "/expires_in" || !"\(error)".contains("milliseconds"))
    }

    @Test func `The end of a token does not overflow`() throws {
        let body = #"{"access_token":"a","created_at":9223372036854775807,"expires_in":9223372036854775}"#
        let token = try AccessToken(parsing: body)
        #expect(token.expires == Timestamp(milliseconds: .max))
        #expect(token.faults.count == 2)
    }

    // MARK: Errors

    @Test func `Errors are read without showing their words`() throws {
        let error = try RegistrationError(
            parsing: """
                {"error":"invalid_client","error_description":"secret words","error_uri":"https://example.org/e","x":1}
                """)
        #expect(error.error == .invalidClient)
        #expect(error.errorDescription == "secret words")
        #expect(error.errorURI == "https://example.org/e")
        #expect(error.unknownFields.map(\.name) == ["x"])
        #expect("\(error)" == "registration error invalid_client")
        expectRedacted(error, hiding: "secret words")
    }

    @Test func `The documented codes are named and others stay open`() throws {
        let named: [RegistrationErrorCode] = [
            .invalidRequest, .invalidRedirectURI, .invalidSoftwareStatement, .unapprovedSoftwareStatement,
            .invalidClient, .unauthorizedClient, .unsupportedGrantType, .invalidGrant, .invalidScope,
        ]
        #expect(
            named.map(\.rawValue) == [
                "invalid_request", "invalid_redirect_uri", "invalid_software_statement",
                "unapproved_software_statement",
                "invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_grant", "invalid_scope",
            ])
        for code in named + ["something_new", "Invalid_Client"] {
            #expect(try RegistrationError(parsing: #"{"error":"\#(code.rawValue)"}"#).error == code)
        }
    }

    @Test(arguments: [
        ("{}", "missing_member"), (#"{"error":{"code":"x"}}"#, "wrong_type"), (#"{"error":""}"#, "wrong_type"),
        (#"{"error":"a","error_description":1}"#, "wrong_type"), ("<html></html>", "not_json"), ("", "not_json"),
    ])
    func `Other bodies are not errors of registration`(_ body: String, _ code: String) throws {
        #expect(try refusal(of: RegistrationError.self, body).code == code)
    }
}
