import BrokerMessages
import EntitlementValues
import ServiceResponses
import TestVectors
import TextCodecs
import Testing

/// Reads a body that must be refused, and gives the error.
func refusal<Request: BrokerRequest>(
    of type: Request.Type,
    _ body: String,
    sourceLocation: SourceLocation = #_sourceLocation
) throws -> BrokerRequestError {
    do throws(BrokerRequestError) {
        _ = try Request(parsing: body)
    } catch {
        return error
    }
    Issue.record("not refused", sourceLocation: sourceLocation)
    throw Unrefused()
}

@Suite struct RequestTests {
    private func text(_ request: some BrokerRequest) -> String { String(decoding: request.encoded(), as: UTF8.self) }

    private let statement = StatementTexts.valid

    // MARK: Registration

    @Test func `Registration is an object with the statement`() throws {
        let request = RegistrationRequest(statement: try SoftwareStatement(statement), redirectURI: "app://done/?a=b")
        #expect(RegistrationRequest.mediaType == "application/json;charset=utf-8")
        #expect(text(request) == #"{"software_statement":"\#(statement)","redirect_uri":"app://done/?a=b"}"#)
        #expect(try RegistrationRequest(parsing: request.encoded()) == request)
        let short = RegistrationRequest(statement: try SoftwareStatement(statement))
        #expect(text(short) == #"{"software_statement":"\#(statement)"}"#)
        #expect(try RegistrationRequest(parsing: text(short)).redirectURI == nil)
        #expect(
            try RegistrationRequest(parsing: #"{"software_statement":"\#(statement)","redirect_uri":null,"x":1}"#)
                == short)
    }

