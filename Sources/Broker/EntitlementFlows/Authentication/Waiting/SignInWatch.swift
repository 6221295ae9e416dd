#if Client
import DeviceRecords
import EntitlementValues

/// The wait of a session for one sign-in.
package struct SignInWatch {
    /// Tells it from others of the session.
    let number: UInt64
    let requestor: RequestorID
    /// The code of the sign-in, which has the epoch.
    let pending: PendingCode
    /// How the wait ends.
    let verdict = Promise<SignIn>()
    /// Whether this session asks the broker, or only looks at the record.
    var asks: Bool
    /// The uptime at which the broker may be asked next.
    var nextQuestion: Duration
    /// Whether another session has the lease on polling, and this one asks once it has ended.
    var yields = false
    /// The version of the device's record that was looked at last.
    var version: Int64?
    /// How many calls of `awaitAuthentication` wait.
    package internal(set) var listeners = 0
    /// Looks again and again.
    var task: Task<Void, Never>?
}
#endif
