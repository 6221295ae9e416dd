public import Foundation

/// Sends a request over HTTP: a seam for an app's own networking, and for tests.
public protocol GatewayTransport: Sendable {
    /// Sends a request once, without following redirections.
    ///
    /// - Parameter request: The request.
    /// - Returns: The answer, of any status.
    /// - Throws: `TransportFailure` if there is no answer, or not all of it.
    func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportAnswer
}

/// A request as it goes over the wire.
public struct TransportRequest: Sendable {
    /// The method, for example `POST`.
    public let method: String
    /// The whole address.
    public let url: URL
    /// The header fields.
    ///
    /// `Authorization` holds the device's token, so do not log them.
    public let fields: [String: String]
    /// The body; `nil` for none.
    public let body: Data?
    /// How long the whole answer may take, in seconds.
    public let timeLimit: Double

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - url: The whole address.
    ///   - fields: The header fields.
    ///   - body: The body; `nil` for none.
    ///   - timeLimit: How long the whole answer may take, in seconds.
    public init(method: String, url: URL, fields: [String: String], body: Data?, timeLimit: Double) {
        (self.method, self.url, self.fields, self.body, self.timeLimit) = (method, url, fields, body, timeLimit)
    }
}

/// An answer as it came over the wire.
public struct TransportAnswer: Sendable {
    /// The HTTP status.
    public let status: Int
    /// The value of `Retry-After`; `nil` if it is absent.
    public let retryAfter: String?
    /// The body.
    public let body: Data

    /// Makes an answer.
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - retryAfter: The value of `Retry-After`; `nil` if it is absent.
    ///   - body: The body.
    public init(status: Int, retryAfter: String? = nil, body: Data) {
        (self.status, self.retryAfter, self.body) = (status, retryAfter, body)
    }
}

/// Why there is no answer.
public enum TransportFailure: String, Error, Sendable, Hashable, CaseIterable {
    /// There is no connection, so that nothing was sent.
    case notConnected = "not_connected"
    /// The connection broke; the gateway may have done what it was asked for.
    case interrupted
    /// The time was over; the gateway may have done what it was asked for.
    case timedOut = "timed_out"
    /// The gateway's certificate is not trusted.
    case notTrusted = "not_trusted"
    /// The answer is longer than ``URLSessionTransport/maximumBody``.
    case tooLong = "too_long"
    /// The task was cancelled.
    case cancelled

    /// Whether the gateway cannot have seen the request.
    var provesNothingSent: Bool { self == .notConnected || self == .notTrusted }
}