    @Test(arguments: [
        ("", "request_not_json"), ("{}", "request_missing_member"), ("[]", "request_not_json"),
        (#"{"software_statement":null}"#, "request_missing_member"),
        (#"{"software_statement":1}"#, "request_wrong_type"),
        (#"{"software_statement":"x"}"#, "bad_software_statement"),
        (#"{"software_statement":""}"#, "bad_software_statement"),
        (#"{"software_statement":"a","software_statement":"b"}"#, "request_not_json"),
    ])
    func `Bad registrations are refused`(_ body: String, _ code: String) throws {
        #expect(try refusal(of: RegistrationRequest.self, body).code == code)
    }

    /// The reference's own example has raw line breaks inside the statement, which JSON does not allow.
    @Test func `A statement with raw line breaks is not JSON`() throws {
        let broken = #"{"software_statement":""# + statement.replacing(".", with: ".\n") + #""}"#
        #expect(try refusal(of: RegistrationRequest.self, broken).code == "request_not_json")
        let escaped = #"{"software_statement":""# + statement.replacing(".", with: #".\n"#) + #""}"#
        guard case .badStatement(.whiteSpaceInside) = try refusal(of: RegistrationRequest.self, escaped) else {
            Issue.record("another error")
            return
        }
    }

    // MARK: Access token

    @Test func `An access token is asked for with a form`() throws {
        let body = "client_id=s6BhdRkqt3&client_secret=a%2Bb+c%3D%26&grant_type=client_credentials"
        let credentials = try ClientCredentials(parsing: #"{"client_id":"s6BhdRkqt3","client_secret":"a+b c=&"}"#)
        let request = AccessTokenRequest(credentials)
        #expect(AccessTokenRequest.mediaType == "application/x-www-form-urlencoded")
        #expect(text(request) == body)
        #expect(try AccessTokenRequest(parsing: body) == request)
        #expect(
            try AccessTokenRequest(parsing: "grant_type=password&client_id=a&client_secret=b").grantType == "password")
        expectRedacted(request, hiding: "a+b c", "a%2Bb")
    }

    @Test(arguments: [
        ("", "request_missing_member"), ("client_id=a&grant_type=b", "request_missing_member"),
        ("client_id=&client_secret=b&grant_type=c", "request_missing_member"),
        ("client_id=a&client_secret=b", "request_missing_member"),
        ("client_id=a&client_secret=b&grant_type=c&client_secret=d", "request_not_form"),
        ("client_id=a&client_secret=%zz&grant_type=c", "request_not_form"),
        ("client_id=a&client_secret=%ff&grant_type=c", "request_not_form"),
    ])
    func `Bad token requests are refused`(_ body: String, _ code: String) throws {
        let error = try refusal(of: AccessTokenRequest.self, body)
        #expect(error.code == code)
        #expect(!"\(error)".contains("%zz"))
    }

    // MARK: Sessions

    @Test func `A session is asked for with a form that is encoded once`() throws {
        let request = SessionRequest(
            mvpd: "Test MVPD", domain: "example.org", redirect: "https://example.org/done?x=%20&y=1")
        let body =
            "mvpd=Test+MVPD&domainName=example.org&redirectUrl=https%3A%2F%2Fexample.org%2Fdone%3Fx%3D%2520%26y%3D1"
        #expect(text(request) == body)
        #expect(try SessionRequest(parsing: body) == request)
        #expect(text(SessionRequest()).isEmpty)
        #expect(try SessionRequest(parsing: "") == SessionRequest())
        // Answers spell it `domain`; in a request only the name of the reference counts.
        #expect(try SessionRequest(parsing: "domain=example.org&x=1") == SessionRequest())
    }

    @Test func `A partner's session is asked for with a form`() throws {
        let request = PartnerSessionRequest(domain: "example.org", redirect: "https://example.org/")
        let body = "domainName=example.org&redirectUrl=https%3A%2F%2Fexample.org%2F"
        #expect(PartnerSessionRequest.mediaType == "application/x-www-form-urlencoded")
        #expect(text(request) == body)
        #expect(try PartnerSessionRequest(parsing: body) == request)
        #expect(try refusal(of: PartnerSessionRequest.self, "domainName=a&domainName=a").code == "request_not_form")
    }

    // MARK: Partner's profile

    @Test func `A partner's answer is encoded once`() throws {
        let xml = "<samlp:Response>\u{3E}?ü</samlp:Response>"
        let request = try PartnerProfileRequest(samlXML: " \n\(xml)\r\n")
        let base64 = Base64.encode(Array(xml.utf8))
        #expect(request.samlResponse == base64)
        #expect(text(request) == "SAMLResponse=" + Percent.encode(base64.utf8))
        #expect(try PartnerProfileRequest(parsing: text(request)) == request)
        // A form decoder has turned `+` into spaces only if the client forgot to encode; line breaks are harmless.
        #expect(try PartnerProfileRequest(samlResponse: base64.prefix(8) + "\r\n" + base64.dropFirst(8)) == request)
        expectRedacted(request, hiding: base64, "samlp")
    }

    @Test(arguments: [
        ("", "request_missing_member"), ("SAMLResponse=", "request_missing_member"),
        ("SAMLResponse=%0D%0A", "request_missing_member"), ("SAMLResponse=PHg", "request_wrong_type"),
        ("SAMLResponse=P-g_", "request_wrong_type"), ("SAMLResponse=PHg-", "request_wrong_type"),
        ("SAMLResponse=" + String(repeating: "PHg%2B", count: 90_000), "request_too_large"),
        ("SAMLResponse=" + String(repeating: "A", count: 1 << 20), "request_too_large"),
    ])
    func `Bad answers of partners are refused`(_ body: String, _ code: String) throws {
        #expect(try refusal(of: PartnerProfileRequest.self, body).code == code)
    }

    @Test func `An empty or huge answer of a partner is not sent`() {
        #expect(throws: BrokerRequestError.missing(.root + "SAMLResponse")) {
            try PartnerProfileRequest(samlXML: " \n")
        }
        #expect(throws: BrokerRequestError.tooLarge(limit: PartnerProfileRequest.maximumLength)) {
            try PartnerProfileRequest(samlXML: String(repeating: "x", count: PartnerProfileRequest.maximumLength + 1))
        }
    }

    // MARK: Decisions

    @Test func `Decisions are asked for with a list of texts`() throws {
        let mrss = #"<rss><channel><title>"Ü" & co</title></channel></rss>"#
        let request = DecisionsRequest(resources: ["resource1 ", ResourceID(mrss)])
        #expect(
            text(request) == #"{"resources":["resource1 ","<rss><channel><title>\"Ü\" & co</title></channel></rss>"]}"#)
        #expect(try DecisionsRequest(parsing: request.encoded()) == request)
        #expect(text(DecisionsRequest(resources: [])) == #"{"resources":[]}"#)
        #expect(try DecisionsRequest(parsing: #"{"x":{},"resources":[]}"#).resources.isEmpty)
    }

    @Test(arguments: [
        ("{}", "request_missing_member", "/resources"), (#"{"resources":"a"}"#, "request_wrong_type", "/resources"),
        (#"{"resources":[1]}"#, "request_wrong_type", "/resources/0"),
        (#"{"resources":["a",null]}"#, "request_wrong_type", "/resources/1"),
        (#"{"resources":["a"]"#, "request_not_json", nil), (#"{"resources":["\ud800"]}"#, "request_not_json", nil),
        ("{\"resources\":[\"\0\"]}", "request_not_json", nil),
        ("{\"resources\":[" + String(repeating: "\"a\",", count: 1000) + "\"a\"]}", "request_too_many", "/resources"),
        ("{\"resources\":[" + String(repeating: "1,", count: 6000) + "1]}", "request_not_json", nil),
        (String(repeating: " ", count: (1 << 20) + 1), "request_too_large", nil),
        (String(repeating: "[", count: 5000), "request_not_json", nil),
    ])
    func `Bad lists are refused with their place`(_ body: String, _ code: String, _ place: String?) throws {
        let error = try refusal(of: DecisionsRequest.self, body)
        #expect(error.code == code)
        #expect(error.path?.pointer == place)
        #expect(!"\(error)".isEmpty)
    }

    // MARK: Property

    @Test(arguments: 0..<8)
    func `What is written is read back the same`(_ seed: UInt64) throws {
        var random = Noise(seed: seed)
        let statement = try SoftwareStatement(statement)
        for _ in 0..<500 {
            try expectSame(
                RegistrationRequest(statement: statement, redirectURI: random.maybe { $0.text(upTo: 40) }))
            try expectSame(
                SessionRequest(
                    mvpd: random.maybe { MVPDID($0.text(upTo: 20)) }, domain: random.maybe { $0.text(upTo: 20) },
                    redirect: random.maybe { $0.text(upTo: 40) }))
            try expectSame(
                PartnerSessionRequest(
                    domain: random.maybe { $0.text(upTo: 20) }, redirect: random.maybe { $0.text(upTo: 40) }))
            try expectSame(try PartnerProfileRequest(samlXML: "<" + random.text(upTo: 90) + ">"))
            let resources = (0..<Int.random(in: 0...5, using: &random)).map { _ in ResourceID(random.text(upTo: 40)) }
            try expectSame(DecisionsRequest(resources: resources))
            let credentials = ClientCredentials(
                clientID: random.text(upTo: 20, from: 1), clientSecret: random.text(upTo: 40, from: 1))
            try expectSame(AccessTokenRequest(credentials))
        }
    }

    private func expectSame<Request: BrokerRequest>(_ request: Request) throws {
        let read = try Request(parsing: request.encoded())
        // Only failures are recorded: `#expect` would take most of the time.
        guard read == request, read.encoded() == request.encoded() else {
            Issue.record("read as something else: \(text(request))")
            return
        }
    }
}
