#if Service
import EntitlementValues
import HTTPTypes
import Hummingbird

/// A request to the gateway before its device is known.
struct GatewayCall: Sendable {
    let state: ServiceState
    let gateway: Gateway
    /// The keys and rules that the request began with.
    let configuration: ActiveConfiguration
    let request: Request
    let path: GatewayPath
    let client: ClientConnection

    /// The instant as of which the request is answered.
    var now: Timestamp { gateway.time.now }

    /// Reads the body.
    ///
    /// - Parameter names: The names that its members may have.
    /// - Returns: The body; one without members if there is none.
    /// - Throws: `GatewayRefusal` with the status 400 or 413; the connection's error if it broke.
    func body(taking names: Set<String>) async throws -> GatewayBody {
        try GatewayBody(try await bytes(), taking: names)
    }

    /// Reads the body's bytes.
    func bytes() async throws -> [UInt8] {
        do {
            return try await request.bytes(upTo: configuration.settings.limits.bodyBytes)
        } catch let error as RequestError {
            throw GatewayRefusal(error)
        }
    }

    /// A parameter of the query; `nil` if it is absent.
    func query(_ name: String) -> String? { request.queryParameters[name] }
}
#endif
