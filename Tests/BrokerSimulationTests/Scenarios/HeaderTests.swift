#if Client
import BrokerMessages
import BrokerSimulation
import EntitlementValues
import HTTPTypes
import ServiceResponses
import Testing

/// The reference's table of header fields: for each endpoint a request, and the fields that it needs.
enum HeaderTable: CaseIterable {
    case configuration, createSession, resumeSession, sessionStatus, profiles, profile, profileOfCode, authorize,
        preauthorize, logout, partnerSession, partnerProfile

    func send(_ device: TestDevice, code: String, without omitted: Set<String>, _ more: [String: String] = [:]) async
        -> TestAnswer
    {
        let fields = device.fields(without: omitted).merging(more) { $1 }
        let base = "/api/v2/REF30"
        let resources = #"{"resources":["a"]}"#
        return switch self {
        case .configuration: await device.get("\(base)/configuration", fields)
        case .createSession: await device.post("\(base)/sessions", TestDevice.form(mvpd: nil), fields)
        case .resumeSession: await device.post("\(base)/sessions/\(code)", "", fields)
        case .sessionStatus: await device.get("\(base)/sessions/\(code)", fields)
        case .profiles: await device.get("\(base)/profiles", fields)
        case .profile: await device.get("\(base)/profiles/SampleCable", fields)
        case .profileOfCode: await device.get("\(base)/profiles/code/\(code)", fields)
        case .authorize: await device.post("\(base)/decisions/authorize/SampleCable", resources, fields)
        case .preauthorize: await device.post("\(base)/decisions/preauthorize/SampleCable", resources, fields)
        case .logout:
            await device.get("\(base)/logout/SampleCable?redirectUrl=https%3A%2F%2Fexample.com%2F", fields)
        case .partnerSession: await device.post("\(base)/sessions/sso/Apple", "", fields)
        case .partnerProfile: await device.post("\(base)/profiles/sso/Apple", "SAMLResponse=AAAA", fields)
        }
    }

    /// The fields that the reference has for the endpoint besides `Authorization` and `X-Forwarded-For`, which all have.
    var documented: Set<String> {
        let device: Set = ["AP-Device-Identifier", "X-Device-Info"]
        let single: Set = ["Adobe-Subject-Token", "X-Roku-Reserved-Roku-Connect-Token", "AD-Service-Token"]
        let visitor: Set = ["AP-Visitor-Identifier"]
        let partner: Set = ["AP-Partner-Framework-Status"]
        let person: Set = ["AP-TempPass-Identity"]
        return switch self {
        case .configuration: device
        case .createSession, .logout: device.union(single).union(visitor)
        case .resumeSession, .sessionStatus: visitor
        case .profiles: device.union(single).union(visitor).union(partner)
        case .profile, .authorize, .preauthorize: device.union(single).union(visitor).union(partner).union(person)
        case .profileOfCode: visitor.union(person)
        case .partnerSession, .partnerProfile: device.union(visitor).union(partner)
        }
    }

    /// Whether the device's fields are required.
    var needsDevice: Bool {
        switch self {
        case .configuration, .resumeSession, .sessionStatus, .profileOfCode: false
        default: true
        }
    }
}

@Suite("Header fields")
struct HeaderTests {
    @Test(arguments: HeaderTable.allCases)
    func `Each required field is missed by its own code`(endpoint: HeaderTable) async throws {
        let device = try await Simulation().device()
        let code = try #require(try await device.startSession(with: "SampleCable").code?.text)
        let withoutToken = await endpoint.send(device, code: code, without: [BearerToken.name])
        #expect(withoutToken.status == 401)
        #expect(withoutToken.errorCode == .invalidAccessTokenClientApplication)
        for (name, expected) in [
            (DeviceIdentifier.name, EnhancedErrorCode.invalidHeaderDeviceIdentifier),
            (DeviceInfo.name, .invalidHeaderDeviceInfo),
        ] {
            let answer = await endpoint.send(device, code: code, without: [name])
            #expect((answer.errorCode == expected) == endpoint.needsDevice)
        }
        if endpoint == .partnerProfile { return }
        #expect(await endpoint.send(device, code: code, without: []).status < 300)
    }

