#if Client
import BrokerBench
import BrokerClient
import BrokerMessages
import DeviceRecords
import EntitlementValues
import SealedRecords
import TVETesting

/// A broker over a recorder, and callers of it, at a time of which pauses take none.
struct TestBroker {
    let recorder: BrokerRecorder
    let broker: Broker
    let device: Device
    let time: TimeSource

    static let origin = "https://broker.example"
    static let managementOrigin = "https://management.example:8443"
    static let clientAddress = "203.0.113.7"

    init(
        _ recorder: BrokerRecorder,
        settings: BrokerSettings = BrokerSettings(),
        observation: BrokerObservation = BrokerObservation()
    ) throws {
        self.recorder = recorder
        time = SkippingClock.source(from: Timestamp(milliseconds: 1_768_480_200_000))
        let environment = BrokerEnvironment(
            api: try BrokerOrigin(parsing: Self.origin), management: try BrokerOrigin(parsing: Self.managementOrigin))
        broker = Broker(
            at: environment, application: Broker.Application(try SoftwareStatement(Secrets.statement)),
            records: DeviceDirectory(in: InMemoryRecordStore(time: time), sealer: .unsealed, time: time),
            over: recorder, settings: settings, time: time, observation: observation)
        device = Device(
            key: "device-key", identifier: try DeviceIdentifier(Secrets.deviceIdentifier),
            info: try DeviceInfo([.model: "TV 1", .osName: "Example OS"]))
    }

    /// A caller who knows only what each caller must know.
    var caller: Caller { broker.caller(device, from: nil) }

    /// A caller who knows everything.
    var knowingCaller: Caller {
        get throws {
            var caller = try broker.caller(device, from: Self.clientAddress)
            caller.platformToken = try .subject(Secrets.platformToken)
            caller.serviceToken = try ServiceToken(Secrets.serviceToken)
            caller.partnerStatus = try partnerStatus
            caller.temporaryIdentity = try TemporaryIdentity(Secrets.identity)
            caller.visitorIdentifier = try VisitorIdentifier(Secrets.visitor)
            return caller
        }
    }

    /// A caller who knows what each caller must know, and the status of the sign-on partner.
    var callerWithPartner: Caller {
        get throws {
            var caller = caller
            caller.partnerStatus = try partnerStatus
            return caller
        }
    }

    private var partnerStatus: PartnerFrameworkStatus {
        get throws { try PartnerFrameworkStatus(permission: .init(.granted)) }
    }
}
#endif
