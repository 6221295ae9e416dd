#if Client

/// Where the answer to a question for the authentication comes from.
public enum StatusSource: Sendable, Hashable {
    /// From the device's record, without the network; if the broker was never asked for this device, it is asked once.
    case record
    /// From the device's record, without the network in any case.
    case localOnly
    /// From the broker, by one call.
    case broker
}
#endif
