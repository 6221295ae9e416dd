#if Client
import HTTPTypes

extension BrokerEndpoint {
    /// What the broker's reference says of this endpoint.
    ///
    /// The switch keeps the table complete: the compiler refuses an endpoint without a row.
    ///
    /// Source: the endpoints' pages of the broker's REST API V2 reference, and its registration and reset APIs.
    var rule: EndpointRule {
        switch self {
        // The reference of registration does not have the client's address, but throttles by it.
        case .register:
            EndpointRule(
                .post, "/o/client/register", successes: [201, 200],
                required: [.deviceInfo],
                optional: [.clientAddress])
        case .token:
            EndpointRule(
                .post, "/o/client/token", successes: [201, 200],
                required: [.deviceInfo],
                optional: [.clientAddress])
        case .configuration:
            EndpointRule(
                .get, "/api/v2/{requestor}/configuration",
                required: [.authorization],
                optional: [.deviceIdentifier, .deviceInfo, .clientAddress])
        case .startSession:
            EndpointRule(
                .post, "/api/v2/{requestor}/sessions", successes: [200, 201],
                required: [.authorization, .deviceIdentifier, .deviceInfo],
                optional: [.clientAddress, .platformToken, .serviceToken, .visitorIdentifier])
        case .resumeSession:
            EndpointRule(
                .post, "/api/v2/{requestor}/sessions/{code}", successes: [200, 201],
                required: [.authorization],
                optional: [.clientAddress, .visitorIdentifier])
        case .session:
            EndpointRule(
                .get, "/api/v2/{requestor}/sessions/{code}",
                required: [.authorization],
                optional: [.clientAddress, .visitorIdentifier])
        case .userAgent:
            EndpointRule(
                .get, "/api/v2/authenticate/{requestor}/{code}", successes: [302],
                required: [],
                optional: [])
        case .profiles:
            EndpointRule(
                .get, "/api/v2/{requestor}/profiles",
                required: [.authorization, .deviceIdentifier, .deviceInfo],
                optional: [.clientAddress, .platformToken, .serviceToken, .partnerStatus, .visitorIdentifier])
        case .profile:
            EndpointRule(
                .get, "/api/v2/{requestor}/profiles/{mvpd}",
                required: [.authorization, .deviceIdentifier, .deviceInfo],
                optional: [
                    .clientAddress, .platformToken, .serviceToken, .partnerStatus, .temporaryIdentity,
                    .visitorIdentifier,
                ])
        case .profileByCode:
            EndpointRule(
                .get, "/api/v2/{requestor}/profiles/code/{code}",
                required: [.authorization],
                optional: [.clientAddress, .temporaryIdentity, .visitorIdentifier])
        case .authorize:
            EndpointRule(
                .post, "/api/v2/{requestor}/decisions/authorize/{mvpd}",
                required: [.authorization, .deviceIdentifier, .deviceInfo],
                optional: [
                    .clientAddress, .platformToken, .serviceToken, .partnerStatus, .temporaryIdentity,
                    .visitorIdentifier,
                ])
        // Only the OpenAPI file has the identity; promotional access needs it for a preauthorization, too.
        case .preauthorize:
            EndpointRule(
                .post, "/api/v2/{requestor}/decisions/preauthorize/{mvpd}",
                required: [.authorization, .deviceIdentifier, .deviceInfo],
                optional: [
                    .clientAddress, .platformToken, .serviceToken, .partnerStatus, .temporaryIdentity,
                    .visitorIdentifier,
                ])
        case .logout:
            EndpointRule(
                .get, "/api/v2/{requestor}/logout/{mvpd}",
                required: [.authorization, .deviceIdentifier, .deviceInfo],
                optional: [.clientAddress, .platformToken, .serviceToken, .visitorIdentifier])
        // The table has the partner's status as optional, and the questions and answers say that it is always needed.
        case .startPartnerSession:
            EndpointRule(
                .post, "/api/v2/{requestor}/sessions/sso/{partner}", successes: [200, 201],
                required: [.authorization, .deviceIdentifier, .deviceInfo, .partnerStatus],
                optional: [.clientAddress, .visitorIdentifier])
        case .createPartnerProfile:
            EndpointRule(
                .post, "/api/v2/{requestor}/profiles/sso/{partner}", successes: [201, 200],
                required: [.authorization, .deviceIdentifier, .deviceInfo, .partnerStatus],
                optional: [.clientAddress, .visitorIdentifier])
        case .resetTemporaryAccess:
            EndpointRule(
                .delete, "/reset-tempass/v3/reset", successes: [204, 200],
                required: [.authorization],
                optional: [],
                host: .management)
        case .resetPromotionalAccess:
            EndpointRule(
                .delete, "/reset-tempass/v3/reset/generic", successes: [204, 200],
                required: [.authorization],
                optional: [],
                host: .management)
        }
    }
}
#endif
