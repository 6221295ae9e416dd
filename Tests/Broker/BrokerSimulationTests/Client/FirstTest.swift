#if Client
import BrokerClient
import BrokerSimulation
import Testing

/// The test of the article *Testing without the broker*, with what is public alone.
@Suite struct FirstTest {
    private let simulator: BrokerSimulator
    private let caller: Caller

    init() throws {
        var settings = SimulatorSettings()
        settings.seed = 7
        simulator = try BrokerSimulator(settings: settings)
        simulator.freezeClock()
        let origin = try BrokerOrigin(parsing: "https://broker.example")
        let statement = try SoftwareStatement(simulator.softwareStatement(of: "REF30"))
        // A busy machine may let a call wait for longer than the default.
        var patient = BrokerSettings()
        patient.timeLimit = .seconds(120)
        let broker = Broker(
            at: BrokerEnvironment(of: origin), application: Broker.Application(statement),
            records: DeviceDirectory(in: InMemoryRecordStore(), sealer: .unsealed),
            over: SimulatedTransport(to: simulator), settings: patient)
        let device = Device(
            key: "tv", identifier: try DeviceIdentifier("tv"),
            info: try DeviceInfo([.model: "TV", .osName: "tvOS", .osVersion: "18"]))
        caller = try broker.caller(device, from: "203.0.113.7")
    }

    private func play() async throws -> Decision? {
        try await caller.authorize(["news"], mvpd: "TempPass", requestor: "REF30", isTemporary: true)[
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