    @Test(arguments: HeaderTable.allCases)
    func `Each field that the reference lacks for an endpoint is noted, and no other`(
        endpoint: HeaderTable
    ) async throws {
        let simulation = try Simulation()
        let device = try await simulation.device()
        let code = try #require(try await device.startSession(with: "SampleCable").code?.text)
        let framework = PartnerFramework(mappingID: "sample-satellite")
        let optional = [
            "X-Forwarded-For": "192.0.2.1", "Adobe-Subject-Token": "eyJh.eyJz.c2ln",
            "X-Roku-Reserved-Roku-Connect-Token": "eyJh.eyJz.c2ln", "AD-Service-Token": "eyJh.eyJz.c2ln",
            "AP-Partner-Framework-Status": try framework.status(at: Simulation.start).headerValue,
            "AP-TempPass-Identity": try TemporaryIdentity("viewer@example.org").headerValue,
            "AP-Visitor-Identifier": "visitor-1",
        ]
        _ = await endpoint.send(device, code: code, without: [], optional)
        let all = Set(optional.keys).union(["AP-Device-Identifier", "X-Device-Info"]).subtracting(["X-Forwarded-For"])
        let end = " is not documented for this endpoint"
        let notes = try #require(simulation.simulator.journal.last?.notes)
        let noted = notes.filter { $0.hasSuffix(end) }.map { String($0.dropLast(end.count)) }
        #expect(Set(noted) == all.subtracting(endpoint.documented))
        #expect(noted.count == Set(noted).count)
    }

    @Test(arguments: [
        ("AP-Device-Identifier", "device-1", EnhancedErrorCode.invalidHeaderDeviceIdentifier),
        ("AP-Device-Identifier", "fingerprint %%%", .invalidHeaderDeviceIdentifier),
        ("AP-Device-Identifier", "serial ZGV2aWNl", .invalidHeaderDeviceIdentifier),
        ("X-Device-Info", "e30=x", .invalidHeaderDeviceInfo), ("X-Device-Info", "W10=", .invalidHeaderDeviceInfo),
        // The documentation's own sample lacks a comma, too.
        ("X-Device-Info", "eyJhIjoxICJiIjoyfQ==", .invalidHeaderDeviceInfo),
        ("AP-TempPass-Identity", "W10=", .invalidHeaderIdentityForTemporaryAccess),
        // Broken by a line end, which a header field has as a space.
        ("AP-Device-Identifier", "fingerprint ZGV2 aWNlLTE=", .invalidHeaderDeviceIdentifier),
        ("X-Device-Info", "eyJtb2RlbCI6 Ij8/PyJ9", .invalidHeaderDeviceInfo),
        ("AP-TempPass-Identity", "eyJlbWFpbCI6 Ij8/PyJ9", .invalidHeaderIdentityForTemporaryAccess),
        ("Authorization", "Basic QTpC", .invalidAccessTokenClientApplication),
        ("Authorization", "Bearer a.b.c", .invalidAccessTokenClientApplication),
    ])
    func `A malformed field is refused`(name: String, value: String, code: EnhancedErrorCode) async throws {
        let device = try await Simulation().device()
        let answer = await HeaderTable.profile.send(device, code: "", without: [], [name: value])
        #expect(answer.errorCode == code)
    }

    /// Without padding, with the URL-safe alphabet, and after two spaces; each with what it should be.
    @Test(arguments: [
        ("AP-Device-Identifier", "fingerprint ZGV2aWNlLTE", "fingerprint ZGV2aWNlLTE="),
        ("AP-Device-Identifier", "fingerprint Pz8_", "fingerprint Pz8/"),
        ("AP-Device-Identifier", "fingerprint  ZGV2aWNlLTE=", "fingerprint ZGV2aWNlLTE="),
        ("X-Device-Info", "eyJtb2RlbCI6InR2In0", "eyJtb2RlbCI6InR2In0="),
        ("X-Device-Info", "eyJtb2RlbCI6Ij8_PyJ9", "eyJtb2RlbCI6Ij8/PyJ9"),
        ("AP-TempPass-Identity", "eyJlbWFpbCI6ImEifQ", "eyJlbWFpbCI6ImEifQ=="),
        ("AP-TempPass-Identity", "eyJlbWFpbCI6Ij8_PyJ9", "eyJlbWFpbCI6Ij8/PyJ9"),
    ])
    func `Base64 of another spelling is refused, and a lenient simulator reads and notes it`(
        name: String,
        value: String,
        canonical: String
    ) async throws {
        let codes: [String: EnhancedErrorCode] = [
            "AP-Device-Identifier": .invalidHeaderDeviceIdentifier, "X-Device-Info": .invalidHeaderDeviceInfo,
            "AP-TempPass-Identity": .invalidHeaderIdentityForTemporaryAccess,
        ]
        for isLenient in [false, true] {
            let simulation = try Simulation { $0.isLenient = isLenient }
            let device = try await simulation.device()
            let answer = await HeaderTable.profile.send(device, code: "", without: [], [name: value])
            #expect(answer.errorCode == (isLenient ? nil : codes[name]))
            #expect(answer.status == (isLenient ? 200 : 400))
            let note = "\(name) is not Base64 of RFC 4648 §4, padded and on one line"
            #expect(simulation.simulator.journal.last?.notes == [note])
            #expect(await HeaderTable.profile.send(device, code: "", without: [], [name: canonical]).status == 200)
            #expect(simulation.simulator.journal.last?.notes == [])
        }
    }

