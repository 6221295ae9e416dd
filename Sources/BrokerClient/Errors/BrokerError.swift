#if Client
public import DeviceRecords
public import ServiceResponses

/// The reason why a call of the broker failed.
///
/// No description contains what the broker wrote for people, a token, a secret, a code or an identifier of a device. The
/// broker's texts are properties of `EnhancedError`.
@nonexhaustive
public enum BrokerError: Error, Sendable, Hashable {
    /// The request is not sent, because it is not complete, or the answer holds an address that must not be opened.
    case request(RequestFault)
    /// A whole answer did not come. What is safe to repeat was repeated.
    case transport(TransportFailure)
    /// The broker takes no more requests from this client address at present, or the turn of this request comes after
    /// its time limit; `nil` if the broker did not say for how long.
    case throttled(retryAfter: Duration?)
    /// A call of ``RequestPriority/polling`` was not sent, because it would have had to wait.
    case pollSkipped(retryAfter: Duration)
    /// The broker refuses the call, with its error object and the HTTP status.
    case refused(EnhancedError, status: Int)
    /// The application's registration does not work; the application or its operator has to decide what to do.
    case registration(RegistrationRefusal)
    /// The broker, or a server before it, is out of service: the status is 408, 502, 503 or 504, without an error object of
    /// the broker. What is safe to repeat was repeated; `nil` if it did not say after how long to ask again.
    case unavailable(status: Int, retryAfter: Duration?)
    /// The answer is not what the endpoint answers with.
    case unreadable(UnreadableAnswer)
    /// The device's record could not be read or changed.
    case store(DeviceRecordsError)
    /// The task was cancelled.
    case cancelled

    /// The stable name of the error, for programs and log searches.
    public var code: String {
        switch self {
        case .request(let fault): fault.code
        case .transport(let failure): failure.reason.rawValue
        case .throttled: "throttled"
        case .pollSkipped: "poll_skipped"
        case .refused: "refused"
        case .registration(let refusal): refusal.decision.rawValue
        case .unavailable: "unavailable"
        case .unreadable: "unreadable_answer"
        case .store(let error): error.code
        case .cancelled: "cancelled"
        }
    }
}
#endif
