#if Service
/// A path of the gateway: what it is counted as, and the part of it that varies.
struct GatewayPath: Sendable, Hashable {
    let endpoint: Endpoint
    /// The last part of a path that ends in a code or a state, as it was sent; `nil` for the others.
    let parameter: String?

    /// Takes a path; `nil` if it is not one of the gateway's.
    ///
    /// - Parameter path: The path of a request target, without the query.
    init?(_ path: String) {
        if let endpoint = Self.fixed[path] {
            (self.endpoint, parameter) = (endpoint, nil)
            return
        }
        for (prefix, endpoint) in Self.prefixes where path.hasPrefix(prefix) {
            let rest = path.dropFirst(prefix.count)
            guard !rest.isEmpty, !rest.contains("/") else { return nil }
            (self.endpoint, parameter) = (endpoint, String(rest))
            return
        }
        return nil
    }

    /// Whether an endpoint is one of the gateway's.
    static func has(_ endpoint: Endpoint) -> Bool {
        fixed.values.contains(endpoint) || prefixes.contains { $0.1 == endpoint }
    }

    private static let fixed: [String: Endpoint] = [
        "/v1/devices": .devices,
        "/v1/devices/renew": .renewDevice,
        "/v1/providers": .providers,
        "/v1/authentication": .authentication,
        "/v1/authentication/partner": .partnerAuthentication,
        "/v1/partner": .partner,
        "/activate": .activate,
        "/v1/profile": .profile,
        "/v1/preauthorizations": .preauthorizations,
        "/v1/plays": .plays,
        "/v1/logout": .logout,
    ]

    private static let prefixes: [(String, Endpoint)] = [
        ("/v1/activations/", .activations), ("/v1/return/", .loginReturn),
    ]
}
#endif
