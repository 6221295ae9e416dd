#if Client
import BrokerBench
import BrokerClient
import BrokerMessages
import BrokerSimulation
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import MediaTokens
import RecordChecks
import SealedRecords
import ServiceResponses
import TVETesting
import TokenRedemption

/// A session of one device and the simulated brokers that it talks to, at a time that pauses and tests move on.
struct AuthorizationBench {
    /// Making keys takes a tenth of a second, so all tests share them.
    static let keys = Result { try SimulatorKeys() }
    static let start = Timestamp(milliseconds: 1_780_000_000_000)
    static let requestor: RequestorID = "REF30"
    static let redirect = "https://example.com/done"

    let clock = SkippingClock()
    let simulator: BrokerSimulator
    /// The broker at the second origin.
    let other: BrokerSimulator
    let transport: InterceptedTransport
    let store: ObservedRecordStore
    let application: EntitlementApplication
    let session: EntitlementSession
    let origins: [BrokerOrigin]

    init(
        world: SimulatedWorld = .sample,
        options: SessionOptions = SessionOptions(),
        _ change: (inout EntitlementApplication, BrokerSimulator) throws -> Void = { _, _ in }
    ) async throws {
        let time = clock.source(from: Self.start)
        let keys = try Self.keys.get()
        simulator = try BrokerSimulator(world: world, keys: keys, time: time)
        other = try BrokerSimulator(world: world, keys: keys, time: time)
        let names = ["broker.example", "other.example"]
        origins = try names.map { try BrokerOrigin(parsing: "https://\($0)") }
        let transport = InterceptedTransport([names[0]: simulator, names[1]: other], time: time)
        clock.hold { [weak transport] in transport?.isCarrying ?? false }
        self.transport = transport
        store = ObservedRecordStore(InMemoryRecordStore(time: time))
        let broker = Broker(
            at: BrokerEnvironment(api: origins[0], management: origins[0]),
            application: Broker.Application(
                try SoftwareStatement(simulator.softwareStatement(of: Self.requestor))),
            records: DeviceDirectory(in: store, sealer: .unsealed, time: time), over: transport, time: time)
        var application = EntitlementApplication(at: broker, domain: "example.com", redirect: Self.redirect)
        try change(&application, simulator)
        self.application = application
        let device = Device(
            key: "device-key", identifier: try DeviceIdentifier("television"),
            info: try DeviceInfo([
                .model: "Tablet", .osName: "iPadOS", .osVersion: "18", .primaryHardwareType: "Tablet",
            ]))
        var options = options
        options.hasPartner = options.hasPartner ?? false
        session = EntitlementSession(of: device, for: application, options: options)
        await session.use(Self.requestor, at: origins, with: world.mvpds.map(\.id))
    }

    /// A bench whose session verifies tokens, and uses them up.
    static func verifying(
        in replays: (any ReplayStore)? = InMemoryReplayStore(),
        world: SimulatedWorld = .sample
    ) async throws -> AuthorizationBench {
        try await AuthorizationBench(world: world) { application, simulator in
            application.verification = TokenVerification(
                by: MediaTokenVerifier(keys: try simulator.keys.mediaVerificationKeys), redeemingIn: replays)
        }
    }

    var time: TimeSource { application.time }
    var directory: DeviceDirectory { application.broker.records }

    // MARK: Sign-ins

    /// Signs a user in at the broker, without the session.
    func signInAtBroker(_ mvpd: MVPDID = "SampleCable", as user: String = "ok", origin: Int = 0) async throws {
        let caller = await session.caller(at: origins[origin])
        let request = SessionRequest(mvpd: mvpd, domain: "example.com", redirect: Self.redirect)
        let answer = try await caller.startSession(request, requestor: Self.requestor)
        if let code = answer.code { try (origin == 0 ? simulator : other).logIn(code: code.text, as: user) }
    }

    /// Signs a user in, and forgets the requests of it.
    func signIn(_ mvpd: MVPDID = "SampleCable", as user: String = "ok") async throws {
        try await signInAtBroker(mvpd, as: user)
        _ = try await session.refreshProfile(requestor: Self.requestor)
        forgetRequests()
    }

    /// Registers the device, and forgets the requests of it: they are made once in the life of a device.
    func register() async throws {
        _ = try await session.caller(at: origins[0]).profiles(requestor: Self.requestor)
        forgetRequests()
    }

    /// Chooses a provider in the record, without a sign-in.
    func choose(_ mvpd: MVPDID, isTemporary: Bool? = nil, origin: BrokerOrigin? = nil) async throws {
        try await change { record in
            record.provider = ChosenProvider(id: mvpd, isTemporary: isTemporary, origin: origin.map { "\($0)" })
        }
    }

    // MARK: Records and requests

    func record() async throws -> RequestorRecord { try await session.record(requestor: Self.requestor) }

    func change(_ body: @Sendable @escaping (inout RequestorRecord) -> Void) async throws {
        try await session.change(requestor: Self.requestor) { body(&$0) }
    }

    /// The endpoints that were called, at the first origin.
    var requests: [BrokerEndpoint] { simulator.journal.compactMap(\.endpoint) }

    func forgetRequests() {
        simulator.clearJournal()
        other.clearJournal()
    }

    func advance(by duration: Duration) { clock.advance(by: duration) }

    func activate(_ scenario: Scenario, at endpoint: BrokerEndpoint, times: Int? = nil) {
        simulator.activate(ActiveScenario("test", scenario, endpoints: [endpoint], remaining: times))
    }
}

extension EntitlementSession {
    /// Takes a requestor, and its providers for those of the first origin, as `setRequestor` does after it has the lists.
    func use(_ id: RequestorID, at origins: [BrokerOrigin], with mvpds: [MVPDID]) {
        access.use(id, at: origins)
        access.pin(Dictionary(uniqueKeysWithValues: mvpds.map { ($0, origins[0]) }))
    }
}
#endif
