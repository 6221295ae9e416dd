#if Service
import BrokerBench
import BrokerMessages
import BrokerSimulation
import EntitlementValues
import Foundation
import RecordChecks
import SealedRecords
import Synchronization
import TVEService
import Testing

/// A running service that is a gateway, and whose broker is a simulated one in the same process.
struct GatewayBench: Sendable {
    /// Making keys takes a tenth of a second, so all tests share them.
    static let keys = Result { try SimulatorKeys() }
    /// The address under which apps and browsers find the gateway.
    static let publicURL = "https://tv.example.com"
    /// What most devices of the tests say of themselves.
    static let info =
        #"{"model":"TV-1000","version":"2","osName":"tvOS","osVersion":"18","connectionType":"LAN","#
        + #""primaryHardwareType":"TV"}"#

    let simulator: BrokerSimulator
    /// What was sent to the broker.
    let sent: RecordedTransport
    /// The store of devices.
    let store: ObservedRecordStore
    let time: ShiftedTime
    let service: RunningService
    /// Has the files that the settings name; it lasts as long as the service, which may read them again.
    let folder: Folder

    /// The same with another replica.
    func at(_ service: RunningService) -> GatewayBench {
        GatewayBench(
            simulator: simulator, sent: sent, store: store, time: time, service: service, folder: folder)
    }

    /// The settings of a gateway with the apps `tv` and `web` of the same brand, and `second` of another one.
    ///
    /// - Parameters:
    ///   - folder: Takes the files that the settings name.
    ///   - simulator: Issues the statements.
    /// - Returns: The settings, as `--set` takes them.
    /// - Throws: An error of the file system.
    static func settings(in folder: Folder, of simulator: BrokerSimulator) throws -> [String: String] {
        if !FileManager.default.fileExists(atPath: folder.path("ring")) {
            try SealingKeys.generate(id: "1").write(to: folder.path("ring"))
        }
        var settings = [
            "keys.paths": try folder.write(simulator.keys.mediaPEM, to: "media.pem"),
            "sessions.keyFiles": try folder.write(String(repeating: "a-5ec2e7", count: 8), to: "session.key"),
            "authz.requestors": "REF30,REF40",
            "authz.resources": "/live/TestChannel/* TestChannel",
            "broker.origin": "http://127.0.0.1:1", "broker.publicURL": publicURL, "broker.store": "memory:",
            "broker.keyFile": folder.path("ring"), "broker.devicesPerMinute": "600", "broker.codesPerMinute": "600",
        ]
        for (app, requestor, domain) in [
            ("tv", "REF30", "example.com"), ("web", "REF30", "example.com"), ("second", "REF40", "example.org"),
        ] {
            let statement = try simulator.softwareStatement(of: RequestorID(requestor))
            settings["broker.apps.\(app).requestor"] = requestor
            settings["broker.apps.\(app).statementFile"] = try folder.write(statement, to: "\(app).statement")
            settings["broker.apps.\(app).domain"] = domain
            settings["broker.apps.\(app).returnTo"] =
                "https://app.example.com/done,myapp://done,"
                + "https://app.example.com/any?*"
            settings["broker.apps.\(app).attributes"] = "zip,userID"
        }
        return settings
    }

    /// Runs a gateway as long as `body` runs.
    ///
    /// - Parameters:
    ///   - changes: Further settings; one that is changed to an empty string is left out.
    ///   - environment: The environment variables.
    ///   - world: What the simulated broker has.
    ///   - records: The store of devices.
    ///   - time: The time that everything goes by.
    ///   - body: Sends requests.
    /// - Returns: What the body returned.
    /// - Throws: What the body throws; `ServiceSettingsError`.
    static func with<Found: Sendable>(
        _ changes: [String: String] = [:],
        environment: [String: String] = [:],
        world: SimulatedWorld = .sample,
        records: (any RecordStore)? = nil,
        time: ShiftedTime = ShiftedTime(),
        _ body: @Sendable (GatewayBench) async throws -> Found
    ) async throws -> Found {
        let folder = try Folder()
        let simulator = try BrokerSimulator(world: world, keys: try keys.get(), time: time.source)
        let settings = try settings(in: folder, of: simulator).merging(changes) { $1 }
        let store = ObservedRecordStore(records ?? InMemoryRecordStore(time: time.source))
        let transport = RecordedTransport(SimulatedTransport(to: simulator, time: time.source))
        return try await RunningService.with(
            settings, environment: environment, time: time.source,
            transport: transport, devices: store
        ) { service in
            // The mark of the ring is made now, so that tests count only what requests cause.
            try await service.until { try await $0.askInternal(request("GET", "/readyz")).status == 200 }
            return try await body(
                GatewayBench(
                    simulator: simulator, sent: transport, store: store, time: time, service: service, folder: folder))
        }
    }

    // MARK: Requests

    /// Sends a request.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - target: The path, with a query if there is one.
    ///   - body: The body, in JSON; `nil` for none.
    ///   - token: The device token; `nil` for none.
    ///   - fields: Further header fields, each with its name.
    /// - Returns: The answer.
    /// - Throws: An error of the connection.
    func ask(
        _ method: String,
        _ target: String,
        _ body: String? = nil,
        token: String? = nil,
        fields: [String] = []
    ) async throws -> Answer {
        var fields = fields
        if let token { fields.append("Authorization: Bearer \(token)") }
        // Read only if the settings name it: so the broker's limit for each address does not slow a test down.
        if !fields.contains(where: { $0.hasPrefix("X-Test-Address:") }) {
            let number = Self.lastAddress.add(1, ordering: .relaxed).newValue
            fields.append("X-Test-Address: 10.\(number >> 8 & 0xFF).\(number & 0xFF).7")
        }
        let namesType = fields.contains { $0.lowercased().hasPrefix("content-type:") }
        if body != nil, !namesType { fields.append("Content-Type: application/json") }
        let bytes = request(method, target, fields: fields, body: body.map { Array($0.utf8) })
        // A request that waits needs the time of day to go on.
        if target.contains("?wait=") { return try await service.ask(bytes) }
        return try await time.standing { try await service.ask(bytes) }
    }

    private static let lastAddress = Atomic(0)

    /// Registers a device.
    ///
    /// - Parameters:
    ///   - app: The app.
    ///   - more: Further members of the body, which begin with a comma.
    /// - Returns: The device token.
    /// - Throws: An error of the connection.
    func register(_ app: String = "tv", _ more: String = "") async throws -> String {
        let answer = try await ask(
            "POST", "/v1/devices", #"{"app":"\#(app)","deviceInfo":\#(Self.info)\#(more)}"#)
        #expect(answer.status == 201)
        return try #require(answer.object["deviceToken"] as? String)
    }

    // MARK: The broker

    /// The endpoints of the broker that were called, in order.
    var brokerCalls: [BrokerEndpoint] { simulator.journal.compactMap(\.endpoint) }
}
#endif
