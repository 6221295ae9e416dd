#if Client
import HTTPTypes

extension BrokerEndpoint {
    /// When calls of this endpoint may be repeated although the broker may have acted on them.
    ///
    /// Reading changes nothing, a logout ends what has ended already, and an access token too many is forgotten. A
    /// decision may be asked for twice, except for temporary access, where it could use up a budget twice: such a call
    /// says `.ifUnsent`.
    var repetition: Repetition {
        switch self {
        case .authorize, .preauthorize, .token: .afterFailures
        default: rule.method == .get ? .afterFailures : .ifUnsent
        }
    }

    /// When a call may be repeated although the broker may have acted on it.
    ///
    /// The statuses 401 and 429 prove that it has not, so any call may be repeated after them.
    enum Repetition: Sendable {
        /// After a broken connection and after 5xx.
        case afterFailures
        /// Only if nothing was sent.
        case ifUnsent
    }
}
#endif
