#if Client
import BrokerMessages
import BrokerSimulation
import EntitlementValues
import HTTPTypes
import MediaTokens
import ServiceResponses
import TVETesting
import TextCodecs

/// A simulator whose time stands still until a test moves it.
struct Simulation {
    /// Making keys takes a tenth of a second, so all tests share them.
    static let keys = Result { try SimulatorKeys() }
    static let start = Timestamp(milliseconds: 1_780_000_000_250)

    let time = ManualTime(at: Self.start)
    let simulator: BrokerSimulator

    init(
        world: SimulatedWorld = .sample,
        _ change: (inout SimulatorSettings) -> Void = { _ in }
    ) throws {
        var settings = SimulatorSettings()
        settings.seed = 7
        change(&settings)
        simulator = try BrokerSimulator(
            world: world, keys: try Self.keys.get(), settings: settings, time: time.source)
    }

    /// A device with its own credentials.
    func device(_ name: String = "device-1", requestor: RequestorID = "REF30") async throws -> TestDevice {
        try await TestDevice(name, requestor: requestor, simulator)
    }

    /// The fields of a client that may reset temporary access.
    func resetFields() async throws -> [String: String] {
        let manager = try await TestDevice("manager", requestor: "REF30", simulator, allowing: .temporaryAccess)
        return [BearerToken.name: manager.token.headerValue]
    }

    /// Verifies a media token as a back end does.
    func verified(
        _ serialized: String,
        _ resource: ResourceID,
        requestor: RequestorID = "REF30"
    ) throws -> VerifiedMediaToken {
        let verifier = MediaTokenVerifier(keys: try simulator.keys.mediaVerificationKeys)
        let expectations = TokenExpectations(requestor: .exactly(requestor), resource: .exactly(resource))
        return try verifier.verify(serialized, expecting: expectations, at: simulator.now)
    }
}

/// The answer of a simulator, with ways to read it.
struct TestAnswer {
    let head: HTTPResponse
    let body: [UInt8]

    var status: Int { head.status.code }
    var text: String { String(decoding: body, as: UTF8.self) }

    func field(_ name: String) -> String? { HTTPField.Name(name).flatMap { head.headerFields[$0] } }

    func read<Response: ServiceResponse>(_ type: Response.Type = Response.self) throws -> Response {
        try body.withSpan { try Response(parsing: $0) }
    }

    /// The code of the error object, `nil` if the body is not one.
    var errorCode: EnhancedErrorCode? { (try? read(EnhancedError.self))?.code }
}

/// An application on a device: it sends what the reference's tables say.
struct TestDevice: Sendable {
    let simulator: BrokerSimulator
    let requestor: RequestorID
    let identifier: DeviceIdentifier
    let info: DeviceInfo
    private(set) var credentials: ClientCredentials
    private(set) var token: BearerToken
    /// Fields that further calls send as well.
    var extra: [String: String] = [:]

    init(
        _ name: String,
        requestor: RequestorID,
        _ simulator: BrokerSimulator,
        allowing scope: AccessScope? = nil
    ) async throws {
        (self.simulator, self.requestor) = (simulator, requestor)
        identifier = try DeviceIdentifier(name)
        info = try DeviceInfo([
            .model: "TV", .version: "1", .osName: "tvOS", .osVersion: "18.2", .connectionType: "wired",
        ])
        let statement = try simulator.softwareStatement(of: requestor, allowing: scope)
        let info = [DeviceInfo.name: self.info.headerValue]
        let registered = await Self.send(
            simulator, .post, "/o/client/register", info, #"{"software_statement":"\#(statement)"}"#)
        credentials = try registered.read()
        token = try await Self.token(of: credentials, simulator, info)
    }

    /// Fetches a new access token.
    mutating func renewToken() async throws {
        token = try await Self.token(of: credentials, simulator, [DeviceInfo.name: info.headerValue])
    }

    private static func token(
        of credentials: ClientCredentials,
        _ simulator: BrokerSimulator,
        _ info: [String: String]
    ) async throws -> BearerToken {
        let form =
            "grant_type=client_credentials&client_id=\(credentials.clientID)"
            + "&client_secret=\(credentials.clientSecret)"
        let answer = await send(simulator, .post, "/o/client/token", info, form)
        return try answer.read(AccessToken.self).bearer
    }

    /// The fields of a call with device, without those that are left out.
    func fields(without omitted: Set<String> = []) -> [String: String] {
        let all = [
            BearerToken.name: token.headerValue, DeviceIdentifier.name: identifier.headerValue,
            DeviceInfo.name: info.headerValue,
        ]
        return all.filter { !omitted.contains($0.key) }.merging(extra) { $1 }
    }

    func get(_ path: String, _ fields: [String: String]? = nil) async -> TestAnswer {
        await Self.send(simulator, .get, path, fields ?? self.fields(), "")
    }

    func post(_ path: String, _ body: String, _ fields: [String: String]? = nil) async -> TestAnswer {
        await Self.send(simulator, .post, path, fields ?? self.fields(), body)
    }

    /// Sends a request as it is.
    static func send(
        _ simulator: BrokerSimulator,
        _ method: HTTPRequest.Method,
        _ path: String,
        _ fields: [String: String],
        _ body: String
    ) async -> TestAnswer {
        var request = HTTPRequest(method: method, scheme: "http", authority: "127.0.0.1", path: path)
        for (name, value) in fields {
            if let name = HTTPField.Name(name) { request.headerFields[name] = value }
        }
        let (head, body) = await simulator.respond(to: request, body: Array(body.utf8))
        return TestAnswer(head: head, body: body)
    }
}
#endif
