#if Service
import BrokerClient
import EntitlementValues
import HTTPTypes

/// Sends requests to the broker, and notes how it is.
struct WatchedTransport: HTTPTransport {
    let transport: any HTTPTransport
    let health: BrokerHealth
    let time: TimeSource

    func send(
        _ request: HTTPRequest,
        body: [UInt8],
        within timeLimit: Duration
    ) async throws(TransportFailure) -> HTTPAnswer {
        do throws(TransportFailure) {
            let answer = try await transport.send(request, body: body, within: timeLimit)
            health.note(status: answer.head.status.code, at: time.now)
            return answer
        } catch {
            switch error.reason {
            // The caller's doing, which says nothing about the broker.
            case .cancelled, .shutDown, .request: break
            default: health.note(failure: error.reason.rawValue, at: time.now)
            }
            throw error
        }
    }
}
#endif
