#if Client
import BrokerClient
import BrokerSimulation
import Foundation
import SQLiteStores
import TestVectors
import Testing

/// The first program of the article *Talking to the broker*, against the simulated broker.
@Suite struct FirstProgramTests {
    private static let page = "Sources/Broker/BrokerClient/BrokerClient.docc/TalkingToTheBroker.md"

    /// The program, with another broker, and with its files in a folder of the test's.
    private static func decisions(
        statement: SoftwareStatement, device: Device, at origin: BrokerEnvironment, over simulated: SimulatedTransport,
        in folder: String
    ) async throws -> ResourceDecisions {
        // The first program.
        let records = try await DeviceDirectory.open(
            SQLiteRecordStore(path: folder + "devices.sqlite"), keys: folder + "sealing.keys")
        let broker = Broker(
            at: origin, application: Broker.Application(statement), records: records, over: simulated, settings: patient
        )
        let caller = try broker.caller(device, from: "203.0.113.7")
        let decisions = try await caller.authorize(["news"], mvpd: "TestMVPD", requestor: "REF30")
        // The end of it.
        return decisions
    }

    /// A busy machine may let a call wait for longer than the default; nothing here is about that limit.
    private static let patient = {
        var settings = BrokerSettings()
        settings.timeLimit = .seconds(120)
        return settings
    }()
    private let simulator: BrokerSimulator
    private let folder = FileManager.default.temporaryDirectory.path + "/tve-first-\(UUID().uuidString)/"

    init() throws {
        var world = SimulatedWorld.sample
        world.mvpds.append(SimulatedMVPD("TestMVPD", displayName: "Test"))
        world.requestors[0].mvpds.append("TestMVPD")
        simulator = try BrokerSimulator(world: world, keys: try Simulation.keys.get())
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try SealingKeys.generate(id: "test").write(to: folder + "sealing.keys")
    }

    private var device: Device {
        get throws {
            Device(
                key: "tv-1", identifier: try DeviceIdentifier(hashing: "tv-1"),
                info: try DeviceInfo([.model: "TV-1000", .osName: "Linux"]))
        }
    }

    private func run() async throws -> ResourceDecisions {
        let origin = BrokerEnvironment(of: try BrokerOrigin(parsing: "https://broker.example"))
        return try await Self.decisions(
            statement: try SoftwareStatement(simulator.softwareStatement(of: "REF30")), device: try device, at: origin,
            over: SimulatedTransport(to: simulator), in: folder)
    }

    /// Signs the user of the device in, as if they had been at the provider's page.
    private func signIn() async throws {
        let records = try await DeviceDirectory.open(
            SQLiteRecordStore(path: folder + "devices.sqlite"), keys: folder + "sealing.keys")
        let client = try #require(
            try await records.record(of: "tv-1")?.registrations.values.first?.credentials.clientID)
        try simulator.grantProfile(of: "TestMVPD", client: client, device: try device.identifier.text)
    }

    @Test func `The first program brings the decision, and registers the device once`() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let stranger = try await run()["news"]
        #expect(stranger?.isAuthorized == false && stranger?.error?.code == .authenticatedProfileMissing)
        try await signIn()
        let decision = try await run()["news"]
        #expect(decision?.isAuthorized == true && decision?.token != nil)
        #expect(simulator.journal.count { $0.endpoint == .register } == 1)
        #expect(simulator.journal.count { $0.endpoint == .authorize } == 2)
    }

    @Test func `Without the keys of the records nothing is sent`() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        _ = try await run()
        let calls = simulator.journal.count
        try FileManager.default.removeItem(atPath: folder + "sealing.keys")
        await #expect(throws: DeviceRecordsError.self) { try await run() }
        try SealingKeys.generate(id: "other").write(to: folder + "sealing.keys")
        await #expect(throws: DeviceRecordsError.self) { try await run() }
        #expect(simulator.journal.count == calls)
    }

    @Test func `What is shown is what was run`() throws {
        let code = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
        let start = try #require(code.range(of: "// The first program.\n"))
        let end = try #require(code.range(of: "// The end of it.\n"))
        let program = code[start.upperBound..<end.lowerBound].filter { !$0.isWhitespace }
            .replacing("folder+", with: "").replacing("at:origin", with: "at:.production")
            .replacing(",over:simulated,settings:patient", with: "")
        let shown = try String(contentsOf: Vectors.repository.appending(path: Self.page), encoding: .utf8)
        #expect(shown.filter { !$0.isWhitespace }.contains(program))
    }
}
#endif
