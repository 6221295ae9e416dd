#if Client
public import BrokerClient
import BrokerMessages
import DeviceRecords
import EntitlementValues

/// The conversation of one device about what its user may watch.
///
/// Its methods are those of the operator's client library, which stops working at the end of 2026. They return what they
/// found first, and tell it as ``SessionEvent`` after that.
///
/// Commands of a session run one after the other. What must outlive the process is in the device's record, so that another
/// process can go on with it; the session itself remembers permits, listeners and what waits.
public actor EntitlementSession {
    /// The application on whose behalf the device talks.
    public nonisolated let application: EntitlementApplication
    /// The device.
    public internal(set) var device: Device
    /// What the device says of itself and wants.
    public internal(set) var options: SessionOptions

    package nonisolated let queue = SessionQueue()
    package nonisolated let listeners = SessionEvents()
    /// The session's own name, which is random: it takes leases on polling under it.
    let name: String
    /// The requestor, once `setRequestor` has found it.
    package var requestor: SessionRequestor = .none
    /// The origins of providers, if there are several origins and their lists were asked for.
    package var pins: [MVPDID: BrokerOrigin] = [:]
    /// The callers that were made last, by origin: as long as there is one, its broker keeps the device's registration.
    var callers: [BrokerOrigin: Caller] = [:]
    /// What it remembers, and what ends what of it.
    package internal(set) var state = SessionState()
    /// The device's record as it was read last.
    var lastRead: ReadRecord?
    /// The client as which the device's record knew the session when it was seen last: if it is gone, it was erased.
    var lastClient: KnownClient?

    /// Begins a conversation; nothing is sent.
    ///
    /// - Parameters:
    ///   - device: The device.
    ///   - application: The application on whose behalf the device talks.
    ///   - options: What the device says of itself and wants.
    public init(of device: Device, for application: EntitlementApplication, options: SessionOptions = SessionOptions())
    {
        (self.device, self.application, self.options) = (device, application, options)
        name = "\(UInt64.random(in: 0...UInt64.max))"
    }

    /// The events from now on; the stream ends with the session.
    ///
    /// - Returns: A stream of its own for each call, with room for 64 events; of more, the oldest are lost, and
    ///   ``SessionEvent/missed(_:)`` says how many.
    public nonisolated func events() -> AsyncStream<SessionEvent> { listeners.listen() }
}
#endif
