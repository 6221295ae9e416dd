#if Client
import BrokerBench
import BrokerClient
import BrokerMessages
import BrokerSimulation
import DeviceRecords
import EntitlementValues
import HTTPTypes
import SealedRecords
import ServiceResponses
import TVETesting

/// The client of this package, and a simulator that it talks to, at a time of which pauses take none.
struct ClientBench {
    let time = SkippingClock.source(from: Simulation.start)
    let simulator: BrokerSimulator
    let broker: Broker

    /// `statementOfResets` names what its statement allows; `nil` for resets with the application's own token.
    init(
        world: SimulatedWorld = .sample,
        throttle: ThrottleMode = .off,
        statementOfResets scope: AccessScope? = .temporaryAccess
    ) throws {
        var settings = SimulatorSettings()
        settings.throttle = throttle
        simulator = try BrokerSimulator(
            world: world, keys: try Simulation.keys.get(), settings: settings, time: time)
        let environment = BrokerEnvironment(
            api: try BrokerOrigin(parsing: "https://broker.example"),
            management: try BrokerOrigin(parsing: "https://management.example"))
        var brokerSettings = BrokerSettings()
        if let scope {
            brokerSettings.management = try SoftwareStatement(
                simulator.softwareStatement(of: "REF30", allowing: scope))
        }
        broker = Broker(
            at: environment,
            application: Broker.Application(try SoftwareStatement(simulator.softwareStatement(of: "REF30"))),
            records: DeviceDirectory(in: InMemoryRecordStore(time: time), sealer: .unsealed, time: time),
            over: SimulatedTransport(to: simulator, time: time), settings: brokerSettings, time: time)
    }

    /// The same broker with another statement for resets; the records are the same, too.
    func resetting(with statement: SimulatedStatement) throws -> Broker {
        var settings = broker.settings
        settings.management = try SoftwareStatement(simulator.softwareStatement(statement))
        return Broker(
            at: broker.environment, application: broker.application, records: broker.records,
            over: SimulatedTransport(to: simulator, time: time), settings: settings, time: time)
    }

    /// A device.
    func device(_ name: String) throws -> Device {
        Device(
            key: DeviceKey(name), identifier: try DeviceIdentifier(name),
            info: try DeviceInfo([.model: "TV", .osName: "tvOS", .osVersion: "18"]))
    }

    func caller(_ name: String, at address: ClientAddress? = nil) throws -> Caller {
        broker.caller(try device(name), from: address)
    }

    /// Opens an address as a browser does.
    func browse(_ url: String?) async -> TestAnswer { await TestDevice.send(simulator, .get, url ?? "/", [:], "") }

    /// Signs a device in, from the session to the poll.
    @discardableResult
    func signIn(_ caller: Caller, with mvpd: MVPDID = "SampleCable") async throws -> AuthenticationCode? {
        let request = SessionRequest(mvpd: mvpd, domain: "example.com", redirect: TestDevice.redirect)
        let session = try await caller.startSession(request, requestor: "REF30")
        _ = await browse(session.url)
        return session.code
    }
}
#endif
