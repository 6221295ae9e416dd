#if Client
import HTTPTypes

// The table of the reference: one rule for each endpoint.
//
// Source: the endpoints' pages of the broker's REST API V2 reference, and those of its registration and of its resets. The
// comments say where they differ from each other.
extension EndpointRule {
    // The reference of registration does not have the client's address, but throttles by it.
    static let register = EndpointRule(
        .post, "/o/client/register", successes: [201],
        required: [.deviceInfo],
        optional: [.clientAddress])

    // The reference has 201, and RFC 6749 §5.1 has 200.
    static let token = EndpointRule(
        .post, "/o/client/token", successes: [201, 200],
        required: [.deviceInfo],
        optional: [.clientAddress])

    static let configuration = EndpointRule(
        .get, "/api/v2/{requestor}/configuration",
        required: [.authorization],
        optional: [.deviceIdentifier, .deviceInfo, .clientAddress])

    static let startSession = EndpointRule(
        .post, "/api/v2/{requestor}/sessions",
        required: [.authorization, .deviceIdentifier, .deviceInfo],
        optional: [.clientAddress, .platformToken, .serviceToken, .visitorIdentifier])

    static let resumeSession = EndpointRule(
        .post, "/api/v2/{requestor}/sessions/{code}",
        required: [.authorization],
        optional: [.clientAddress, .visitorIdentifier])

    static let session = EndpointRule(
        .get, "/api/v2/{requestor}/sessions/{code}",
        required: [.authorization],
        optional: [.clientAddress, .visitorIdentifier])

    static let userAgent = EndpointRule(
        .get, "/api/v2/authenticate/{requestor}/{code}", successes: [302],
        required: [], optional: [])

    static let profiles = EndpointRule(
        .get, "/api/v2/{requestor}/profiles",
        required: [.authorization, .deviceIdentifier, .deviceInfo],
        optional: [.clientAddress, .platformToken, .serviceToken, .partnerStatus, .visitorIdentifier])

    static let profile = EndpointRule(
        .get, "/api/v2/{requestor}/profiles/{mvpd}",
        required: [.authorization, .deviceIdentifier, .deviceInfo],
        optional: [
            .clientAddress, .platformToken, .serviceToken, .partnerStatus, .temporaryIdentity,
            .visitorIdentifier,
        ])

    static let profileByCode = EndpointRule(
        .get, "/api/v2/{requestor}/profiles/code/{code}",
        required: [.authorization],
        optional: [.clientAddress, .temporaryIdentity, .visitorIdentifier])

    static let authorize = EndpointRule(
        .post, "/api/v2/{requestor}/decisions/authorize/{mvpd}",
        required: [.authorization, .deviceIdentifier, .deviceInfo],
        optional: [
            .clientAddress, .platformToken, .serviceToken, .partnerStatus, .temporaryIdentity,
            .visitorIdentifier,
        ])

    // Only the OpenAPI file has the identity; promotional access needs it for a preauthorization, too.
    static let preauthorize = EndpointRule(
        .post, "/api/v2/{requestor}/decisions/preauthorize/{mvpd}",
        required: [.authorization, .deviceIdentifier, .deviceInfo],
        optional: [
            .clientAddress, .platformToken, .serviceToken, .partnerStatus, .temporaryIdentity,
            .visitorIdentifier,
        ])

    static let logout = EndpointRule(
        .get, "/api/v2/{requestor}/logout/{mvpd}",
        required: [.authorization, .deviceIdentifier, .deviceInfo],
        optional: [.clientAddress, .platformToken, .serviceToken, .visitorIdentifier])

    // The table has the partner's status as optional, and the questions and answers say that it is always needed.
    static let startPartnerSession = EndpointRule(
        .post, "/api/v2/{requestor}/sessions/sso/{partner}",
        required: [.authorization, .deviceIdentifier, .deviceInfo, .partnerStatus],
        optional: [.clientAddress, .visitorIdentifier])

    // The reference has 201, and the OpenAPI file has 200.
    static let createPartnerProfile = EndpointRule(
        .post, "/api/v2/{requestor}/profiles/sso/{partner}", successes: [201, 200],
        required: [.authorization, .deviceIdentifier, .deviceInfo, .partnerStatus],
        optional: [.clientAddress, .visitorIdentifier])

    static let resetTemporaryAccess = EndpointRule(
        .delete, "/reset-tempass/v3/reset", successes: [204],
        required: [.authorization],
        optional: [],
        host: .management)

    static let resetPromotionalAccess = EndpointRule(
        .delete, "/reset-tempass/v3/reset/generic", successes: [204],
        required: [.authorization],
        optional: [],
        host: .management)
}
#endif
