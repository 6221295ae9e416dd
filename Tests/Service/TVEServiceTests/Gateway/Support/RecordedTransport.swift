#if Service
import BrokerClient
import HTTPTypes
import Synchronization

/// Remembers what was sent to the broker, and may change what it answers.
final class RecordedTransport: HTTPTransport {
    private let inner: any HTTPTransport
    private let sent = Mutex<[HTTPRequest]>([])
    private let change = Mutex<(@Sendable (_ path: String, HTTPAnswer) -> HTTPAnswer)?>(nil)

    init(_ inner: any HTTPTransport) { self.inner = inner }

    /// Changes answers from now on.
    func onAnswer(_ body: @escaping @Sendable (_ path: String, HTTPAnswer) -> HTTPAnswer) {
        change.withLock { $0 = body }
    }

    /// The requests, in order.
    var requests: [HTTPRequest] { sent.withLock { $0 } }

    /// The values of a header field in all requests that have it.
    func values(of name: String) -> [String] {
        requests.flatMap { request in
            request.headerFields.filter { $0.name.rawName.lowercased() == name.lowercased() }.map(\.value)
        }
    }

    func send(
        _ request: HTTPRequest,
        body: [UInt8],
        within timeLimit: Duration
    ) async throws(TransportFailure) -> HTTPAnswer {
        sent.withLock { $0.append(request) }
        let answer = try await inner.send(request, body: body, within: timeLimit)
        guard let change = change.withLock({ $0 }) else { return answer }
        return change(request.path ?? "", answer)
    }
}
#endif
