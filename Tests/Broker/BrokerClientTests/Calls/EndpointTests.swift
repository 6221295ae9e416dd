#if Client
import BrokerClient
import BrokerMessages
import EntitlementValues
import HTTPTypes
import ServiceResponses
import TestVectors
import Testing

/// What each endpoint sends, and what becomes of each kind of answer.
@Suite struct EndpointTests {
    /// The statuses of success that the reference, the OpenAPI file and RFC 6749 have for each endpoint.
    static let successes: [BrokerEndpoint: Set<Int>] = [
        .register: [201], .token: [200, 201], .configuration: [200], .startSession: [200], .resumeSession: [200],
        .session: [200], .userAgent: [302], .profiles: [200], .profile: [200], .profileByCode: [200],
        .authorize: [200], .preauthorize: [200], .logout: [200], .startPartnerSession: [200],
        .createPartnerProfile: [200, 201], .resetTemporaryAccess: [204], .resetPromotionalAccess: [204],
    ]

    static let reading = EndpointCall.all.filter { !$0.answer.isEmpty }

    /// Makes a call of a broker that answers alike, and that is asked only once.
    static func make(
        _ call: EndpointCall,
        answering body: String,
        status: Int = 200,
        type: String? = "application/json;charset=UTF-8"
    ) async throws {
        var settings = BrokerSettings()
        settings.maximumRepeatsAfterFailures = 0
        let test = try TestBroker(BrokerRecorder(answering: body, status: status, type: type), settings: settings)
        try await call.make(try test.knowingCaller)
    }

