#if Client
import BrokerMessages
import BrokerSimulation
import EntitlementValues
import HTTPTypes
import ServiceResponses
import Testing

/// A row of the reference's table of header fields: a request of an endpoint, and the fields that it needs.
struct HeaderRow: Sendable, CustomTestStringConvertible {
    let endpoint: BrokerEndpoint
    /// The fields that the reference has for the endpoint besides `Authorization` and `X-Forwarded-For`, which all have.
    let documented: Set<String>
    /// Whether the device's fields are required.
    var needsDevice = true
    var query = ""
    var body = ""

    var testDescription: String { endpoint.rawValue }

    /// Each endpoint of version 2, written down from the reference a second time.
    static let table = [
        HeaderRow(endpoint: .configuration, documented: device, needsDevice: false),
        HeaderRow(
            endpoint: .startSession, documented: device.union(single).union(visitor), body: TestDevice.form(mvpd: nil)),
        HeaderRow(endpoint: .resumeSession, documented: visitor, needsDevice: false),
        HeaderRow(endpoint: .session, documented: visitor, needsDevice: false),
        HeaderRow(endpoint: .profiles, documented: device.union(single).union(visitor).union(partner)),
        HeaderRow(endpoint: .profile, documented: all),
        HeaderRow(endpoint: .profileByCode, documented: visitor.union(person), needsDevice: false),
        HeaderRow(endpoint: .authorize, documented: all, body: resources),
        HeaderRow(endpoint: .preauthorize, documented: all, body: resources),
        HeaderRow(
            endpoint: .logout, documented: device.union(single).union(visitor),
            query: "?redirectUrl=https%3A%2F%2Fexample.com%2F"),
        HeaderRow(endpoint: .startPartnerSession, documented: device.union(visitor).union(partner)),
        HeaderRow(
            endpoint: .createPartnerProfile, documented: device.union(visitor).union(partner),
            body: "SAMLResponse=AAAA"),
    ]

    private static let device: Set = ["AP-Device-Identifier", "X-Device-Info"]
    private static let single: Set = ["Adobe-Subject-Token", "X-Roku-Reserved-Roku-Connect-Token", "AD-Service-Token"]
    private static let visitor: Set = ["AP-Visitor-Identifier"]
    private static let partner: Set = ["AP-Partner-Framework-Status"]
    private static let person: Set = ["AP-TempPass-Identity"]
    private static let all = device.union(single).union(visitor).union(partner).union(person)
    private static let resources = #"{"resources":["a"]}"#

    static func of(_ endpoint: BrokerEndpoint) throws -> HeaderRow {
        try #require(table.first { $0.endpoint == endpoint })
    }

    func send(
        _ device: TestDevice,
        code: String = "",
        without omitted: Set<String> = [],
        _ more: [String: String] = [:]
    ) async throws -> TestAnswer {
        await TestDevice.send(
            device.simulator, try endpoint.testMethod, endpoint.testPath(code: code) + query,
            device.fields(without: omitted).merging(more) { $1 }, body)
    }
}

extension BrokerEndpoint {
    fileprivate var testMethod: HTTPRequest.Method {
        get throws { try #require(HTTPRequest.Method(method.rawValue)) }
    }

    fileprivate func testPath(code: String) -> String {
        let values = ["{requestor}": "REF30", "{mvpd}": "SampleCable", "{code}": code, "{partner}": "Apple"]
        return "/" + path.split(separator: "/").map { values[String($0)] ?? String($0) }.joined(separator: "/")
    }
}

@Suite("Header fields")
struct HeaderTests {
    @Test func `The table has each endpoint of version 2 once`() {
        #expect(
            HeaderRow.table.map(\.endpoint.rawValue).sorted()
                == BrokerEndpoint.allCases.filter { $0.family == .service }.map(\.rawValue).sorted())
    }

    @Test(arguments: HeaderRow.table)
    func `Each required field is missed by its own code`(row: HeaderRow) async throws {
        let device = try await Simulation().device()
        let code = try #require(try await device.startSession(with: "SampleCable").code?.text)
        let withoutToken = try await row.send(device, code: code, without: [BearerToken.name])
        #expect(withoutToken.status == 401)
        #expect(withoutToken.errorCode == .invalidAccessTokenClientApplication)
        for (name, expected) in [
            (DeviceIdentifier.name, EnhancedErrorCode.invalidHeaderDeviceIdentifier),
            (DeviceInfo.name, .invalidHeaderDeviceInfo),
        ] {
            let answer = try await row.send(device, code: code, without: [name])
            #expect((answer.errorCode == expected) == row.needsDevice)
        }
        if row.endpoint == .createPartnerProfile { return }
        #expect(try await row.send(device, code: code).status < 300)
    }

