#if Client
/// The reason why an answer did not come, and whether the server may have acted on the request.
///
/// Holds no address, no header field and no body, neither of the request nor of the answer.
public struct TransportFailure: Error, Sendable, Hashable {
    /// What went wrong.
    public let reason: Reason
    /// `false` only if no byte of the request can have left; a request that is not safe to repeat may be repeated then.
    public let mayHaveBeenSent: Bool

    /// Makes a failure.
    ///
    /// - Parameters:
    ///   - reason: What went wrong.
    ///   - mayHaveBeenSent: Whether the server may have received a part of the request; `true` in doubt.
    public init(_ reason: Reason, mayHaveBeenSent: Bool) {
        (self.reason, self.mayHaveBeenSent) = (reason, mayHaveBeenSent)
    }

    /// What went wrong.
    ///
    /// The raw value is the stable name, for programs and log searches.
    @nonexhaustive
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The request cannot be sent as it is: its address, its method or a header field is not valid, or too long.
        case request = "invalid_request"
        /// No connection: the name is unknown, or no server listens there.
        case connecting = "no_connection"
        /// The server's certificate is not trusted, or TLS failed in another way.
        case tls
        /// The time limit passed.
        case timeout
        /// The connection broke before the answer was complete.
        case reset = "connection_broken"
        /// What came is not HTTP, or cannot be decompressed.
        case malformed
        /// The answer is longer than the limit, compressed or not.
        case tooLong = "too_long"
        /// The caller's task was cancelled.
        case cancelled
        /// The transport was shut down.
        case shutDown = "shut_down"
    }
}

extension TransportFailure: CustomStringConvertible {
    /// What happened, without address or content of the request.
    public var description: String {
        let what =
            switch reason {
            case .request: "the request's address, method or a header field is not valid, or too long"
            case .connecting: "no connection could be opened"
            case .tls: "the TLS connection failed; is the server's certificate trusted, and made for this name?"
            case .timeout: "no whole answer came in time"
            case .reset: "the connection broke before the answer was complete"
            case .malformed: "the answer is not HTTP, or cannot be decompressed"
            case .tooLong: "the answer is too long"
            case .cancelled: "the task was cancelled"
            case .shutDown: "the transport was shut down; make a new one"
            }
        return what + (mayHaveBeenSent ? " (the request may have been sent)" : " (the request was not sent)")
    }
}
#endif
