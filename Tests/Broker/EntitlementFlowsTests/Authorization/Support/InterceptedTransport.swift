#if Client
import BrokerBench
import BrokerClient
import BrokerSimulation
import EntitlementValues
import HTTPTypes
import Synchronization

/// Joins a client with simulators by host, and lets a test act before an answer arrives, or change it.
final class InterceptedTransport: HTTPTransport {
    typealias Intercept = @Sendable (_ path: String, HTTPAnswer) async -> HTTPAnswer

    private let transports: [String: any BenchTransport]
    private let intercept = Mutex<Intercept?>(nil)
    private let sent = Mutex<[HTTPRequest]>([])
    private let failing = Mutex<(place: String, reason: TransportFailure.Reason)?>(nil)

    init(_ simulators: [String: BrokerSimulator], time: TimeSource) {
        transports = simulators.mapValues { Wire.current.transport(to: $0, time: time) }
    }

    /// Sees each answer from now on; `nil` for none.
    func onAnswer(_ intercept: Intercept?) { self.intercept.withLock { $0 = intercept } }

    /// Lets requests fail from now on, before they are sent, whose paths contain a text.
    func fail(at place: String, with reason: TransportFailure.Reason) { failing.withLock { $0 = (place, reason) } }

    /// Whether a request or an answer is on its way.
    var isCarrying: Bool { transports.values.contains(where: \.isCarrying) }

    /// The requests so far.
    var requests: [HTTPRequest] { sent.withLock { $0 } }

    func send(
        _ request: HTTPRequest,
        body: [UInt8],
        within timeLimit: Duration
    ) async throws(TransportFailure) -> HTTPAnswer {
        sent.withLock { $0.append(request) }
        if let (place, reason) = failing.withLock({ $0 }), request.path?.contains(place) == true {
            throw TransportFailure(reason, mayHaveBeenSent: false)
        }
        guard let transport = transports[request.authority ?? ""] else {
            throw TransportFailure(.connecting, mayHaveBeenSent: false)
        }
        let answer = try await transport.send(request, body: body, within: timeLimit)
        guard let intercept = intercept.withLock({ $0 }) else { return answer }
        return await intercept(request.path ?? "", answer)
    }
}
#endif