    @Test(arguments: HeaderRow.table)
    func `Each field that the reference lacks for an endpoint is noted, and no other`(
        row: HeaderRow
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
        _ = try await row.send(device, code: code, optional)
        // The checklist asks for the device's fields everywhere, whatever the reference of an endpoint has.
        let all = Set(optional.keys).subtracting(["X-Forwarded-For"])
        let end = " is not documented for this endpoint"
        let notes = try #require(simulation.simulator.journal.last?.notes)
        let noted = notes.filter { $0.hasSuffix(end) }.map { String($0.dropLast(end.count)) }
        #expect(Set(noted) == all.subtracting(row.documented))
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
        let answer = try await HeaderRow.of(.profile).send(device, [name: value])
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
            let answer = try await HeaderRow.of(.profile).send(device, [name: value])
            #expect(answer.errorCode == (isLenient ? nil : codes[name]))
            #expect(answer.status == (isLenient ? 200 : 400))
            let note = "\(name) is not Base64 of RFC 4648 §4, padded and on one line"
            #expect(simulation.simulator.journal.last?.notes == [note])
            #expect(try await HeaderRow.of(.profile).send(device, [name: canonical]).status == 200)
            #expect(simulation.simulator.journal.last?.notes == [])
        }
    }

    @Test(arguments: HeaderRow.table)
    func `A browser may leave out what the device says of itself, and nothing else`(row: HeaderRow) async throws {
        let simulation = try Simulation()
        let device = try await simulation.device()
        let code = try #require(try await device.startSession(with: "SampleCable").code?.text)
        let browser = ["User-Agent": "Mozilla/5.0 (Web0S; Linux/SmartTV) AppleWebKit/537.36 (KHTML, like Gecko)"]
        let note = "X-Device-Info is missing, which browsers may leave out"
        let silent = try await row.send(device, code: code, without: [DeviceInfo.name], browser)
        #expect(silent.errorCode != .invalidHeaderDeviceInfo)
        #expect(simulation.simulator.journal.last?.notes.contains(note) == row.needsDevice)
        let unknown = try await row.send(device, code: code, without: [DeviceIdentifier.name], browser)
        #expect((unknown.errorCode == .invalidHeaderDeviceIdentifier) == row.needsDevice)
        let malformed = try await row.send(device, code: code, browser.merging([DeviceInfo.name: "%"]) { $1 })
        // The checklist asks for it on every call, also where the reference does not have it.
        #expect(malformed.errorCode == .invalidHeaderDeviceInfo)
    }

    @Test(arguments: [nil, "okhttp/4.12.0", "swift-tve-tokens/0.2.0", "Sample Mozilla/5.0"], [false, true])
    func `Only a browser registers without saying what it is`(agent: String?, isLenient: Bool) async throws {
        let simulation = try Simulation { $0.isLenient = isLenient }
        let body = #"{"software_statement":"\#(try simulation.simulator.softwareStatement(of: "REF30"))"}"#
        func register(_ agent: String?) async -> Int {
            let fields = agent.map { ["User-Agent": $0] } ?? [:]
            return await TestDevice.send(simulation.simulator, .post, "/o/client/register", fields, body).status
        }
        #expect(await register(agent) == (isLenient ? 201 : 400))
        #expect(await register("Mozilla/5.0 (X11; Linux x86_64)") == 201)
    }

    @Test func `A lenient simulator takes requests without device, and says so in its journal`() async throws {
        let simulation = try Simulation { $0.isLenient = true }
        let device = try await simulation.device()
        let omitted: Set = [DeviceIdentifier.name, DeviceInfo.name]
        #expect(try await HeaderRow.of(.profiles).send(device, without: omitted).status == 200)
        let notes = try #require(simulation.simulator.journal.last?.notes)
        #expect(notes == ["AP-Device-Identifier is missing", "X-Device-Info is missing"])
        #expect(try await HeaderRow.of(.profiles).send(device, without: [BearerToken.name]).status == 401)
    }

    @Test func `A field that is not documented for its endpoint is noted`() async throws {
        let simulation = try Simulation()
        let device = try await simulation.device()
        let code = try #require(try await device.startSession(with: "SampleCable").code?.text)
        #expect(try await HeaderRow.of(.session).send(device, code: code).status == 200)
        #expect(simulation.simulator.journal.last?.notes == [])
        let more = ["AD-Service-Token": "eyJh.eyJz.c2ln"]
        #expect(try await HeaderRow.of(.session).send(device, code: code, more).status == 200)
        #expect(simulation.simulator.journal.last?.notes.count == 1)
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

    // MARK: Pages of other origins

    /// Source: the sample of an answer with the status 429 on the operator's page *Throttling mechanism*.
    private static let crossOrigin = [
        "Access-Control-Allow-Credentials": "true", "Access-Control-Allow-Methods": "POST,GET,OPTIONS,DELETE",
        "Access-Control-Allow-Headers":
            "ap_11,ap_42,ap_z,ap_19,ap_21,ap_23,authorization,content-type,pass_sfp,AP-Session-Identifier,"
            + "AP-Device-Identifier,AP-SDK-Identifier,X-Device-Info",
        "Access-Control-Expose-Headers": "pass_sfp,Authzf-Error-Code,Authzf-Sub-Error-Code,Authzf-Error-Details",
    ]

    private func expectReadable(_ answer: TestAnswer, from origin: String?) {
        for (name, value) in Self.crossOrigin { #expect(answer.field(name) == value) }
        #expect(answer.field("Access-Control-Allow-Origin") == origin)
        #expect(answer.field("Vary") == "Origin")
    }

    @Test(arguments: BrokerEndpoint.allCases)
    func `A browser is told that pages of other origins may ask, and is not counted for it`(
        endpoint: BrokerEndpoint
    ) async throws {
        let simulation = try Simulation { $0.throttle = ThrottleMode(.always) }
        let path = endpoint.testPath(code: "AAAAAAA")
        for origin in ["https://app.example.com", "null", nil] {
            let fields = origin.map { ["Origin": $0, "Access-Control-Request-Method": "POST"] } ?? [:]
            let allowed = await TestDevice.send(simulation.simulator, .options, path, fields, "")
            #expect(allowed.status == 204 && allowed.body.isEmpty)
            #expect(allowed.field("Allow")?.contains("OPTIONS") == true)
            expectReadable(allowed, from: origin)
            let entry = try #require(simulation.simulator.journal.last)
            #expect(entry.method == "OPTIONS" && entry.endpoint == nil && entry.status == 204)
            let refused = await TestDevice.send(
                simulation.simulator, try endpoint.testMethod, path, fields.filter { $0.key == "Origin" }, "")
            #expect((refused.status == 429) == (endpoint.family != .reset))
            expectReadable(refused, from: origin)
        }
    }

    @Test func `A page of another origin reads answers, errors and what a scenario has spoiled`() async throws {
        let simulation = try Simulation()
        var device = try await simulation.device()
        device.extra = ["Origin": "http://localhost:8000"]
        let path = "/api/v2/REF30/profiles"
        expectReadable(await device.get(path), from: "http://localhost:8000")
        expectReadable(await device.get(path, ["Origin": "http://localhost:8000"]), from: "http://localhost:8000")
        expectReadable(await device.get("/api/v2/REF30/nothing"), from: "http://localhost:8000")
        simulation.simulator.activate(ActiveScenario("html", .malformed(.html)))
        expectReadable(await device.get(path), from: "http://localhost:8000")
        let unknown = await TestDevice.send(simulation.simulator, .options, "/api/v2/REF30/nothing", [:], "")
        #expect(unknown.status == 404)
    }

    @Test(arguments: [
        "/", "/sim", "/sim/state", "/sim/requests", "/sim/keys/media.pem", "/sim/login?code=AAAAAAA", "/sim/activate",
        "/sim/logout", "/sim/logout/REF30?redirectUrl=https%3A%2F%2Fexample.com%2F", "/sim/nothing",
    ])
    func `Pages and control calls stay closed to a page of another origin`(path: String) throws {
        let settings = SiteSettings(origin: "http://127.0.0.1:8090")
        let site = try SimulatorSite(Simulation().simulator, settings: settings)
        for method in [HTTPRequest.Method.options, .get, .put, .post, .delete] {
            for origin in ["https://app.example.com", "http://localhost:8090", "null", nil] {
                var request = HTTPRequest(method: method, scheme: "http", authority: "127.0.0.1:8090", path: path)
                if let origin, let name = HTTPField.Name("Origin") { request.headerFields[name] = origin }
                let head = site.answer(to: request, body: []).head
                if origin != nil { #expect(head.status.code == 403) }
                #expect(!head.headerFields.contains { $0.name.canonicalName.hasPrefix("access-control-") })
            }
        }
    }

    @Test(arguments: BrokerEndpoint.allCases)
    func `Each endpoint of the table is found by its method and path, and answered`(
        endpoint: BrokerEndpoint
    ) async throws {
        let simulation = try Simulation()
        let device = try await simulation.device()
        let answer = await TestDevice.send(
            device.simulator, try endpoint.testMethod, endpoint.testPath(code: "AAAAAAA"), device.fields(), "")
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
        #expect(answer.status == 405 && answer.field("Allow") == "GET, OPTIONS")
    }

    @Test func `Unknown paths and wrong methods are refused`() async throws {
        let device = try await Simulation().device()
        let (json, page) = ("application/json;charset=UTF-8", "text/html;charset=UTF-8")
        for (answer, allowed, type) in [
            (await device.post("/api/v2/REF30/profiles", ""), "GET, OPTIONS", json),
            // An error of version 2 has no place in registration.
            (await device.get("/o/client/register"), "OPTIONS, POST", page),
            (await device.get("/o/client/token"), "OPTIONS, POST", page),
        ] {
            #expect(answer.status == 405 && answer.field("Allow") == allowed && answer.field("Content-Type") == type)
        }
        let code = "/api/v2/REF30/sessions/AAAAAAA"
        let answer = await TestDevice.send(device.simulator, .delete, code, device.fields(), "")
        #expect(answer.status == 405 && answer.field("Allow") == "GET, OPTIONS, POST")
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
