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
    /// - Throws: `TransportFailure` if a whole answer does not come.
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
#endif
