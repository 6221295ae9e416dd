#if Client
package import BrokerClient
package import EntitlementValues

/// The requestor of a session.
package enum SessionRequestor: Sendable, Hashable {
    /// `setRequestor` was not called, or has failed.
    case none
    /// The origins that answer for the requestor, in the order of the call; at least one.
    case found(RequestorID, [BrokerOrigin])
}

/// Which calls of `setRequestor` run or wait, so that commands that came after one fail as it did if
/// a requestor is not set.
struct RequestorSetUps {
    private var last: UInt64 = 0
    private var running: Set<UInt64> = []
    private var failed: (number: UInt64, error: EntitlementFlowError)?

    /// The last call that has not ended; `nil` if there is none.
    var latest: UInt64? { running.max() }

    /// Notes that a call came; returns its number.
    mutating func begin() -> UInt64 {
        last += 1
        running.insert(last)
        return last
    }

    /// Notes that a call has ended.
    mutating func end(_ number: UInt64, with error: EntitlementFlowError?) {
        running.remove(number)
        if let error { failed = (number, error) }
    }

    /// Why a call failed; `nil` if it did not, or if a later one failed since.
    func failure(of number: UInt64?) -> EntitlementFlowError? {
        failed.flatMap { $0.number == number ? $0.error : nil }
    }
}
#endif
