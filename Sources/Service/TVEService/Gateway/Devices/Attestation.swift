#if Service
import BrokerClient
import BrokerMessages
import HTTPTypes
import Logging
import TextCodecs

/// Asks a service of the programmer's whether a new device runs the programmer's own app.
///
/// Any program could register devices otherwise, as fast as the limit for an address allows.
struct Attestation: Sendable {
    /// The longest statement that the service is sent, in bytes of UTF-8.
    private static let maximumLength = 16_384
    /// How long the service may take.
    private static let timeLimit = Duration.seconds(3)

    private let app: String
    private let address: String
    /// What the app sent for the service; the gateway does not look at it.
    private let statement: String?

    /// Takes the question from a registration, for the app that the device says it runs.
    ///
    /// Throws with the status 400 if the statement is at fault.
    init(of body: GatewayBody, for app: String, at client: ClientConnection) throws(RequestError) {
        (self.app, address) = (app, client.address.text)
        statement = try body.string("attestation", upTo: Self.maximumLength)
    }

    /// Asks the service, if the settings name one.
    ///
    /// Any answer of 2xx lets the device in, and one of 4xx does not. Without one of these, and after 408 and 429,
    /// which say nothing about the app, the setting `broker.attestationFailure` decides. It throws with the status 403
    /// or 503.
    func check(by gateway: Gateway) async throws(RequestError) {
        guard let service = gateway.settings.attestation else { return }
        var request = HTTPRequest(
            method: .post, scheme: service.origin.scheme.rawValue, authority: service.origin.authority,
            path: service.path)
        request.headerFields[.contentType] = "application/json"
        request.headerFields[.accept] = "application/json"
        var body = JSONWriter()
        body.member("app", app)
        body.member("address", address)
        if let statement { body.member("attestation", statement) }
        var code: Int?
        do throws(TransportFailure) {
            code = try await gateway.runtime.services.send(request, body: body.finished, within: Self.timeLimit).head
                .status
                .code
        } catch {
            gateway.runtime.logger.warning(
                "the service that attests apps does not answer", metadata: ["reason": "\(error)"])
        }
        switch code {
        case .some(200..<300): return
        // Also 400, 413 and 422: what the service cannot read is what the app sent, and must not let it in.
        case .some(400..<500) where code != 408 && code != 429:
            throw RequestError(.forbidden, "not_attested", detail: "the app was not taken for a genuine one")
        default:
            guard gateway.settings.attestationFailure == .refuse else { return }
            throw RequestError(
                .serviceUnavailable, "attestation_unavailable", doing: .retry,
                detail: "whether the app is a genuine one is not known; ask again", retryAfter: Self.timeLimit)
        }
    }
}
#endif
