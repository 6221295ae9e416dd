#if Client
import BrokerBench
import BrokerClient
import BrokerMessages
import BrokerSimulation
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import RecordChecks
import SealedRecords
import ServiceResponses
import TestVectors
import TVETesting
import Testing

/// Devices of one application, and the simulated brokers that they talk to, at a time that only tests move on.
final class FlowBench: Sendable {
    /// What kind of device a session is for.
    enum Kind: Sendable {
        /// It can open an address.
        case tablet
        /// It shows codes.
        case television
    }

    /// Making keys takes a tenth of a second, so all tests share them.
    private static let keys = Result { try SimulatorKeys() }
    static let start = Timestamp(milliseconds: 1_780_000_000_000)
    static let requestor: RequestorID = "REF30"
    static let redirect = "https://app.example.com/done"

    let time = ManualTime(at: start)
    let simulators: [BrokerSimulator]
    let origins: [BrokerOrigin]
    let transport: InterceptedTransport
    let store: ObservedRecordStore
    let application: EntitlementApplication
    private let settings: BrokerSettings

    /// Makes brokers, one for each world; each has an origin of its own.
    init(
        _ worlds: [SimulatedWorld] = [.sample],
        settings: BrokerSettings = FlowBench.patientSettings,
        _ change: (inout EntitlementApplication) throws -> Void = { _ in }
    ) throws {
        let (time, keys) = (time.source, try Self.keys.get())
        simulators = try worlds.map { try BrokerSimulator(world: $0, keys: keys, time: time) }
        let hosts = worlds.indices.map { "broker\($0).example" }
        origins = try hosts.map { try BrokerOrigin(parsing: "https://\($0)") }
        let transport = InterceptedTransport(Dictionary(uniqueKeysWithValues: zip(hosts, simulators)), time: time)
        store = ObservedRecordStore(InMemoryRecordStore(time: time))
        self.transport = transport
        self.settings = settings
        let environment = BrokerEnvironment(api: origins[0], management: origins[0])
        let statement = try SoftwareStatement(simulators[0].softwareStatement(of: Self.requestor))
        let broker = Broker(
            at: environment, application: Broker.Application(statement),
            records: Self.directory(in: store, at: self.time), over: transport, settings: settings, time: time)
        var application = EntitlementApplication(at: broker, domain: "example.com", redirect: Self.redirect)
        try change(&application)
        self.application = application
    }

    /// The application as another process has it: only the store is shared.
    var otherProcess: EntitlementApplication {
        let broker = Broker(
            at: application.broker.environment, application: application.broker.application,
            records: Self.directory(in: store, at: time), over: transport, settings: settings, time: time.source)
        var other = EntitlementApplication(at: broker, domain: "example.com", redirect: Self.redirect)
        other.pollInterval = application.pollInterval
        return other
    }

    /// A directory by whose time of day records end, and whose attempts to change one wait in real time: they may meet
    /// while the time of the bench stands still.
    ///
    /// However long a test takes, noted decision times do not become due.
    private static func directory(in store: ObservedRecordStore, at time: ManualTime) -> DeviceDirectory {
        DeviceDirectory(in: store, sealer: .unsealed, time: StandingClock.source { time.now })
    }

    /// Calls have so much time that none runs into its limit while time flows.
    static var patientSettings: BrokerSettings {
        var settings = BrokerSettings()
        settings.timeLimit = .seconds(86_400)
        return settings
    }

    var simulator: BrokerSimulator { simulators[0] }

    /// A session that has no requestor yet.
    func newSession(
        _ kind: Kind = .tablet,
        key: DeviceKey = "device",
        of application: EntitlementApplication? = nil,
        options: SessionOptions = SessionOptions()
    ) throws -> EntitlementSession {
        let hardware: DeviceInfo.Value = kind == .tablet ? "Tablet" : "TV"
        let device = Device(
            key: key, identifier: try DeviceIdentifier("identifier of \(key.rawValue)"),
            info: try DeviceInfo([
                .model: "Model", .osName: "tvOS", .osVersion: "18", .primaryHardwareType: hardware,
            ]))
        var options = options
        // Apps that do not ask the device's sign-on partner, unless a test says that they do.
        options.hasPartner = options.hasPartner ?? false
        return EntitlementSession(of: device, for: application ?? self.application, options: options)
    }

    /// A session whose requestor is set.
    func session(
        _ kind: Kind = .tablet,
        key: DeviceKey = "device",
        of application: EntitlementApplication? = nil,
        options: SessionOptions = SessionOptions()
    ) async throws -> EntitlementSession {
        let session = try newSession(kind, key: key, of: application, options: options)
        try await session.setRequestor(Self.requestor)
        return session
    }

    // MARK: Users

    /// Signs a user in with the code of a step, as the provider's page does.
    func logIn(_ step: AuthenticationStep?, as user: String = "ok", at origin: Int = 0) throws {
        let code = try #require(step?.code)
        try simulators[origin].logIn(code: code.text, as: user)
    }

    /// Signs a device in from the choice to the profile, and forgets the requests of it.
    func signIn(_ session: EntitlementSession, with mvpd: MVPDID = "SampleCable", as user: String = "ok") async throws {
        try logIn(try await session.setSelectedProvider(mvpd), as: user)
        let outcome = try await session.handleExternalURL(Self.redirect)
        guard case .authenticated = outcome else { throw BenchFault.notSignedIn }
        forgetRequests()
    }

    // MARK: Requests

    /// The endpoints that were called at an origin, but for the device's registration.
    func requests(at origin: Int = 0) -> [BrokerEndpoint] {
        simulators[origin].journal.compactMap(\.endpoint).filter { $0 != .register && $0 != .token }
    }

    func forgetRequests() { for simulator in simulators { simulator.clearJournal() } }

    func activate(_ scenario: Scenario, at endpoint: BrokerEndpoint, times: Int? = nil, origin: Int = 0) {
        simulators[origin].activate(
            ActiveScenario(endpoint.rawValue, scenario, endpoints: [endpoint], remaining: times))
    }

    // MARK: Time

    /// Lets seconds pass one by one; after each, as many tasks must pause as before.
    func pass(_ seconds: Int, with pauses: Int) async throws {
        try await eventually { self.time.rests(with: pauses) }
        for _ in 0..<seconds {
            time.advance(by: .seconds(1))
            try await eventually { self.time.rests(with: pauses) }
        }
    }

    /// Runs a body, and lets time pass in its pauses, whatever their length.
    ///
    /// Time moves only when nothing else is left to do: nothing is on its way to a broker, and what goes on pauses.
    func flowing<Answer: Sendable>(_ body: @escaping @Sendable () async throws -> Answer) async throws -> Answer {
        try await flowing(with: { 1 }, body)
    }

    /// Runs a body, and lets time pass once as many tasks pause as do when nothing else is left to do.
    func flowing<Answer: Sendable>(
        with pauses: @escaping @Sendable () async -> Int,
        _ body: @escaping @Sendable () async throws -> Answer
    ) async throws -> Answer {
        try await time.flowing(
            once: { [time, transport] in
                let expected = await max(1, pauses())
                return !transport.isCarrying && time.pauses >= expected
            }, body)
    }
}

enum BenchFault: Error { case notSignedIn }

extension AuthenticationStep {
    /// The code of a step that has one.
    var code: AuthenticationCode? {
        switch self {
        case .openUserAgent(let visit): visit.code
        case .showCode(let code): code.code
        default: nil
        }
    }
}
#endif
