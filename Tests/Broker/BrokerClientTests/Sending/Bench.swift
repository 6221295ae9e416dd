#if Client
import BrokerBench
import BrokerClient
import BrokerMessages
import DeviceRecords
import EntitlementValues
import HTTPTypes
import SealedRecords
import ServiceResponses
import TestVectors
import TVETesting
import Testing

/// A scripted broker, a device that is registered with it, and a time that stands still until the test moves it.
struct Bench {
    let time = ManualTime(at: Timestamp(milliseconds: 1_768_480_200_000))
    /// The time as the broker has it; another source of it would count from elsewhere.
    let source: TimeSource
    let server: ScriptedBroker
    let broker: Broker
    let device: Device
    let store: DeviceDirectory
    private let records: any RecordStore
    private let sealer: RecordSealer

    static let statement =
        "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJpc3N1ZXIiLCJzdWIiOiJhcHAiLCJzY29wZXMiOiJhcGk6Y2xpZW50OnYyIn0.c3RhdGVtZW50"
    static let clientAddress = "203.0.113.7"

    init(
        settings: BrokerSettings = BrokerSettings(),
        observation: BrokerObservation = BrokerObservation(),
        sealer: RecordSealer = .unsealed,
        store records: (any RecordStore)? = nil,
        identifier: String = "device-identifier",
        _ script: @escaping ScriptedBroker.Script = { _ in nil }
    ) throws {
        source = time.source
        server = ScriptedBroker(at: time, script)
        let environment = BrokerEnvironment(
            api: try BrokerOrigin(parsing: "https://broker.example"),
            management: try BrokerOrigin(parsing: "https://management.example"))
        device = Device(
            key: "device-key", identifier: try DeviceIdentifier(identifier),
            info: try DeviceInfo([.model: "TV 1", .osName: "Example OS"]))
        self.records = records ?? InMemoryRecordStore(time: source)
        self.sealer = sealer
        store = DeviceDirectory(in: self.records, sealer: sealer, time: source)
        broker = Broker(
            at: environment, application: Broker.Application(try SoftwareStatement(Self.statement)), records: store,
            over: server, settings: settings, time: source, observation: observation)
    }

    /// A caller for the same device in another process, which shares nothing but the store.
    func otherProcess() throws -> Caller {
        let time = time.source
        let other = Broker(
            at: broker.environment, application: broker.application,
            records: DeviceDirectory(in: records, sealer: sealer, time: time), over: server, settings: broker.settings,
            time: time)
        return try other.caller(device, from: Self.clientAddress)
    }

    var caller: Caller {
        get throws { try broker.caller(device, from: Self.clientAddress) }
    }

    /// Registers the device and brings an access token, so that later calls need neither.
    ///
    /// It comes from an address of its own, so that later calls have their whole advance.
    func prepare() async throws {
        _ = try await broker.caller(device, from: "198.51.100.1").token(insteadOf: nil, of: nil, within: .seconds(10))
    }

    /// Moves time from the end of one wait to the end of the next, until a task has ended.
    ///
    /// - Parameters:
    ///   - task: The task.
    ///   - sleepers: How many tasks wait when nothing else is left to do: the call itself; while it waits for an access
    ///     token, the request for that and the call's own limit.
    /// - Returns: What the task returned.
    /// - Throws: `WaitedInVain`, and cancels the task, if it does not end.
    func finish<Value: Sendable>(_ task: Task<Value, Never>, with sleepers: Int = 1) async throws -> Value {
        do {
            return try await time.flowing(once: { [time] in time.sleepers == sleepers }) { await task.value }
        } catch {
            task.cancel()
            throw error
        }
    }
}

/// Calls of the endpoints that tests of sending need; their answers are texts.
extension BrokerCall where Answer == String {
    static func reading(_ endpoint: BrokerEndpoint, path: String, clientAddress: String? = Bench.clientAddress) -> Self
    {
        BrokerCall(endpoint, .test(endpoint, path: path, clientAddress)) { (answer) throws(BrokerError) in
            guard answer.isJSON else { throw .unreadable(UnreadableAnswer(answer)) }
            return String(decoding: answer.body, as: UTF8.self)
        }
    }

    /// Brings all profiles: it may be repeated.
    static var profiles: Self { reading(.profiles, path: "/api/v2/REF30/profiles") }
    /// Starts a session: it may not be repeated once it was sent.
    static var session: Self { reading(.startSession, path: "/api/v2/REF30/sessions") }
    static var decision: Self { reading(.authorize, path: "/api/v2/REF30/decisions/authorize/MVPD") }
}

extension HTTPRequest {
    static func test(_ endpoint: BrokerEndpoint, path: String, _ clientAddress: String?) -> HTTPRequest {
        var fields = HTTPFields()
        if let clientAddress, let name = HTTPField.Name("X-Forwarded-For") { fields[name] = clientAddress }
        return HTTPRequest(
            method: endpoint.httpMethod, scheme: "https", authority: "broker.example", path: path, headerFields: fields
        )
    }
}

/// The result of a call, so that errors can be compared.
func result<Value: Sendable>(
    _ operation: @Sendable () async throws(BrokerError) -> Value
) async -> Result<Value, BrokerError> {
    do throws(BrokerError) {
        return .success(try await operation())
    } catch {
        return .failure(error)
    }
}

extension Result where Failure == BrokerError {
    var error: BrokerError? {
        if case .failure(let error) = self { error } else { nil }
    }
}
#endif
