#if Client
import BrokerClient
import BrokerMessages
import EntitlementValues
import HTTPTypes
import Testing

/// Which header fields go out: for each endpoint exactly those of its row in the broker's reference.
@Suite struct HeaderMatrixTests {
    /// Fields that each request may have, whatever its row.
    static let general: Set<String> = ["accept", "content-type", "user-agent"]

    static func row(_ endpoint: BrokerEndpoint) throws -> HeaderTable.Row {
        try #require(HeaderTable.rows.first { $0.endpoint == endpoint.rawValue })
    }

    @Test func `The table has each endpoint and each field once`() {
        #expect(HeaderTable.rows.map(\.endpoint) == BrokerEndpoint.allCases.map(\.rawValue))
        #expect(HeaderTable.fields.count == RequestField.allCases.count - RequestField.ofLibraries.count)
        for row in HeaderTable.cells.dropFirst(2) { #expect(row.count == HeaderTable.fields.count + 1, "\(row)") }
    }

    @Test(arguments: EndpointCall.all)
    func `Without the switch, a caller who knows everything sends the whole row`(call: EndpointCall) async throws {
        var settings = BrokerSettings()
        settings.sendsDeviceHeadersEverywhere = false
        let test = try TestBroker(BrokerRecorder(answering: call.answer, status: call.status), settings: settings)
        try await call.make(try test.knowingCaller)
        let row = try Self.row(call.endpoint)
        let request = try #require(test.recorder.calls.first)
        #expect(request.fields.subtracting(Self.general) == row.fields(.required, .optional))
        #expect(test.recorder.calls.count == 1)
    }

    @Test(arguments: EndpointCall.all)
    func `Without the switch, a caller who knows little sends what is required`(call: EndpointCall) async throws {
        var settings = BrokerSettings()
        settings.sendsDeviceHeadersEverywhere = false
        let test = try TestBroker(BrokerRecorder(answering: call.answer, status: call.status), settings: settings)
        let row = try Self.row(call.endpoint)
        let needsPartner = row.needs["ap-partner-framework-status"] == .required
        try await call.make(needsPartner ? try test.callerWithPartner : test.caller)
        let request = try #require(test.recorder.calls.first)
        // A caller always knows its device, so what is optional of that goes out, too.
        let ofDevice = row.fields(.optional).intersection(["ap-device-identifier", "x-device-info"])
        #expect(request.fields.subtracting(Self.general) == row.fields(.required).union(ofDevice))
    }

    @Test(arguments: EndpointCall.all)
    func `The device goes on every call of version 2`(call: EndpointCall) async throws {
        let test = try TestBroker(BrokerRecorder(answering: call.answer, status: call.status))
        try await call.make(try test.knowingCaller)
        let row = try Self.row(call.endpoint)
        let request = try #require(test.recorder.calls.first)
        let isReset = call.endpoint.rawValue.hasPrefix("reset_")
        #expect(
            request.fields.subtracting(Self.general)
                == row.fields(.required, .optional).union(isReset ? [] : ["ap-device-identifier", "x-device-info"]))
        #expect(!test.recorder.sent.contains { $0.path.hasPrefix("/o/") && $0.fields.contains("ap-device-identifier") })
    }

    @Test(arguments: [true, false], [true, false])
    func `Registration takes the client's address, unless that is switched off`(
        isKnown: Bool, isSent: Bool
    ) async throws {
        var settings = BrokerSettings()
        settings.sendsClientAddressOnRegistration = isSent
        let test = try TestBroker(BrokerRecorder(answering: Bodies.noProfiles), settings: settings)
        let caller = isKnown ? try test.knowingCaller : test.caller
        _ = try await caller.profiles(requestor: "REF30")
        let registration = test.recorder.sent.prefix(2)
        #expect(registration.map(\.path) == ["/o/client/register", "/o/client/token"])
        for (request, endpoint) in zip(registration, [BrokerEndpoint.register, .token]) {
            let row = try Self.row(endpoint)
            let expected = isKnown && isSent ? row.fields(.required, .optional) : row.fields(.required)
            #expect(request.fields.subtracting(Self.general) == expected)
        }
    }

    @Test(arguments: HeaderTable.rows)
    func `Nothing is sent without a required field`(row: HeaderTable.Row) throws {
        let test = try TestBroker(BrokerRecorder(answering: ""))
        let caller = try test.knowingCaller
        let endpoint = try #require(BrokerEndpoint(rawValue: row.endpoint))
        // `Authorization` is added when a request is sent; without a token there is no request.
        for missing in row.fields(.required).subtracting(["authorization"]) {
            let known = KnownFields(of: caller, without: missing)
            let error = #expect(throws: RequestFault.self) {
                try known.fields(for: endpoint, settings: BrokerSettings())
            }
            guard case .missingField(let name) = error else {
                Issue.record("\(endpoint) without \(missing): \(String(describing: error))")
                continue
            }
            #expect(name.lowercased() == missing)
        }
        for other in row.fields(.optional, .never) {
            let known = KnownFields(of: caller, without: other)
            #expect(throws: Never.self) { try known.fields(for: endpoint, settings: BrokerSettings()) }
        }
    }

    @Test(arguments: EndpointCall.all.filter { [.startPartnerSession, .createPartnerProfile].contains($0.endpoint) })
    func `A partner call without the partner's status sends nothing`(call: EndpointCall) async throws {
        let test = try TestBroker(BrokerRecorder(answering: call.answer, status: call.status))
        await #expect(throws: BrokerError.request(.missingField(name: "AP-Partner-Framework-Status"))) {
            try await call.make(test.caller)
        }
        #expect(test.recorder.sent.isEmpty)
    }

    @Test func `A platform's token has the name that its platform gives it`() async throws {
        let test = try TestBroker(BrokerRecorder(answering: Bodies.noProfiles))
        var caller = test.caller
        caller.platformToken = try .roku(Secrets.platformToken)
        _ = try await caller.profiles(requestor: "REF30")
        let request = try #require(test.recorder.calls.first).request
        let name = try #require(HTTPField.Name("X-Roku-Reserved-Roku-Connect-Token"))
        #expect(request.headerFields[name] == Secrets.platformToken)
        let other = try #require(HTTPField.Name("Adobe-Subject-Token"))
        #expect(request.headerFields[other] == nil)
    }
}

extension KnownFields {
    /// What a caller knows, but for one field.
    fileprivate init(of caller: Caller, without missing: String) {
        self.init()
        let isKnown = { (name: String) in name.lowercased() != missing }
        if isKnown(DeviceIdentifier.name) { add(caller.device.identifier, as: .deviceIdentifier) }
        if isKnown(DeviceInfo.name) { add(caller.device.info, as: .deviceInfo) }
        if isKnown(ClientAddress.name) { add(caller.clientAddress, as: .clientAddress) }
        if isKnown("Adobe-Subject-Token") { add(caller.platformToken) }
        if isKnown(ServiceToken.name) { add(caller.serviceToken, as: .serviceToken) }
        if isKnown(PartnerFrameworkStatus.name) { add(caller.partnerStatus, as: .partnerStatus) }
        if isKnown(TemporaryIdentity.name) { add(caller.temporaryIdentity, as: .temporaryIdentity) }
        if isKnown(VisitorIdentifier.name) { add(caller.visitorIdentifier, as: .visitorIdentifier) }
    }
}
#endif
