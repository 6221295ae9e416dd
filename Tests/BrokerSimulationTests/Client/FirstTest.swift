#if Client
import BrokerClient
import BrokerMessages
import BrokerSimulation
import BrokerSimulationClient
import DeviceRecords
import EntitlementValues
import SealedRecords
import ServiceResponses
import Testing

/// The test of the article *Testing without the broker*, with what is public alone.
@Suite struct FirstTest {
    private let simulator: BrokerSimulator
    private let broker: Broker
    private let caller: Caller

    init() throws {
        var settings = SimulatorSettings()
        settings.seed = 7
        simulator = try BrokerSimulator(settings: settings)
        simulator.freezeClock()
        let origin = try BrokerOrigin(parsing: "https://broker.example")
        broker = Broker(at: BrokerEnvironment(of: origin), over: SimulatedTransport(to: simulator))
        let device = Device(
            key: DeviceKey("tv"), identifier: try DeviceIdentifier("tv"),
            info: try DeviceInfo([.model: "TV", .osName: "tvOS", .osVersion: "18"]))
        caller = Caller(
            registration: ClientRegistration(
                with: broker, statement: try SoftwareStatement(simulator.softwareStatement(of: "REF30")),
                device: device, store: DeviceDirectory(in: InMemoryRecordStore(), sealer: .unsealed)),
            device: device)
    }

    private func play() async throws -> Decision? {
        try await broker.authorize(["news"], mvpd: "TempPass", requestor: "REF30", as: caller, isTemporary: true)[
            "news"]
    }

    @Test func `Temporary access ends after ten minutes, and a request that was lost is sent again`() async throws {
        #expect(try await play()?.isAuthorized == true)
        let before = simulator.journal.count { $0.endpoint == .authorize }
        simulator.activate(ActiveScenario("lost", .network(.dropRequest), endpoints: [.authorize], remaining: 1))
        #expect(try await play()?.isAuthorized == true)
        #expect(simulator.journal.count { $0.endpoint == .authorize } == before + 2)
        simulator.advanceClock(by: .minutes(10))
        #expect(try await play()?.error?.code == .temporaryAccessDurationLimitExceeded)
        #expect(simulator.journal.last?.endpoint == .authorize)
    }

    /// The transport fails as a network does; the function alone would bring the whole answer.
    @Test func `A lost request and a late answer fail as in a network`() async throws {
        #expect(try await play()?.isAuthorized == true)
        simulator.activate(ActiveScenario("cut", .network(.dropRequest), endpoints: [.authorize]))
        await #expect(throws: BrokerError.transport(TransportFailure(.connecting, mayHaveBeenSent: false))) {
            try await play()
        }
        simulator.activate(ActiveScenario("cut", .network(.delay(.hours(1))), endpoints: [.authorize]))
        await #expect(throws: BrokerError.transport(TransportFailure(.timeout, mayHaveBeenSent: true))) {
            try await play()
        }
    }
}
#endif
