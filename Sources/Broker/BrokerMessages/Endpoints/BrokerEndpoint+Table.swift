// The table of the reference: one row for each endpoint.
//
// Source: the endpoints' pages of the broker's REST API V2 reference, and those of its registration and of its resets. The
// comments say where they differ from each other.
//
// Reading changes nothing, a logout ends what has ended already, and an access token too many is forgotten: these are
// repeated after failures. So is a decision, except for temporary access, where it could use up a budget twice: such a call
// says `.ifUnsent` itself.
extension BrokerEndpoint: CaseIterable {
    /// All endpoints, in the order of the reference.
    public static let allCases: [BrokerEndpoint] = [
        register, token, configuration, startSession, resumeSession, session, userAgent, profiles, profile,
        profileByCode, authorize, preauthorize, logout, startPartnerSession, createPartnerProfile, resetTemporaryAccess,
        resetPromotionalAccess,
    ]

    // The reference of registration does not have the client's address, but throttles by it.
    /// Registers an application, and brings its credentials.
    public static let register = BrokerEndpoint(
        "register", .post, at: "/o/client/register", family: .registration, successes: [201],
        required: [.deviceInfo],
        optional: [.clientAddress])

    // The reference has 201, and RFC 6749 §5.1 has 200.
    /// Brings an access token for credentials.
    public static let token = BrokerEndpoint(
        "token", .post, at: "/o/client/token", family: .registration, successes: [201, 200],
        required: [.deviceInfo],
        optional: [.clientAddress],
        repetition: .afterFailures)

    /// Brings the providers that a requestor works with.
    public static let configuration = BrokerEndpoint(
        "configuration", .get, at: "/api/v2/{requestor}/configuration",
        required: [.authorization],
        optional: [.deviceIdentifier, .deviceInfo, .clientAddress])

    /// Starts an authentication session.
    public static let startSession = BrokerEndpoint(
        "start_session", .post, at: "/api/v2/{requestor}/sessions",
        required: [.authorization, .deviceIdentifier, .deviceInfo],
        optional: [.clientAddress, .platformToken, .serviceToken, .visitorIdentifier])

    /// Completes the parameters of a session.
    public static let resumeSession = BrokerEndpoint(
        "resume_session", .post, at: "/api/v2/{requestor}/sessions/{code}",
        required: [.authorization],
        optional: [.clientAddress, .visitorIdentifier])

    /// Looks at a session.
    public static let session = BrokerEndpoint(
        "session", .get, at: "/api/v2/{requestor}/sessions/{code}",
        required: [.authorization],
        optional: [.clientAddress, .visitorIdentifier])

    /// Sends the user's browser to the provider; a browser calls it, not an application.
    public static let userAgent = BrokerEndpoint(
        "user_agent", .get, at: "/api/v2/authenticate/{requestor}/{code}", family: .browser, successes: [302])

    /// Brings all profiles of a device.
    public static let profiles = BrokerEndpoint(
        "profiles", .get, at: "/api/v2/{requestor}/profiles",
        required: [.authorization, .deviceIdentifier, .deviceInfo],
        optional: [.clientAddress, .platformToken, .serviceToken, .partnerStatus, .visitorIdentifier])

    /// Brings the profile of one provider.
    public static let profile = BrokerEndpoint(
        "profile", .get, at: "/api/v2/{requestor}/profiles/{mvpd}",
        required: [.authorization, .deviceIdentifier, .deviceInfo],
        optional: [
            .clientAddress, .platformToken, .serviceToken, .partnerStatus, .temporaryIdentity, .visitorIdentifier,
        ])

    /// Brings the profile that came of a session.
    public static let profileByCode = BrokerEndpoint(
        "profile_by_code", .get, at: "/api/v2/{requestor}/profiles/code/{code}",
        required: [.authorization],
        optional: [.clientAddress, .temporaryIdentity, .visitorIdentifier])

    /// Decides whether the user may watch, with media tokens.
    public static let authorize = BrokerEndpoint(
        "authorize", .post, at: "/api/v2/{requestor}/decisions/authorize/{mvpd}",
        required: [.authorization, .deviceIdentifier, .deviceInfo],
        optional: [
            .clientAddress, .platformToken, .serviceToken, .partnerStatus, .temporaryIdentity, .visitorIdentifier,
        ],
        repetition: .afterFailures)

    // Only the OpenAPI file and an older page have the identity; promotional access needs it for a preauthorization, too.
    /// Decides what the user would be allowed to watch, for display only.
    public static let preauthorize = BrokerEndpoint(
        "preauthorize", .post, at: "/api/v2/{requestor}/decisions/preauthorize/{mvpd}",
        required: [.authorization, .deviceIdentifier, .deviceInfo],
        optional: [
            .clientAddress, .platformToken, .serviceToken, .partnerStatus, .temporaryIdentity, .visitorIdentifier,
        ],
        repetition: .afterFailures)

    /// Signs the user out.
    public static let logout = BrokerEndpoint(
        "logout", .get, at: "/api/v2/{requestor}/logout/{mvpd}",
        required: [.authorization, .deviceIdentifier, .deviceInfo],
        optional: [.clientAddress, .platformToken, .serviceToken, .visitorIdentifier])

    // The table has the partner's status as optional, and the questions and answers say that it is always needed.
    /// Starts a session with the device's sign-on partner.
    public static let startPartnerSession = BrokerEndpoint(
        "start_partner_session", .post, at: "/api/v2/{requestor}/sessions/sso/{partner}",
        required: [.authorization, .deviceIdentifier, .deviceInfo, .partnerStatus],
        optional: [.clientAddress, .visitorIdentifier])

    // The reference has 201, and the OpenAPI file has 200.
    /// Makes a profile from the partner's answer.
    public static let createPartnerProfile = BrokerEndpoint(
        "create_partner_profile", .post, at: "/api/v2/{requestor}/profiles/sso/{partner}", successes: [201, 200],
        required: [.authorization, .deviceIdentifier, .deviceInfo, .partnerStatus],
        optional: [.clientAddress, .visitorIdentifier])

    /// Lets a device's temporary access begin anew.
    public static let resetTemporaryAccess = BrokerEndpoint(
        "reset_temporary_access", .delete, at: "/reset-tempass/v3/reset", family: .reset, successes: [204],
        required: [.authorization])

    /// Lets an identity's promotional access begin anew.
    public static let resetPromotionalAccess = BrokerEndpoint(
        "reset_promotional_access", .delete, at: "/reset-tempass/v3/reset/generic", family: .reset, successes: [204],
        required: [.authorization])
}