    @Test func `A lenient simulator takes requests without device, and says so in its journal`() async throws {
        let simulation = try Simulation { $0.isLenient = true }
        let device = try await simulation.device()
        let omitted: Set = [DeviceIdentifier.name, DeviceInfo.name]
        #expect(await HeaderTable.profiles.send(device, code: "", without: omitted).status == 200)
        let notes = try #require(simulation.simulator.journal.last?.notes)
        #expect(notes == ["AP-Device-Identifier is missing", "X-Device-Info is missing"])
        #expect(await HeaderTable.profiles.send(device, code: "", without: [BearerToken.name]).status == 401)
    }

    @Test func `A field that is not documented for its endpoint is noted`() async throws {
        let simulation = try Simulation()
        let device = try await simulation.device()
        let code = try #require(try await device.startSession(with: "SampleCable").code?.text)
        #expect(await HeaderTable.sessionStatus.send(device, code: code, without: []).status == 200)
        #expect(simulation.simulator.journal.last?.notes.count == 2)
    }

    @Test func `A browser gets pages for errors, and an application gets JSON`() async throws {
        let simulation = try Simulation()
        let device = try await simulation.device()
        simulation.simulator.activate(ActiveScenario("down", .error(.internalServerError)))
        let path = "/api/v2/authenticate/REF30/AAAAAAA"
        for (answer, status) in [(await device.get(path), 500), (await device.post(path, ""), 405)] {
            #expect(answer.status == status)
            #expect(answer.field("Content-Type") == "text/html;charset=UTF-8")
            #expect(answer.text.contains("role=\"alert\""))
        }
        let answer = await device.get("/api/v2/REF30/profiles")
        #expect(answer.status == 500 && answer.field("Content-Type") == "application/json;charset=UTF-8")
    }

    @Test(arguments: BrokerEndpoint.allCases)
    func `Each endpoint of the table is found by its method and path, and answered`(
        endpoint: BrokerEndpoint
    ) async throws {
        let simulation = try Simulation()
        let device = try await simulation.device()
        let values = ["{requestor}": "REF30", "{mvpd}": "SampleCable", "{code}": "AAAAAAA", "{partner}": "Apple"]
        let path = endpoint.path.split(separator: "/").map { values[String($0)] ?? String($0) }
        let method = try #require(HTTPRequest.Method(endpoint.method.rawValue))
        let answer = await TestDevice.send(
            device.simulator, method, "/" + path.joined(separator: "/"), device.fields(), "")
        #expect(![404, 405, 501].contains(answer.status))
        let entry = try #require(simulation.simulator.journal.last)
        #expect(entry.endpoint == endpoint && entry.status == answer.status)
        #expect((entry.requestor == "REF30") == endpoint.path.contains("{requestor}"))
    }

    @Test func `The address that browsers open is not taken for a brand's`() async throws {
        let simulation = try Simulation()
        let device = try await simulation.device()
        _ = await device.get("/api/v2/authenticate/profiles/AAAAAAA")
        #expect(simulation.simulator.journal.last?.endpoint == .userAgent)
        let answer = await device.post("/api/v2/authenticate/sessions/AAAAAAA", "")
        #expect(answer.status == 405 && answer.field("Allow") == "GET")
    }

    @Test func `Unknown paths and wrong methods are refused`() async throws {
        let device = try await Simulation().device()
        let (json, page) = ("application/json;charset=UTF-8", "text/html;charset=UTF-8")
        for (answer, allowed, type) in [
            (await device.post("/api/v2/REF30/profiles", ""), "GET", json),
            // An error of version 2 has no place in registration.
            (await device.get("/o/client/register"), "POST", page),
            (await device.get("/o/client/token"), "POST", page),
        ] {
            #expect(answer.status == 405 && answer.field("Allow") == allowed && answer.field("Content-Type") == type)
        }
        let code = "/api/v2/REF30/sessions/AAAAAAA"
        let answer = await TestDevice.send(device.simulator, .delete, code, device.fields(), "")
        #expect(answer.status == 405 && answer.field("Allow") == "GET, POST")
        for path in [
            "/", "/api/v2", "/api/v2/REF30", "/api/v2/REF30/nothing", "/api/v3/REF30/profiles", "/api/v2//profiles",
            "/api/v2/%zz/profiles", "/api/v2/%ff/profiles",
        ] {
            let answer = await device.get(path)
            #expect(answer.status == 404)
            #expect(answer.field("X-Simulated") == "true")
        }
    }
}
#endif
