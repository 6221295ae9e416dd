#if Client
import BrokerMessages
import EntitlementValues
import HTTPTypes
import HostSystem
import ServiceResponses

extension Broker {
    /// What the answers of a request are like, and what may be done with it.
    struct CallForm: Sendable {
        /// The segments of the path.
        var path: [PathParameter: String]
        /// Names and values of the query.
        var query: [(name: String, value: String)] = []
        /// The body; `nil` for none.
        var body: RequestBody?
        /// When the request may be repeated; `nil` for what its method allows.
        var isRepeatable: Bool?
    }

    /// Makes the request of an endpoint, without `Authorization`.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint.
    ///   - form: What the request holds.
    ///   - known: The values of header fields that are known.
    /// - Returns: The request.
    /// - Throws: `BrokerError.request`.
    func request(_ endpoint: BrokerEndpoint, _ form: CallForm, known: KnownFields) throws(BrokerError) -> HTTPRequest {
        let origin = endpoint.rule.host == .api ? environment.api : environment.management
        do throws(RequestFault) {
            var fields = try known.fields(for: endpoint, settings: settings)
            fields[.accept] = "application/json"
            fields[.userAgent] = Self.userAgent
            if let body = form.body { fields[.contentType] = body.mediaType }
            return HTTPRequest(
                method: endpoint.rule.method, scheme: origin.scheme.rawValue, authority: origin.authority,
                path: try endpoint.path(with: form.path, query: form.query), headerFields: fields)
        } catch {
            throw .request(error)
        }
    }

    /// The name and the release of this library.
    static let userAgent = "swift-tve-tokens/\(releaseVersion)"
}
#endif
