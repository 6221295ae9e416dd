// URLSession is in a module of its own on Linux.
#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// Sends requests by `URLSession`, without cookies, caches and redirections.
public struct URLSessionTransport: GatewayTransport {
    /// The longest answer that is taken, in bytes.
    public static let maximumBody = 1 << 20

    private let session: URLSession
    private let answers = AnswerReader()

    /// Makes a transport.
    ///
    /// - Parameter configuration: The configuration of the session, for example for a proxy. Cookies and caches are
    ///   switched off in it: the device's token is sent in `Authorization`, and nothing else says who the device is.
    public init(configuration: URLSessionConfiguration = .ephemeral) {
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        session = URLSession(configuration: configuration, delegate: answers, delegateQueue: nil)
    }

    /// Sends a request once.
    ///
    /// - Parameter request: The request.
    /// - Returns: The answer, of any status.
    /// - Throws: `TransportFailure`.
    public func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportAnswer {
        var message = URLRequest(url: request.url)
        // Only a longer limit than the session's own of a minute is needed here; the time itself is taken below.
        message.timeoutInterval = request.timeLimit.rounded(.up) + 10
        message.httpMethod = request.method
        message.httpBody = request.body
        for (name, value) in request.fields { message.setValue(value, forHTTPHeaderField: name) }
        do {
            return try await answer(to: message, within: request.timeLimit)
        } catch {
            throw TransportFailure(error)
        }
    }

    /// Sends a request, and ends it after a time: the session's own limit starts anew with each byte of the answer.
    private func answer(to message: URLRequest, within limit: Double) async throws -> TransportAnswer {
        try await withThrowingTaskGroup(of: TransportAnswer.self) { [session, answers] group in
            group.addTask { try await answers.answer(to: message, in: session) }
            group.addTask {
                try await Task.sleep(for: .seconds(limit))
                throw TransportFailure.timedOut
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw TransportFailure.interrupted }
            return first
        }
    }
}

extension TransportFailure {
    fileprivate init(_ error: any Error) {
        if let failure = error as? TransportFailure {
            self = failure
            return
        }
        self =
            switch (error as? URLError)?.code {
            case .cancelled: .cancelled
            case .timedOut: .timedOut
            case .cannotFindHost, .cannotConnectToHost, .dnsLookupFailed, .notConnectedToInternet,
                .dataNotAllowed, .internationalRoamingOff:
                .notConnected
            case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
                .serverCertificateNotYetValid, .serverCertificateHasUnknownRoot:
                .notTrusted
            default: error is CancellationError ? .cancelled : .interrupted
            }
    }
}
