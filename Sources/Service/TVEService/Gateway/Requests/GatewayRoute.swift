#if Service
import HTTPTypes
import Hummingbird

/// How a path of the gateway is answered for one method.
enum GatewayRoute: Sendable {
    /// Any client may ask: the request has no device, or it is found in another way.
    case open(@Sendable (GatewayCall) async throws -> Response)
    /// Only a device may ask, by its token or its cookie.
    case device(@Sendable (GatewayRequest) async throws -> Response)

    /// The routes of one endpoint, by their methods.
    typealias Methods = [HTTPRequest.Method: GatewayRoute]

    /// All routes; a path that has none is answered with 404.
    static let table: [Endpoint: Methods] = [devices, authentication, watching].reduce(into: [:]) { all, some in
        all.merge(some) { $0.merging($1) { first, _ in first } }
    }
}
#endif
