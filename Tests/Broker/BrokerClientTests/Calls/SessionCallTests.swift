#if Client
import BrokerClient
import BrokerMessages
import EntitlementValues
import InMemoryLogging
import Logging
import ServiceResponses
import Testing

/// What the calls about sessions, partners, logout and resets answer.
@Suite struct SessionCallTests {
    @Test func `A session has a code, and an address to open`() async throws {
        let test = try TestBroker(BrokerRecorder(answering: Bodies.session))
        let session = try await test.caller.startSession(.init(mvpd: "TestMVPD"), requestor: "REF30")
        #expect(session.actionName == .authenticate)
        #expect(session.code?.text == "ABC123")
        #expect(session.notAfter == Timestamp(milliseconds: 1_768_482_000_000))
        let address = try test.broker.address(of: session)
        #expect(address == "https://broker.example/api/v2/authenticate/REF30/ABC123")
        let code = try #require(session.code)
        #expect(try test.broker.signInAddress(for: code, requestor: "REF30") == address)
    }

    @Test(arguments: [("OtherMVPD", "REF30", "/mvpd"), ("TestMVPD", "OTHER", "/serviceProvider")])
    func `A session of another brand or provider is not read`(
        mvpd: String,
        requestor: RequestorID,
        place: String
    ) async throws {
        let test = try TestBroker(BrokerRecorder(answering: Bodies.session))
        let error = await #expect(throws: BrokerError.self) {
            try await test.caller.startSession(.init(mvpd: MVPDID(mvpd)), requestor: requestor)
        }
        guard case .unreadable(let answer)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(answer.fault?.code == "other_than_asked")
        #expect(answer.place?.pointer == place)
        _ = try await test.caller.startSession(.init(), requestor: "REF30")
    }

    @Test func `A logout whose step cannot be read is not a logout without an address`() async throws {
        let body = Bodies.logout.replacing(#""actionName": "logout""#, with: #""actionName": 1"#)
        let test = try TestBroker(BrokerRecorder(answering: body))
        let error = await #expect(throws: BrokerError.self) {
            try await test.caller.logout(mvpd: "TestMVPD", requestor: "REF30", returningTo: "https://example.org/")
        }
        #expect(error?.code == "unreadable_answer")
    }

    @Test(arguments: [("javascript:alert(1)", AddressFault.scheme), ("//evil.example/", .schemeRelative)])
    func `An address that must not be opened is an error, and the answer is kept`(
        url: String, fault: AddressFault
    ) async throws {
        let body = Bodies.logout.replacing("/api/v2/logout/TestMVPD?state=1", with: url)
        let test = try TestBroker(BrokerRecorder(answering: body))
        let answer = try await test.caller.logout(
            mvpd: "TestMVPD", requestor: "REF30", returningTo: "https://example.org/")
        let step = try #require(answer.logouts.first)
        #expect(step.actionName == .logout)
        #expect(throws: BrokerError.unsafeAddress(fault)) { try test.broker.address(of: step) }
    }

    @Test func `An http address of the operator is raised to https, with a warning that does not show it`() async throws
    {
        let log = InMemoryLogHandler()
        let body = Bodies.logout.replacing(
            "/api/v2/logout/TestMVPD?state=1", with: "http://sp.auth.adobe.com/a?state=1")
        let test = try TestBroker(
            BrokerRecorder(answering: body), observation: BrokerObservation(logger: Logger(label: "test") { _ in log }))
        let answer = try await test.caller.logout(
            mvpd: "TestMVPD", requestor: "REF30", returningTo: "https://example.org/")
        let step = try #require(answer.logouts.first)
        #expect(try test.broker.address(of: step) == "https://sp.auth.adobe.com/a?state=1")
        let warnings = log.entries.filter { $0.level == .warning }.map(\.message.description)
        #expect(warnings.count == 1)
        #expect(warnings.allSatisfy { $0.contains("https") && !$0.contains("state") })
    }

    @Test func `A logout has an address to open, or none`() async throws {
        let test = try TestBroker(BrokerRecorder(answering: Bodies.logout))
        let answer = try await test.caller.logout(
            mvpd: "TestMVPD", requestor: "REF30", returningTo: "https://example.org/")
        let step = try #require(answer.logouts.first)
        #expect(try test.broker.address(of: step) == "https://broker.example/api/v2/logout/TestMVPD?state=1")
        let done = #"{"logouts": {"TestMVPD": {"actionName": "complete", "actionType": "none", "mvpd": "TestMVPD"}}}"#
        let other = try TestBroker(BrokerRecorder(answering: done))
        let rest = try await other.caller.logout(
            mvpd: "TestMVPD", requestor: "REF30", returningTo: "https://example.org/")
        #expect(try other.broker.address(of: try #require(rest.logouts.first)) == nil)
    }

    @Test func `A partner session has what to ask the partner`() async throws {
        let test = try TestBroker(BrokerRecorder(answering: Bodies.partnerSession))
        let session = try await test.callerWithPartner.startPartnerSession(
            .init(domain: "example.org"), requestor: "REF30")
        #expect(session.actionName == .partnerProfile)
        #expect(session.authenticationRequest != nil)
        #expect(session.code == nil)
    }

    @Test func `A configuration has providers, and takes a profile`() async throws {
        let test = try TestBroker(BrokerRecorder(answering: Bodies.configuration))
        let configuration = try await test.caller.configuration(requestor: "REF30", profile: "a b")
        #expect(configuration.requestor.mvpds.map(\.id) == ["TestMVPD"])
        #expect(test.recorder.calls.first?.path == "/api/v2/REF30/configuration?profile=a%20b")
    }

    @Test func `A session shows what is missing`() async throws {
        let test = try TestBroker(BrokerRecorder(answering: Bodies.sessionStatus))
        let status = try await test.caller.session(EndpointCall.code, requestor: "REF30")
        #expect(status.existingParameters.mvpd == "TestMVPD")
        #expect(status.missingParameters.count == 1)
    }

    @Test(arguments: [
        (TemporaryAccessScope.device("d 1"), "/reset-tempass/v3/reset", "device_id=d%201"),
        (.everyDevice, "/reset-tempass/v3/reset", "device_id=all"),
        (.identity(hash: "0f"), "/reset-tempass/v3/reset/generic", "key=0f"),
        (.everyIdentity, "/reset-tempass/v3/reset/generic", "key=all"),
    ])
    func `A reset says for whom`(scope: TemporaryAccessScope, path: String, parameter: String) async throws {
        let test = try TestBroker(BrokerRecorder(answering: "", status: 204, type: nil))
        try await test.caller.resetTemporaryAccess(scope, mvpd: "TempPass", requestor: "REF30")
        #expect(test.recorder.calls.map(\.path) == ["\(path)?requestor_id=REF30&mvpd_id=TempPass&\(parameter)"])
    }

    @Test(arguments: ["", " ", "all", "ALL", " all\n"])
    func `A reset of one never becomes one of all`(identifier: String) async throws {
        let test = try TestBroker(BrokerRecorder(answering: "", status: 204))
        await #expect(throws: BrokerError.request(.ambiguousIdentifier(name: "device"))) {
            try await test.caller.resetTemporaryAccess(.device(identifier), mvpd: "TempPass", requestor: "REF30")
        }
        await #expect(throws: BrokerError.request(.ambiguousIdentifier(name: "identity"))) {
            try await test.caller.resetTemporaryAccess(
                .identity(hash: identifier), mvpd: "TempPass", requestor: "REF30")
        }
        #expect(test.recorder.sent.isEmpty)
    }

    @Test func `A reset needs a brand and a provider`() async throws {
        let test = try TestBroker(BrokerRecorder(answering: "", status: 204))
        for (requestor, mvpd, name) in [("", "TempPass", "requestor"), ("REF30", "", "mvpd")] {
            await #expect(throws: BrokerError.request(.badIdentifier(name: name))) {
                try await test.caller.resetTemporaryAccess(
                    .everyDevice, mvpd: MVPDID(mvpd), requestor: RequestorID(requestor))
            }
        }
        #expect(test.recorder.sent.isEmpty)
    }

    @Test(arguments: [TemporaryAccessScope.everyDevice, .everyIdentity])
    func `A reset is not sent to a host that nobody has named`(scope: TemporaryAccessScope) async throws {
        let test = try TestBroker(BrokerRecorder(answering: "", status: 204))
        let broker = test.broker.moved(to: BrokerEnvironment(api: test.broker.environment.api))
        let caller = broker.caller(test.device, from: nil)
        await #expect(throws: BrokerError.request(.noManagement)) {
            try await caller.resetTemporaryAccess(scope, mvpd: "TempPass", requestor: "REF30")
        }
        #expect(test.recorder.sent.isEmpty)
    }

    @Test func `Every fault of a request has a code and a description of its own`() {
        let faults: [RequestFault] = [
            .missingField(name: "X-Device-Info"), .badIdentifier(name: "mvpd"), .ambiguousIdentifier(name: "device"),
            .noResources, .badGroupSize, .noManagement, .badClientAddress, .borrowedToken,
        ]
        #expect(Set(faults.map(\.code)).count == faults.count)
        #expect(Set(faults.map(\.description)).count == faults.count)
        #expect(faults[0].description.contains("X-Device-Info"))
        #expect(faults.map { BrokerError.request($0).code } == faults.map(\.code))
    }
}
#endif
