#if Service
package import BrokerClient
import Dispatch
import EntitlementValues
import HTTPTypes
import HostSystem

/// Where the events of all devices go.
package protocol EventSink: Sendable {
    /// Hands events over, as lines of JSON.
    ///
    /// Throws if they did not arrive, or if that is not known.
    func deliver(_ lines: [UInt8]) async throws(EventSinkFailure)
}

/// The reason why events did not arrive.
package struct EventSinkFailure: Error, Sendable, Hashable {
    /// What helps.
    package enum Remedy: Sendable, Hashable {
        /// The same events may arrive at another time.
        case later
        /// One of the events is not wanted, or they are too many at once: smaller groups of them may arrive.
        case smallerGroups
        /// Nothing: the events are given up, as they would hold up all others.
        case none
    }

    package let remedy: Remedy
    /// What happened, without events and addresses.
    let reason: String

    package init(_ remedy: Remedy, reason: String) { (self.remedy, self.reason) = (remedy, reason) }
}

/// Appends events to a file, which is opened anew for each group of them: a tool may move it away at any time.
final class EventFile: EventSink {
    private let path: String
    /// Of its own: a disk that stalls must not hold a thread that answers requests.
    private let queue = DispatchQueue(label: "events")

    init(_ path: String) { self.path = path }

    func deliver(_ lines: [UInt8]) async throws(EventSinkFailure) {
        let outcome: Result<Void, FileFailure> = await withCheckedContinuation { continuation in
            queue.async { [path] in
                continuation.resume(returning: Result { () throws(FileFailure) in try Files.append(lines, to: path) })
            }
        }
        if case .failure(let failure) = outcome { throw EventSinkFailure(.later, reason: failure.reason) }
    }
}

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

    /// Makes a webhook, to which events are posted.
    package init(to address: GatewayAddress, over transport: any HTTPTransport) {
        (self.address, self.transport) = (address, transport)
    }

    package func deliver(_ lines: [UInt8]) async throws(EventSinkFailure) {
        let request = HTTPRequest(
            method: .post, scheme: address.origin.scheme.rawValue, authority: address.origin.authority,
            path: address.path, headerFields: [.contentType: "application/x-ndjson"])
        let status = try await rethrowing(
            awaiting: await transport.send(request, body: lines, within: Self.timeLimit).head.status.code
        ) { (failure: TransportFailure) in EventSinkFailure(.later, reason: failure.description) }
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

/// Where the events of devices go, as JSON on a line each.
enum EventsDestination: Sendable, Hashable {
    /// They are appended to a file.
    case file(String)
    /// They are posted.
    case webhook(GatewayAddress)

    /// What takes the events there: a file, or a webhook over the transport.
    func sink(over transport: any HTTPTransport) -> any EventSink {
        switch self {
        case .file(let path): EventFile(path)
        case .webhook(let address): EventWebhook(to: address, over: transport)
        }
    }

    /// Reads a setting; `nil` if it is not set.
    init?(_ name: String, from reader: inout SettingsReader) {
        guard let text = reader.text(name) else { return nil }
        guard text.contains("://") else {
            self = .file(text)
            return
        }
        guard let address = GatewayAddress(name, from: &reader) else { return nil }
        self = .webhook(address)
    }
}
#endif
