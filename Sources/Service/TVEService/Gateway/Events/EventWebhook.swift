#if Service
package import BrokerClient
import HTTPTypes

/// Posts events to an address, as `application/x-ndjson`.
///
/// The receiver answers with a status of 200 to 299 once it has kept them. What it did not answer, or answered with
/// another status, comes again, unless the status says that it is not wanted; each event has an `id` that stays the same,
/// by which the receiver can tell.
package struct EventWebhook: EventSink {
    private let address: GatewayAddress
    private let transport: any HTTPTransport

    /// How long the receiver may take.
    private static let timeLimit: Duration = .seconds(10)

    /// Makes a webhook.
    ///
    /// - Parameters:
    ///   - address: Where events are posted.
    ///   - transport: Sends the requests.
    package init(to address: GatewayAddress, over transport: any HTTPTransport) {
        (self.address, self.transport) = (address, transport)
    }

    package func deliver(_ lines: [UInt8]) async throws(EventSinkFailure) {
        let request = HTTPRequest(
            method: .post, scheme: address.origin.scheme.rawValue, authority: address.origin.authority,
            path: address.path, headerFields: [.contentType: "application/x-ndjson"])
        let status: Int
        do throws(TransportFailure) {
            status = try await transport.send(request, body: lines, within: Self.timeLimit).head.status.code
        } catch {
            throw EventSinkFailure(.later, reason: error.description)
        }
        let remedy: EventSinkFailure.Remedy
        switch status {
        case 200...299: return
        // They are too many bytes, or the receiver cannot take one of them.
        case 400, 413, 422: remedy = .smallerGroups
        case 401, 403, 404, 408, 429: remedy = .later
        // The receiver does not want these, and would not want them the next time either.
        case 402...499: remedy = .none
        default: remedy = .later
        }
        throw EventSinkFailure(remedy, reason: "the receiver answers with status \(status)")
    }
}
#endif
