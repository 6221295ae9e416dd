#if Client
import BrokerMessages

/// The two origins of one installation of the broker.
public struct BrokerEnvironment: Sendable, Hashable {
    /// Serves `/api/v2` and `/o/client`.
    public let api: BrokerOrigin
    /// Serves the resets of temporary access, `/reset-tempass`.
    ///
    /// The broker's reference names only that of ``production``. Those of the other three follow its pattern; a reset sends
    /// an access token there, so ask the broker's operator for the host first, and make an environment with it.
    public let management: BrokerOrigin

    /// Makes an environment, for example of a simulated broker.
    ///
    /// - Parameters:
    ///   - api: Serves `/api/v2` and `/o/client`.
    ///   - management: Serves `/reset-tempass`.
    public init(api: BrokerOrigin, management: BrokerOrigin) {
        (self.api, self.management) = (api, management)
    }

    /// The release for viewers, with the providers' production systems.
    public static let production = Self(
        api: BrokerOrigin(knownHost: "sp.auth.adobe.com"), management: BrokerOrigin(knownHost: "mgmt.auth.adobe.com"))

    /// The next release, with the providers' production systems.
    public static let prequalification = Self(
        api: BrokerOrigin(knownHost: "sp-prequal.auth.adobe.com"),
        management: BrokerOrigin(knownHost: "mgmt-prequal.auth.adobe.com"))

    /// The release for viewers, with the providers' staging systems.
    public static let staging = Self(
        api: BrokerOrigin(knownHost: "sp.auth-staging.adobe.com"),
        management: BrokerOrigin(knownHost: "mgmt.auth-staging.adobe.com"))

    /// The next release, with the providers' staging systems.
    public static let prequalificationStaging = Self(
        api: BrokerOrigin(knownHost: "sp-prequal.auth-staging.adobe.com"),
        management: BrokerOrigin(knownHost: "mgmt-prequal.auth-staging.adobe.com"))

    /// The environment of an API: one of those above, or one that has everything at the same origin, as a test server
    /// does.
    ///
    /// - Parameter api: The origin of the API.
    public init(of api: BrokerOrigin) {
        let known = [Self.production, .prequalification, .staging, .prequalificationStaging]
        self = known.first { $0.api == api } ?? Self(api: api, management: api)
    }

    /// Where an endpoint is.
    func origin(of endpoint: BrokerEndpoint) -> BrokerOrigin { endpoint.family == .reset ? management : api }
}
#endif
