#if Client
public import HTTPTypes

/// Sends one HTTP request and brings the whole answer.
///
/// A transport of your own can stand in for the network: another HTTP library, a recorder, or a simulated broker. It
/// sends the request once, as it is: it follows no redirect, repeats nothing and adds no credentials.
public protocol HTTPTransport: Sendable {
    /// Sends a request, and reads the answer to its end.
    ///
    /// - Parameters:
    ///   - request: The request, with scheme, authority, path and all header fields but the body's length.
    ///   - body: The body; empty for none.
    ///   - timeLimit: How long the exchange may take, the answer's body included.
    /// - Returns: The answer, whatever its status.
    /// - Throws: `TransportFailure` if there is no whole answer.
    func send(
        _ request: HTTPRequest,
        body: [UInt8],
        within timeLimit: Duration
    ) async throws(TransportFailure) -> HTTPAnswer
}

/// What a server answered.
public struct HTTPAnswer: Sendable {
    /// The status and the header fields.
    public let head: HTTPResponse
    /// The body, decompressed.
    public let body: [UInt8]

    /// Makes an answer.
    ///
    /// - Parameters:
    ///   - head: The status and the header fields.
    ///   - body: The body, decompressed.
    public init(_ head: HTTPResponse, body: [UInt8] = []) {
        (self.head, self.body) = (head, body)
    }
}

/// The reason why there is no answer, and whether the server may have acted on the request.
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
    @nonexhaustive
    public enum Reason: String, Sendable, Hashable {
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
    }
}

extension TransportFailure: CustomStringConvertible {
    /// What happened, without address or content of the request.
    public var description: String {
        let what =
            switch reason {
            case .connecting: "no connection could be opened"
            case .tls: "the TLS connection failed; is the server's certificate trusted, and made for this name?"
            case .timeout: "no whole answer came in time"
            case .reset: "the connection broke before the answer was complete"
            case .malformed: "the answer is not HTTP, or cannot be decompressed"
            case .tooLong: "the answer is too long"
            case .cancelled: "the task was cancelled"
            }
        return what + (mayHaveBeenSent ? " (the request may have been sent)" : " (the request was not sent)")
    }
}
#endif
