#if Client
import BrokerClient

extension EntitlementFlowError {
    /// Takes a failed call of the broker: a cancelled one is a cancelled call of the session.
    init(_ error: BrokerError) {
        self = error == .cancelled ? .cancelled : .broker(error)
    }
}
#endif
