#if Client
import BrokerClient
import BrokerMessages
import EntitlementValues
import HTTPTypes
import Synchronization
import Testing

/// Calls with an access token that the application lends: they go out with it alone, and nothing of it is kept.
@Suite("Borrowed access tokens") struct BorrowedTokenTests {
    private static let token = "bGVudA.bGVudA-_~+/=="

    private static func caller(of test: TestBroker) throws -> Caller {
        try test.broker.caller(borrowing: BearerToken(token), test.device, from: TestBroker.clientAddress)
    }

    private static func decide(by caller: Caller) async throws(BrokerError) -> Bool {
        let decisions = try await caller.authorize(["A"], mvpd: "TestMVPD", requestor: "REF30")
        return decisions["A"]?.isAuthorized == true
    }

    @Test func `A call goes out once, with the token, the identifier and the address`() async throws {
        let test = try TestBroker(BrokerRecorder(answering: Bodies.decisions([("A", nil)])))
        let caller = try Self.caller(of: test)
        for _ in 0..<2 { #expect(try await Self.decide(by: caller)) }
        let path = "/api/v2/REF30/decisions/authorize/TestMVPD"
        #expect(test.recorder.sent.map(\.path) == [path, path])
        let fields = try #require(test.recorder.sent.first).request.headerFields
        #expect(fields[.authorization] == "Bearer \(Self.token)")
        #expect(try fields[#require(HTTPField.Name("AP-Device-Identifier"))] == test.device.identifier.headerValue)
        #expect(try fields[#require(HTTPField.Name("X-Forwarded-For"))] == TestBroker.clientAddress)
        #expect(try await test.broker.records.record(of: test.device.key) == nil)
        #expect(test.broker.registrations.count == 0)
    }

    @Test(arguments: [
        (401, Bodies.error("invalid_access_token_client_application", status: 401, action: "application-registration")),
        (401, Bodies.error("invalid_access_token_service_provider", status: 401, action: "application-registration")),
        (401, "{}"), (401, "<html>"),
        // Whatever the status: the registration that has ended is the application's.
        (403, Bodies.error("invalid_access_token_client_application", status: 403, action: "application-registration")),
    ])
    func `A token that is refused is the application's to renew, and is not tried again`(
        status: Int, body: String
    ) async throws {
        let test = try TestBroker(BrokerRecorder(answering: body, status: status))
        let caller = try Self.caller(of: test)
        await #expect(throws: BrokerError.borrowedTokenRefused) { try await Self.decide(by: caller) }
        #expect(test.recorder.sent.count == 1)
        #expect(try await test.broker.records.record(of: test.device.key) == nil)
    }

    @Test func `A device that is registered here goes on beside it`() async throws {
        let test = try TestBroker(
            BrokerRecorder { request, _ in
                request.headerFields[.authorization] == "Bearer \(Self.token)"
                    ? HTTPAnswer("{}", status: 401) : HTTPAnswer(Bodies.decisions([("A", nil)]))
            })
        let (own, lent) = (test.caller, try Self.caller(of: test))
        #expect(try await Self.decide(by: own))
        let record = try await test.broker.records.record(of: test.device.key)
        await #expect(throws: BrokerError.borrowedTokenRefused) { try await Self.decide(by: lent) }
        #expect(try await Self.decide(by: own))
        #expect(try await test.broker.records.record(of: test.device.key) == record)
        #expect(test.recorder.calls.count == 3)
    }

    @Test func `It has no registration to make or to forget`() async throws {
        let test = try TestBroker(BrokerRecorder(answering: "{}"))
        let caller = try Self.caller(of: test)
        let refusal = RegistrationRefusal(step: .call, decision: .registerAnew, status: 401, clientID: "client")
        await #expect(throws: BrokerError.request(.borrowedToken)) { try await caller.register() }
        await #expect(throws: BrokerError.request(.borrowedToken)) { try await caller.forgetRegistration() }
        await #expect(throws: BrokerError.request(.borrowedToken)) {
            try await caller.forgetRegistration(after: refusal)
        }
        #expect(test.recorder.sent.isEmpty)
    }

    @Test func `A reset registers nothing either, whatever statement there is for resets`() async throws {
        var settings = BrokerSettings()
        settings.management = try SoftwareStatement(Secrets.statement)
        let test = try TestBroker(BrokerRecorder(answering: "", status: 204), settings: settings)
        try await Self.caller(of: test).resetTemporaryAccess(.everyDevice, mvpd: "TempPass", requestor: "REF30")
        #expect(test.recorder.sent.map { $0.request.headerFields[.authorization] } == ["Bearer \(Self.token)"])
        #expect(try await test.broker.records.record(of: test.device.key) == nil)
    }

    @Test func `Neither what is sent nor the caller shows the token`() async throws {
        let seen = Mutex("")
        let test = try TestBroker(
            BrokerRecorder(answering: "{}", status: 401),
            observation: BrokerObservation(trace: { event in seen.withLock { $0 += "\(event)" } }))
        let caller = try Self.caller(of: test)
        let error = await #expect(throws: BrokerError.self) { try await Self.decide(by: caller) }
        var dumped = ""
        dump(caller, to: &dumped)
        let traced = seen.withLock { $0 }
        #expect(traced.contains("decisions/authorize"))
        for text in [traced, dumped, "\(caller)", error.map { "\($0) \(String(reflecting: $0))" } ?? ""] {
            #expect(!text.contains(Self.token) && !text.contains("bGVudA"))
        }
    }

    @Test func `An address that is none is refused before anything is sent`() throws {
        let test = try TestBroker(BrokerRecorder(answering: "{}"))
        #expect(throws: BrokerError.request(.badClientAddress)) {
            try test.broker.caller(borrowing: BearerToken(Self.token), test.device, from: "somewhere")
        }
    }

    @Test(arguments: [
        "", " ", "a b", "a\u{0}", "a\r\nX: y", "=a", "a=b", "ä", "a,b", String(repeating: "a", count: 16_385),
    ])
    func `A text that is no bearer token makes no caller`(text: String) {
        #expect(throws: BrokerHeaderError.self) { try BearerToken(text) }
    }
}
#endif
