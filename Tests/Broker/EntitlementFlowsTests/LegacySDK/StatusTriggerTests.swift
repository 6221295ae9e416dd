#if Client
import BrokerBench
import BrokerClient
import BrokerMessages
import BrokerSimulation
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import SealedRecords
import ServiceResponses
import TVETesting
import Testing

/// Codes that no error of the broker brings: sessions tell them by themselves.
@Suite struct StatusTriggerTests {
    /// A session whose clock is ahead of the broker's.
    private static func session(
        ahead offset: TimeToLive = .seconds(0),
        on json: String = #"{"model":"Phone","osName":"iOS","primaryHardwareType":"MobilePhone"}"#
    ) throws -> (session: EntitlementSession, simulator: BrokerSimulator) {
        let clock = SkippingClock()
        let start = AuthorizationBench.start
        let simulator = try BrokerSimulator(
            world: .sample, keys: try AuthorizationBench.keys.get(), time: clock.source(from: start))
        let time = clock.source(from: start + offset)
        let origin = try BrokerOrigin(parsing: "https://broker.example")
        let statement = try SoftwareStatement(simulator.softwareStatement(of: AuthorizationBench.requestor))
        let broker = Broker(
            at: BrokerEnvironment(api: origin, management: origin), application: Broker.Application(statement),
            records: DeviceDirectory(in: InMemoryRecordStore(time: time), sealer: .unsealed, time: time),
            over: Wire.current.transport(to: simulator, time: time), time: time)
        let application = EntitlementApplication(
            at: broker, domain: "example.com", redirect: AuthorizationBench.redirect)
        let device = Device(
            key: "device-key", identifier: try DeviceIdentifier("device"), info: try DeviceInfo(json: json))
        return (EntitlementSession(of: device, for: application), simulator)
    }

    private static func statuses(in events: [SessionEvent]) -> [String] {
        events.compactMap { if case .status(let status) = $0 { status.code.rawValue } else { nil } }
    }

    @Test(arguments: [(Int64(0), 0), (50, 0), (-50, 0), (75, 1), (-75, 1)])
    func `A clock that is off by more than a minute is told, once`(seconds: Int64, count: Int) async throws {
        let (session, _) = try Self.session(ahead: .seconds(seconds))
        let log = EventLog(of: session)
        try await session.setRequestor(AuthorizationBench.requestor)
        #expect(Self.statuses(in: await log.next()).isEmpty)
        for _ in 0..<3 { _ = try await session.checkAuthentication(.broker) }
        let codes = Self.statuses(in: await log.next())
        #expect(codes.count { $0 == "CFG100" } == count)
    }

    @Test(arguments: [
        (#"{"model":"Box","osName":"tvOS","primaryHardwareType":"SetTopBox"}"#, ["REG500", "N500"]),
        (#"{"model":"Phone","osName":"iOS","primaryHardwareType":"MobilePhone"}"#, ["N500"]),
    ])
    func `A code for another screen that cannot be had is told`(device: String, codes: [String]) async throws {
        let (session, simulator) = try Self.session(on: device)
        try await session.setRequestor(AuthorizationBench.requestor)
        _ = try await session.checkAuthentication(.broker)
        simulator.activate(ActiveScenario("test", .error(.internalServerError), endpoints: [.startSession]))
        let log = EventLog(of: session)
        await #expect(throws: EntitlementFlowError.self) { try await session.setSelectedProvider("SampleCable") }
        #expect(Self.statuses(in: await log.next()) == codes)
    }
}
#endif
