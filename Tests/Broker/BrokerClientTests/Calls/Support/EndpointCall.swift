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
    /// Texts of the question or of the answer that no log, error or description may show.
    let secrets: [String]
    let status: Int
    let body: String
    let contentType: String?
    /// The kind of its answer in the vectors of messages: that of `SessionStatusResponse` is `session-status`.
    let kind: String
    let make: @Sendable (Caller) async throws -> Void

    var testDescription: String { endpoint.rawValue }

    private init<Answer>(
        endpoint: BrokerEndpoint,
        line: String,
        answer: String,
        secrets: [String],
        status: Int = 200,
        body: String = "",
        contentType: String? = nil,
        make: @escaping @Sendable (Caller) async throws -> Answer
    ) {
        (self.endpoint, self.line, self.answer, self.secrets) = (endpoint, line, answer, secrets)
        (self.status, self.body, self.contentType) = (status, body, contentType)
        // What the client makes of decisions is no answer.
        let type: Any.Type = Answer.self == ResourceDecisions.self ? DecisionsResponse.self : Answer.self
        let words = "\(type)".replacing("Response", with: "").map { $0.isUppercase ? "-\($0.lowercased())" : "\($0)" }
        kind = String(words.joined().dropFirst())
        self.make = { caller in _ = try await make(caller) }
    }

    /// The calls that carry an access token, in the order of the reference.
    static let all: [EndpointCall] = sessions + profiles + decisions + partner + resets

    static let form = "application/x-www-form-urlencoded"
    static let code = AuthenticationCode("ABC123")

    private static let sessions = [
        EndpointCall(
            endpoint: .configuration, line: "GET /api/v2/REF30/configuration", answer: Bodies.configuration,
            secrets: ["example.org", "logo.png"]
        ) { try await $0.configuration(requestor: "REF30") },
        EndpointCall(
            endpoint: .startSession, line: "POST /api/v2/REF30/sessions", answer: Bodies.session,
            secrets: ["ABC123", "session-1", "example.org"],
            body: "mvpd=TestMVPD&domainName=example.org&redirectUrl=https%3A%2F%2Fexample.org%2Fdone", contentType: form
        ) {
            try await $0.startSession(
                .init(mvpd: "TestMVPD", domain: "example.org", redirect: "https://example.org/done"),
                requestor: "REF30")
        },
        EndpointCall(
            endpoint: .resumeSession, line: "POST /api/v2/REF30/sessions/ABC123", answer: Bodies.session,
            secrets: ["ABC123", "session-1"], body: "mvpd=TestMVPD", contentType: form
        ) { try await $0.resumeSession(code, with: .init(mvpd: "TestMVPD"), requestor: "REF30") },
        EndpointCall(
            endpoint: .session, line: "GET /api/v2/REF30/sessions/ABC123", answer: Bodies.sessionStatus,
            secrets: ["ABC123", "example.org", "192.0.2.7"]
        ) { try await $0.session(code, requestor: "REF30") },
        EndpointCall(
            endpoint: .logout,
            line: "GET /api/v2/REF30/logout/TestMVPD?redirectUrl=https%3A%2F%2Fexample.org%2Fdone",
            answer: Bodies.logout, secrets: ["state=1", "example.org"]
        ) {
            try await $0.logout(mvpd: "TestMVPD", requestor: "REF30", returningTo: "https://example.org/done")
        },
    ]

    private static let profiles = [
        EndpointCall(
            endpoint: .profiles, line: "GET /api/v2/REF30/profiles", answer: Bodies.profiles,
            secrets: Bodies.profileSecrets
        ) { try await $0.profiles(requestor: "REF30") },
        EndpointCall(
            endpoint: .profile, line: "GET /api/v2/REF30/profiles/TestMVPD", answer: Bodies.profiles,
            secrets: Bodies.profileSecrets
        ) { try await $0.profile(mvpd: "TestMVPD", requestor: "REF30") },
        EndpointCall(
            endpoint: .profileByCode, line: "GET /api/v2/REF30/profiles/code/ABC123", answer: Bodies.profiles,
            secrets: Bodies.profileSecrets + ["ABC123"]
        ) { try await $0.profile(code: code, requestor: "REF30", priority: .foreground) },
    ]

    private static let decisions = [
        EndpointCall(
            endpoint: .authorize, line: "POST /api/v2/REF30/decisions/authorize/TestMVPD",
            answer: Bodies.decisions([("resource-x", nil)], mediaToken: "media-token"),
            secrets: ["resource-x", "media-token"], body: #"{"resources":["resource-x"]}"#,
            contentType: "application/json;charset=utf-8"
        ) { try await $0.authorize(["resource-x"], mvpd: "TestMVPD", requestor: "REF30") },
        EndpointCall(
            endpoint: .preauthorize, line: "POST /api/v2/REF30/decisions/preauthorize/TestMVPD",
            answer: Bodies.decisions([("resource-x", nil), ("resource-y", nil)]),
            secrets: ["resource-x", "resource-y"],
            body: #"{"resources":["resource-x","resource-y"]}"#, contentType: "application/json;charset=utf-8"
        ) { try await $0.preauthorize(["resource-x", "resource-y"], mvpd: "TestMVPD", requestor: "REF30") },
    ]

    private static let partner = [
        EndpointCall(
            endpoint: .startPartnerSession, line: "POST /api/v2/REF30/sessions/sso/Apple",
            answer: Bodies.partnerSession,
            secrets: ["session-1", "example.org", "PGFzaz5wYXJ0bmVyPC9hc2s", "attribute-of-partner"],
            body: "domainName=example.org", contentType: form
        ) { try await $0.startPartnerSession(.init(domain: "example.org"), requestor: "REF30") },
        EndpointCall(
            endpoint: .createPartnerProfile, line: "POST /api/v2/REF30/profiles/sso/Apple", answer: Bodies.profiles,
            secrets: Bodies.profileSecrets + [Secrets.saml], status: 201,
            body: "SAMLResponse=PHNhbWw%2BcGFydG5lci1hbnN3ZXItOTFjZTwvc2FtbD4%3D", contentType: form
        ) { try await $0.createPartnerProfile(try .init(samlXML: Secrets.saml), requestor: "REF30") },
    ]

    private static let resets = [
        EndpointCall(
            endpoint: .resetTemporaryAccess,
            line: "DELETE /reset-tempass/v3/reset?requestor_id=REF30&mvpd_id=TempPass&device_id=device-of-reset",
            answer: "",
            secrets: ["device-of-reset"], status: 204
        ) { try await $0.resetTemporaryAccess(.device("device-of-reset"), mvpd: "TempPass", requestor: "REF30") },
        EndpointCall(
            endpoint: .resetPromotionalAccess,
            line: "DELETE /reset-tempass/v3/reset/generic?requestor_id=REF30&mvpd_id=TempPass&key=hash%2Bof-identity",
            answer: "",
            secrets: ["hash+of-identity"], status: 204
        ) {
            try await $0.resetTemporaryAccess(.identity(hash: "hash+of-identity"), mvpd: "TempPass", requestor: "REF30")
        },
    ]
}
#endif
