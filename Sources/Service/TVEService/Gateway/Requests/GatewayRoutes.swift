#if Service
package import HTTPTypes
import Hummingbird

/// A way to ask the gateway.
package struct GatewayRoute: Sendable {
    /// Who may ask.
    enum Action: Sendable {
        /// Any client: the request has no device, or it is found in another way.
        case open(@Sendable (GatewayCall) async throws -> Response)
        /// Only a device, by its token or its cookie.
        case device(@Sendable (DeviceCall) async throws -> Response)
    }

    package let method: HTTPRequest.Method
    /// A part in braces takes any one part of a path.
    package let path: String
    /// What it is counted as.
    package let endpoint: Endpoint
    let action: Action
    /// Whether a path that takes GET takes HEAD, too.
    private var answersHead = true

    /// The methods that are answered this way.
    package var methods: [HTTPRequest.Method] { method == .get && answersHead ? [.get, .head] : [method] }

    /// All ways, in the order of openapi.yaml.
    package static let all: [GatewayRoute] = [
        .open(.post, "/v1/devices", .devices) { try await $0.registerDevice() },
        .device(.patch, "/v1/devices", .devices) { try await $0.changeDevice() },
        .device(.delete, "/v1/devices", .devices) { try await $0.forgetDevice() },
        .device(.post, "/v1/devices/renew", .renewDevice) { try await $0.renewToken() },
        .device(.get, "/v1/providers", .providers) { try await $0.showProviders() },
        .device(.post, "/v1/authentication", .authentication) { try await $0.beginSignIn() },
        .device(.get, "/v1/authentication", .authentication) { try await $0.showSignIn() },
        .device(.put, "/v1/authentication", .authentication) { try await $0.proveReturn() },
        .device(.delete, "/v1/authentication", .authentication) { try await $0.cancelSignIn() },
        .device(.post, "/v1/authentication/partner", .partnerAuthentication) { try await $0.takePartnerReply() },
        .device(.put, "/v1/partner", .partner) { try await $0.takePartnerStatus() },
        .open(.get, "/activate", .activate) { try await $0.showActivation() },
        .open(.post, "/activate", .activate) { try await $0.takeActivation() },
        .open(.get, "/v1/activations/{code}", .activations) { try await $0.describeActivation() },
        .open(.post, "/v1/activations/{code}", .activations) { try await $0.confirmActivation() },
        // A program that checks links sends HEAD, which must not count as the browser that comes back.
        .open(.get, "/v1/return/{state}", .loginReturn, answersHead: false) { try await $0.showReturn() },
        .device(.get, "/v1/profile", .profile) { try await ProfileQuestion($0).answer() },
        .device(.post, "/v1/preauthorizations", .preauthorizations) { try await PreauthorizationQuestion($0).answer() },
        // Of a device, or of an app that lends its access token.
        .open(.post, "/v1/plays", .plays) { try await Play.answer($0) },
        .device(.post, "/v1/logout", .logout) { try await $0.signOut() },
    ]

    private static func open(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ endpoint: Endpoint,
        answersHead: Bool = true,
        _ answer: @escaping @Sendable (GatewayCall) async throws -> Response
    ) -> GatewayRoute {
        GatewayRoute(
            method: method, path: path, endpoint: endpoint, action: .open(answer), answersHead: answersHead)
    }

    private static func device(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ endpoint: Endpoint,
        _ answer: @escaping @Sendable (DeviceCall) async throws -> Response
    ) -> GatewayRoute {
        GatewayRoute(method: method, path: path, endpoint: endpoint, action: .device(answer))
    }
}

/// A path of the gateway, with all ways to ask it.
struct GatewayPath: Sendable {
    let endpoint: Endpoint
    private var actions: [HTTPRequest.Method: GatewayRoute.Action] = [:]

    private init(_ endpoint: Endpoint) { self.endpoint = endpoint }

    /// How a request is answered; `nil` if the path does not take its method.
    func action(of method: HTTPRequest.Method) -> GatewayRoute.Action? { actions[method] }

    /// The methods that the path takes, in their order.
    var methods: [HTTPRequest.Method] { actions.keys.sorted { $0.rawValue < $1.rawValue } }

    /// Finds the path of a request target, given without the query; `nil` if it is not one of the gateway's.
    ///
    /// `parameter` is the part of it that a code or a state takes, as it was sent; `nil` if it has none.
    static func find(_ path: String) -> (path: GatewayPath, parameter: String?)? {
        if let found = fixed[path] { return (found, nil) }
        for (prefix, found) in prefixes where path.hasPrefix(prefix) {
            let rest = path.dropFirst(prefix.count)
            return rest.isEmpty || rest.contains("/") ? nil : (found, String(rest))
        }
        return nil
    }

    private static let all: [String: GatewayPath] = GatewayRoute.all.reduce(into: [:]) { paths, route in
        for method in route.methods {
            paths[route.path, default: GatewayPath(route.endpoint)].actions[method] = route.action
        }
    }
    private static let fixed = all.filter { !$0.key.hasSuffix("}") }
    /// Those that end in a part in braces, without it.
    private static let prefixes = all.filter { $0.key.hasSuffix("}") }
        .map { (prefix: String($0.key.prefix { $0 != "{" }), path: $0.value) }
}
#endif
