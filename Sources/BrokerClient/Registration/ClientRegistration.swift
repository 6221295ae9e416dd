#if Client
public import BrokerMessages
public import DeviceRecords

/// The registration of one device: its credentials for good, and the access token that goes on each call.
public final class ClientRegistration: Sendable {
    let broker: Broker
    let statement: SoftwareStatement
    let device: Device
    let store: DeviceDirectory

    /// Describes a registration; nothing is sent.
    ///
    /// - Parameters:
    ///   - broker: The broker.
    ///   - statement: The application's software statement.
    ///   - device: The device.
    ///   - store: Keeps the credentials.
    public init(with broker: Broker, statement: SoftwareStatement, device: Device, store: DeviceDirectory) {
        (self.broker, self.statement, self.device, self.store) = (broker, statement, device, store)
    }
}
#endif
