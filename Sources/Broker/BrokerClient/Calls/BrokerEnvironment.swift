#if Client
import BrokerMessages

/// The two origins of one installation of the broker.
public struct BrokerEnvironment: Sendable, Hashable {
    /// Serves `/api/v2` and `/o/client`.
    public let api: BrokerOrigin
    /// Serves the resets of temporary access, `/reset-tempass`; `nil` if it is not known.
    ///
    /// The broker's reference names that of ``production`` only. For the other three, ask the broker's operator, and make an
    /// environment with their API and this origin: a reset sends an access token there.
    public let management: BrokerOrigin?

    /// Makes an environment, for example of a simulated broker.
    ///
    /// - Parameters:
    ///   - api: Serves `/api/v2` and `/o/client`.
    ///   - management: Serves `/reset-tempass`; without it, there are no resets.
    public init(api: BrokerOrigin, management: BrokerOrigin? = nil) {
        (self.api, self.management) = (api, management)
    }

    /// The release for viewers, with the providers' production systems.
    public static let production = Self(
        api: BrokerOrigin(knownHost: "sp.auth.adobe.com"), management: BrokerOrigin(knownHost: "mgmt.auth.adobe.com"))

    /// The next release, with the providers' production systems.
    public static let prequalification = Self(
        api: BrokerOrigin(knownHost: "sp-prequal.auth.adobe.com"))

    /// The release for viewers, with the providers' staging systems.
    public static let staging = Self(
        api: BrokerOrigin(knownHost: "sp.auth-staging.adobe.com"))

    /// The next release, with the providers' staging systems.
    public static let prequalificationStaging = Self(
        api: BrokerOrigin(knownHost: "sp-prequal.auth-staging.adobe.com"))

    /// The environment of an API: one of those above, or one that has everything at the same origin, as a test server
    /// does.
    ///
    /// - Parameter api: The origin of the API.
    public init(of api: BrokerOrigin) {
        let known = [Self.production, .prequalification, .staging, .prequalificationStaging]
        self = known.first { $0.api == api } ?? Self(api: api, management: api)
    }

    /// Where an endpoint is; `nil` if that is not known.
    func origin(of endpoint: BrokerEndpoint) -> BrokerOrigin? { endpoint.family == .reset ? management : api }
}
#endif
