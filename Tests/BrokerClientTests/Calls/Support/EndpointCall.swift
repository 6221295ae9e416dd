#if Client
import BrokerClient
import BrokerMessages
import EntitlementValues
import ServiceResponses
import Testing

/// One call of each endpoint, with what the broker answers and what must have been sent.
struct EndpointCall: Sendable, CustomTestStringConvertible {
    let endpoint: BrokerEndpoint
    let line: String
    let answer: String
    var status = 200
    var body = ""
    var contentType: String?
    let make: @Sendable (Caller) async throws -> Void

    var testDescription: String { endpoint.rawValue }

    /// The calls that carry an access token, in the order of the reference.
    static let all: [EndpointCall] = sessions + profiles + decisions + partner + resets

    static let form = "application/x-www-form-urlencoded"
    static let code = AuthenticationCode("ABC123")

    private static let sessions = [
        EndpointCall(
            endpoint: .configuration, line: "GET /api/v2/REF30/configuration", answer: Bodies.configuration
        ) { _ = try await $0.configuration(requestor: "REF30") },
        EndpointCall(
            endpoint: .startSession, line: "POST /api/v2/REF30/sessions", answer: Bodies.session,
            body: "mvpd=TestMVPD&domainName=example.org&redirectUrl=https%3A%2F%2Fexample.org%2Fdone", contentType: form
        ) {
            _ = try await $0.startSession(
                .init(mvpd: "TestMVPD", domain: "example.org", redirect: "https://example.org/done"),
                requestor: "REF30")
        },
        EndpointCall(
            endpoint: .resumeSession, line: "POST /api/v2/REF30/sessions/ABC123", answer: Bodies.session,
            body: "mvpd=TestMVPD", contentType: form
        ) { _ = try await $0.resumeSession(code, with: .init(mvpd: "TestMVPD"), requestor: "REF30") },
        EndpointCall(
            endpoint: .session, line: "GET /api/v2/REF30/sessions/ABC123", answer: Bodies.sessionStatus
        ) { _ = try await $0.session(code, requestor: "REF30") },
        EndpointCall(
            endpoint: .logout,
            line: "GET /api/v2/REF30/logout/TestMVPD?redirectUrl=https%3A%2F%2Fexample.org%2Fdone",
            answer: Bodies.logout
        ) {
            _ = try await $0.logout(mvpd: "TestMVPD", requestor: "REF30", returningTo: "https://example.org/done")
        },
    ]

    private static let profiles = [
        EndpointCall(
            endpoint: .profiles, line: "GET /api/v2/REF30/profiles", answer: Bodies.profiles
        ) { _ = try await $0.profiles(requestor: "REF30") },
        EndpointCall(
            endpoint: .profile, line: "GET /api/v2/REF30/profiles/TestMVPD", answer: Bodies.profiles
        ) { _ = try await $0.profile(mvpd: "TestMVPD", requestor: "REF30") },
        EndpointCall(
            endpoint: .profileByCode, line: "GET /api/v2/REF30/profiles/code/ABC123", answer: Bodies.profiles
        ) { _ = try await $0.profile(code: code, requestor: "REF30", priority: .foreground) },
    ]

    private static let decisions = [
        EndpointCall(
            endpoint: .authorize, line: "POST /api/v2/REF30/decisions/authorize/TestMVPD",
            answer: Bodies.decisions([("TNT", nil)]), body: #"{"resources":["TNT"]}"#, contentType: "application/json"
        ) { _ = try await $0.authorize(["TNT"], mvpd: "TestMVPD", requestor: "REF30") },
        EndpointCall(
            endpoint: .preauthorize, line: "POST /api/v2/REF30/decisions/preauthorize/TestMVPD",
            answer: Bodies.decisions([("TNT", nil), ("TBS", nil)]), body: #"{"resources":["TNT","TBS"]}"#,
            contentType: "application/json"
        ) { _ = try await $0.preauthorize(["TNT", "TBS"], mvpd: "TestMVPD", requestor: "REF30") },
    ]

    private static let partner = [
        EndpointCall(
            endpoint: .startPartnerSession, line: "POST /api/v2/REF30/sessions/sso/Apple",
            answer: Bodies.partnerSession,
            body: "domainName=example.org", contentType: form
        ) { _ = try await $0.startPartnerSession(.init(domain: "example.org"), requestor: "REF30") },
        EndpointCall(
            endpoint: .createPartnerProfile, line: "POST /api/v2/REF30/profiles/sso/Apple", answer: Bodies.profiles,
            status: 201, body: "SAMLResponse=PHNhbWw%2BcGFydG5lci1hbnN3ZXItOTFjZTwvc2FtbD4%3D", contentType: form
        ) { _ = try await $0.createPartnerProfile(try .init(samlXML: Secrets.saml), requestor: "REF30") },
    ]

    private static let resets = [
        EndpointCall(
            endpoint: .resetTemporaryAccess,
            line: "DELETE /reset-tempass/v3/reset?requestor_id=REF30&mvpd_id=TempPass&device_id=all", answer: "",
            status: 204
        ) { try await $0.resetTemporaryAccess(.everyDevice, mvpd: "TempPass", requestor: "REF30") },
        EndpointCall(
            endpoint: .resetPromotionalAccess,
            line: "DELETE /reset-tempass/v3/reset/generic?requestor_id=REF30&mvpd_id=TempPass&key=a%2Bb", answer: "",
            status: 204
        ) { try await $0.resetTemporaryAccess(.identity(hash: "a+b"), mvpd: "TempPass", requestor: "REF30") },
    ]
}
#endif
