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

/// A simulated broker and a store of devices, which several servers share.
struct DeviceBench {
    static let start = Timestamp(milliseconds: 1_780_000_000_250)
    /// Making keys takes a tenth of a second, so all tests share them.
    private static let keys = Result { try SimulatorKeys() }
    private static let info = Result {
        try DeviceInfo([.primaryHardwareType: "TV", .model: "TV", .osName: "Tizen", .osVersion: "8"])
    }

    let time: TimeSource
    let simulator: BrokerSimulator
    let store: ObservedRecordStore
    /// What the tests look at the store with; each server has a directory of its own.
    let directory: DeviceDirectory

    init(time: TimeSource) throws {
        self.time = time
        simulator = try BrokerSimulator(keys: try Self.keys.get(), time: time)
        store = ObservedRecordStore(InMemoryRecordStore(time: time))
        directory = Self.directory(in: store, at: time)
    }

    /// Attempts to change a record wait in real time: they may meet while the time of the bench stands still.
    private static func directory(in store: ObservedRecordStore, at time: TimeSource) -> DeviceDirectory {
        DeviceDirectory(in: store, sealer: .unsealed, time: StandingClock.source { time.now })
    }

    /// The sessions of a server.
    func server(
        limits: DeviceSessions.Limits = DeviceSessions.Limits(),
        preparing prepare: @escaping DeviceSessions.Preparation = Self.setRequestor
    ) throws -> DeviceSessions {
        let environment = BrokerEnvironment(
            api: try BrokerOrigin(parsing: "https://broker.example"),
            management: try BrokerOrigin(parsing: "https://management.example"))
        // Calls have so much time that none runs into its limit, neither while a test lets seconds pass nor on a busy
        // machine.
        var settings = BrokerSettings()
        settings.timeLimit = .seconds(86_400)
        let statement = try SoftwareStatement(simulator.softwareStatement(of: "REF30"))
        let broker = Broker(
            at: environment, application: Broker.Application(statement),
            records: Self.directory(in: store, at: time), over: Wire.current.transport(to: simulator, time: time),
            settings: settings, time: time)
        let application = EntitlementApplication(
            at: broker, domain: "example.com", redirect: "https://example.com/done")
        return DeviceSessions(for: application, limits: limits, preparing: prepare)
    }

    private static func setRequestor(_ session: EntitlementSession) async throws(EntitlementFlowError) {
        try await session.setRequestor("REF30")
    }

    /// A television.
    static func device(_ name: String) throws -> Device {
        Device(key: DeviceKey(name), identifier: try DeviceIdentifier(name), info: try info.get())
    }

    /// What the store holds of a device.
    func record(of name: String) async throws -> RequestorRecord {
        try await directory.record(of: DeviceKey(name))?["REF30"] ?? RequestorRecord()
    }

    /// Signs the user in on another screen.
    func logIn(_ step: AuthenticationStep?) throws {
        guard case .showCode(let shown) = step else { throw MissingCode() }
        try simulator.logIn(code: shown.code.text, as: "ok")
    }

    /// How often the broker was asked for something.
    func count(_ endpoint: BrokerEndpoint) -> Int { simulator.journal.count { $0.endpoint == endpoint } }
}

struct MissingCode: Error {}
#endif