    /// The error of a call of a broker that answers alike.
    static func error(
        of call: EndpointCall,
        answering body: String,
        status: Int = 200,
        type: String? = "application/json;charset=UTF-8"
    ) async throws -> BrokerError {
        let error = await #expect(throws: BrokerError.self) {
            try await make(call, answering: body, status: status, type: type)
        }
        return try #require(error)
    }

    @Test func `The statuses of success are those of the documents`() {
        for endpoint in BrokerEndpoint.allCases {
            #expect(Set(endpoint.successes) == Self.successes[endpoint], "\(endpoint)")
        }
    }

    @Test func `Each endpoint but registration and the browser's has a call`() {
        #expect(
            Set(EndpointCall.all.map(\.endpoint))
                == Set(BrokerEndpoint.allCases).subtracting([.register, .token, .userAgent]))
    }

    private struct VectorGroup: Decodable, Sendable {
        let kind: String
    }

    /// What has vectors is read, written, searched for secrets and fuzzed by the tests of messages.
    @Test func `Each answer has vectors`() throws {
        let file = try VectorFile<VectorGroup>.named("broker_messages/broker_message_test.json")
        let kinds = Set(file.testGroups.map(\.kind))
        for call in Self.reading { #expect(kinds.contains(call.kind), "\(call.kind) of \(call.endpoint)") }
    }

    @Test(arguments: EndpointCall.all)
    func `Sends the request of the reference`(call: EndpointCall) async throws {
        let test = try TestBroker(BrokerRecorder(answering: call.answer, status: call.status))
        try await call.make(try test.knowingCaller)
        let sent = try #require(test.recorder.calls.first)
        #expect("\(sent.request.method) \(sent.path)" == call.line)
        let isReset = call.endpoint.rawValue.hasPrefix("reset_")
        #expect(sent.request.scheme == "https")
        #expect(sent.request.authority == (isReset ? "management.example:8443" : "broker.example"))
        #expect(sent.body == call.body)
        #expect(sent.request.headerFields[.contentType] == call.contentType)
        #expect(sent.request.headerFields[.accept] == "application/json;charset=utf-8")
        #expect(sent.request.headerFields[.userAgent]?.hasPrefix("swift-tve-tokens/") == true)
        #expect(sent.request.headerFields[.authorization] == "Bearer \(Secrets.accessToken)")
    }

    @Test(arguments: EndpointCall.all)
    func `The program on the device goes with all its calls, in place of this library`(call: EndpointCall) async throws
    {
        let test = try TestBroker(BrokerRecorder(answering: call.answer, status: call.status))
        let device = Device(
            key: test.device.key, identifier: test.device.identifier, info: test.device.info,
            userAgent: try UserAgent(headerValue: "Sample/1 (TV)"))
        var caller = test.broker.caller(device, from: nil)
        caller.partnerStatus = try test.knowingCaller.partnerStatus
        try await call.make(caller)
        // Its registration and its access token are among them.
        #expect(test.recorder.sent.count == 3)
        #expect(test.recorder.sent.allSatisfy { $0.request.headerFields[values: .userAgent] == ["Sample/1 (TV)"] })
    }

    @Test(arguments: ["", "unknown", "203.0.113.7, 198.51.100.9", "203.0.113.7:443", "[2001:db8::1]", "fe80::1%eth0"])
    func `A client address that is none is not left out`(address: String) throws {
        let test = try TestBroker(BrokerRecorder(answering: Bodies.noProfiles))
        #expect(throws: BrokerError.request(.badClientAddress)) { try test.broker.caller(test.device, from: address) }
    }

    @Test func `What a device says of itself may change from call to call`() async throws {
        let test = try TestBroker(BrokerRecorder(answering: Bodies.noProfiles))
        let (key, identifier) = (test.device.key, test.device.identifier)
        for model in ["TV 2", "TV 3"] {
            let info = try DeviceInfo([.model: .text(model), .osName: "Other"])
            let device = Device(key: key, identifier: identifier, info: info)
            _ = try await test.broker.caller(device, from: nil).profiles(requestor: "REF30")
        }
        #expect(test.recorder.sent.count { $0.path == "/o/client/register" } == 1)
        let name = try #require(HTTPField.Name(DeviceInfo.name))
        #expect(Set(test.recorder.calls.map { $0.request.headerFields[name] }).count == 2)
    }

    @Test func `Registration sends its secrets in bodies`() async throws {
        let test = try TestBroker(BrokerRecorder(answering: Bodies.noProfiles))
        _ = try await test.caller.profiles(requestor: "REF30")
        let sent = test.recorder.sent
        try #require(sent.count == 3)
        #expect(sent[0].body == #"{"software_statement":"\#(Secrets.statement)"}"#)
        #expect(sent[0].request.headerFields[.contentType] == "application/json;charset=utf-8")
        #expect(
            sent[1].body == "client_id=client-1&client_secret=\(Secrets.clientSecret)&grant_type=client_credentials")
        #expect(sent[1].request.headerFields[.contentType] == EndpointCall.form)
        for request in sent.prefix(2) {
            #expect(request.request.method == .post)
            #expect(request.request.headerFields[.authorization] == nil)
        }
    }

    @Test(arguments: EndpointCall.all, [200, 201, 202, 204, 206, 301, 302, 304])
    func `Only the statuses of the reference are success`(call: EndpointCall, status: Int) async throws {
        let isSuccess = try #require(Self.successes[call.endpoint]).contains(status)
        if isSuccess {
            try await Self.make(call, answering: call.answer, status: status)
        } else {
            guard case .unreadable(let answer) = try await Self.error(of: call, answering: call.answer, status: status)
            else {
                Issue.record("\(call.endpoint), \(status)")
                return
            }
            #expect(answer.status == status)
        }
    }

    @Test(arguments: EndpointCall.all, [false, true])
    func `A refusal has the broker's code, bare or wrapped`(call: EndpointCall, isWrapped: Bool) async throws {
        let body = Bodies.error("invalid_parameter_service_provider", status: 400)
        let sent = isWrapped ? #"{"error": \#(body)}"# : body
        // A reset's 403 means the statement.
        let isReset = call.endpoint.rawValue.hasPrefix("reset_")
        for status in [400, 403, 404, 405, 500] where status != 403 || !isReset {
            let error = try await Self.error(of: call, answering: sent, status: status)
            #expect(error == .refused(try EnhancedError(parsing: body), status: status))
        }
    }

    @Test(arguments: EndpointCall.all.filter { $0.endpoint.rawValue.hasPrefix("reset_") })
    func `The broker's 403 of a reset means another statement, and a page does not`(call: EndpointCall) async throws {
        // The logins of the application have nothing to do with it, whatever the action says.
        let body = Bodies.error("invalid_access_token", status: 403, action: "application-registration")
        guard case .registration(let refusal) = try await Self.error(of: call, answering: body, status: 403) else {
            Issue.record("\(call.endpoint)")
            return
        }
        #expect(refusal.step == .call && refusal.decision == .replaceStatement)
        #expect("\(BrokerError.registration(refusal))".contains("temporary:passes:owner"))
        #expect(refusal.enhancedError == (try EnhancedError(parsing: body)))
        let page = try await Self.error(of: call, answering: "<html></html>", status: 403, type: "text/html")
        #expect(page.code == "unreadable_answer")
    }

    @Test(arguments: reading)
    func `A refusal with a status of success is a refusal`(call: EndpointCall) async throws {
        let body = Bodies.error("internal_server_error", status: 500)
        let error = try await Self.error(of: call, answering: body)
        #expect(error == .refused(try EnhancedError(parsing: body), status: 200))
    }

    @Test(arguments: reading, ["{}", "[]", #""text""#, "null", "1", "", "{", #"{"profiles": []}"#, "\u{FEFF}{}"])
    func `Another shape is not read`(call: EndpointCall, body: String) async throws {
        guard case .unreadable(let answer) = try await Self.error(of: call, answering: body) else {
            Issue.record("\(call.endpoint): \(body)")
            return
        }
        #expect(answer.contentType == "application/json")
        #expect(answer.fault != nil)
    }

    @Test(arguments: reading)
    func `Half an answer is not read`(call: EndpointCall) async throws {
        let half = String(call.answer.prefix(call.answer.count / 2))
        guard case .unreadable = try await Self.error(of: call, answering: half) else {
            Issue.record("\(call.endpoint)")
            return
        }
    }

    @Test(arguments: reading, ["text/html; charset=utf-8", "text/plain", "application/xml", nil])
    func `Another type than JSON is not read`(call: EndpointCall, type: String?) async throws {
        let html = "<html><body>502 Bad Gateway</body></html>"
        #expect(
            try await Self.error(of: call, answering: html, status: 502, type: type)
                == .unavailable(status: 502, retryAfter: nil))
        for (body, status) in [(html, 200), (html, 403), (html, 500), (call.answer, 200)] {
            guard
                case .unreadable(let answer) = try await Self.error(
                    of: call, answering: body, status: status, type: type)
            else {
                Issue.record("\(call.endpoint), \(status)")
                continue
            }
            #expect(answer.status == status)
            #expect(answer.contentType == type.map { String($0.prefix { $0 != ";" }) })
            #expect(!"\(answer)".contains("Gateway"))
        }
    }
}
#endif
