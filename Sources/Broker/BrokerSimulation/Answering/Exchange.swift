#if Client
import BrokerMessages
import EntitlementValues
import HTTPTypes
import RequestorSigning
import ServiceResponses
import TextCodecs

/// One request on its way to an answer.
///
/// Each of its steps is handed what the simulator remembers, which stays locked from the first to the last: what one
/// request reads and changes, no other can change in between.
struct Exchange: Sendable {
    let settings: SimulatorSettings
    let accessTokens: JSONWebTokenVerifier
    let statements: JSONWebTokenVerifier
    let route: Route
    let headers: PresentedHeaders
    /// The query; empty if the path has none.
    let query: String
    let body: [UInt8]
    /// The address of the device: what `X-Forwarded-For` names, else that of the connection.
    let clientAddress: String?
    /// The simulation's time at which the request came.
    let now: Timestamp
    /// What goes wrong on demand; `nil` if nothing does.
    var scenario: Scenario?
    /// The defect that media tokens get, by a scenario.
    var tokenDefect: MediaTokenDefect?
    /// A denial of every resource, by a scenario.
    var forcedDecision: (code: EnhancedErrorCode, details: String?)?
    /// How long the answer takes besides what a scenario says.
    var slowness = TimeToLive.zero
    /// The provider that the request names, and the number of its resources, for the journal.
    var mvpd: MVPDID?
    var resources: Int?
    /// What is unusual about the request, for the journal.
    var notes: [String] = []

    /// Does what the request asks for, but for the signing.
    mutating func plan(_ state: inout SimulatorState) throws(Refusal) -> AnswerPlan {
        if let handle = Self.handlers[route.endpoint] { return try handle(&self, &state) }
        guard let handle = Self.applicationHandlers[route.endpoint] else {
            throw .page(status: 501, "The simulator lacks this call.")
        }
        let (requestor, client) = try application(state)
        return try handle(&self, requestor, client, &state)
    }

    /// What applications have to send: the brand, an access token of it, and the header fields.
    private func application(_ state: SimulatorState) throws(Refusal) -> (SimulatedRequestor, RegisteredClient) {
        guard let id = route.requestor, let requestor = state.world.requestor(id) else {
            throw .code(.invalidParameterServiceProvider)
        }
        let client = try authenticatedClient(state)
        guard client.requestor == id else { throw .code(.invalidAccessTokenServiceProvider) }
        try checkHeaders()
        return (requestor, client)
    }

    private typealias Handler = @Sendable (inout Exchange, inout SimulatorState) throws(Refusal) -> AnswerPlan
    private typealias ApplicationHandler =
        @Sendable (
            inout Exchange, SimulatedRequestor, RegisteredClient, inout SimulatorState
        ) throws(Refusal) -> AnswerPlan

    /// What is done at the endpoints that look at access tokens themselves, or need none.
    private static let handlers: [BrokerEndpoint: Handler] = [
        .register: { (call, state) throws(Refusal) in .reply(try call.register(&state)) },
        .token: { (call, state) throws(Refusal) in .accessToken(try call.orderAccessToken(&state)) },
        .userAgent: { (call, state) throws(Refusal) in .reply(try call.openUserAgent(&state)) },
        .resetTemporaryAccess: { (call, state) throws(Refusal) in
            .reply(try call.resetTrials(promotional: false, &state))
        },
        .resetPromotionalAccess: { (call, state) throws(Refusal) in
            .reply(try call.resetTrials(promotional: true, &state))
        },
    ]

    /// What is done at the endpoints that applications call with an access token.
    private static let applicationHandlers: [BrokerEndpoint: ApplicationHandler] = [
        .configuration: { (call, requestor, _, state) in .reply(call.configuration(of: requestor, state.world)) },
        .startSession: { (call, requestor, client, state) throws(Refusal) in
            .reply(try call.createSession(of: requestor, client, &state))
        },
        .resumeSession: { (call, requestor, _, state) throws(Refusal) in
            .reply(try call.resumeSession(of: requestor, &state))
        },
        .session: { (call, requestor, _, state) throws(Refusal) in
            .reply(try call.sessionStatus(of: requestor, state))
        },
        .profiles: { (call, requestor, client, state) throws(Refusal) in
            .reply(try call.listProfiles(of: requestor, client, state))
        },
        .profile: { (call, requestor, client, state) throws(Refusal) in
            .reply(try call.profile(of: requestor, client, state))
        },
        .profileByCode: { (call, requestor, _, state) throws(Refusal) in
            .reply(try call.profileByCode(of: requestor, state))
        },
        .authorize: { (call, requestor, client, state) throws(Refusal) in
            try call.decide(for: requestor, client, isForPlayback: true, &state)
        },
        .preauthorize: { (call, requestor, client, state) throws(Refusal) in
            try call.decide(for: requestor, client, isForPlayback: false, &state)
        },
        .logout: { (call, requestor, client, state) throws(Refusal) in
            .reply(try call.logOut(of: requestor, client, &state))
        },
        .startPartnerSession: { (call, requestor, client, state) throws(Refusal) in
            .reply(try call.createPartnerSession(of: requestor, client, &state))
        },
        .createPartnerProfile: { (call, requestor, client, state) throws(Refusal) in
            .reply(try call.createPartnerProfile(of: requestor, client, &state))
        },
    ]

    /// Refuses a request whose header fields call for it; a lenient simulator does not.
    func checkHeaders() throws(Refusal) {
        if let refusal = headers.refusals.first, !settings.isLenient { throw refusal }
    }

    /// The client whose access token came with the request, and that may make requests of its kind.
    func authenticatedClient(_ state: SimulatorState) throws(Refusal) -> RegisteredClient {
        guard let bearer = headers.bearer,
            let token = try? accessTokens.verify(bearer.text, expecting: CompactSigner.expectations, at: now),
            let subject = token.claims.subject
        else { throw .code(.invalidAccessTokenClientApplication) }
        let generation = token.claims.all[CompactSigner.generation]?.number ?? 0
        let client = try state.client(ofToken: subject, generation: generation)
        let isReset = route.endpoint.family == .reset
        let scope = isReset ? AccessScope.temporaryAccess.rawValue : SimulatedStatement.versionTwoScope
        guard token.claims.scopes.contains(scope) else {
            let code = EnhancedErrorCode.invalidAccessTokenClientApplication
            throw isReset ? .forbiddenReset(code) : .code(code)
        }
        return client
    }

    /// The request in the body.
    func request<Request: BrokerRequest>(orRefuse refusal: Refusal) throws(Refusal) -> Request {
        try rethrowing(Request(parsing: body)) { (_: BrokerRequestError) in refusal }
    }

    /// Who holds profiles on the device that sent the request.
    ///
    /// A lenient simulator takes requests without device identifier; all of these count as one device.
    func holder(_ client: RegisteredClient) -> ProfileHolder {
        ProfileHolder(client: client.id, device: headers.device?.text ?? "")
    }

    /// The provider of a request, if the brand has an agreement with it.
    func integration(
        _ id: MVPDID,
        of requestor: SimulatedRequestor,
        _ world: SimulatedWorld
    ) throws(Refusal) -> SimulatedMVPD {
        guard let mvpd = world.mvpd(id) else { throw .code(.invalidParameterMVPD) }
        guard requestor.mvpds.contains(id) else { throw .code(.invalidIntegration) }
        return mvpd
    }
}

extension FormFields {
    /// Reads a form, or the query of an address; `nil` if it is malformed, or has two fields of one name.
    ///
    /// Fields without a value count as absent, which the broker treats alike.
    init?(filledIn text: String) {
        guard let form = text.withBytes({ try? FormFields(parsing: $0) }) else { return nil }
        self.init()
        for field in form.fields where !field.value.isEmpty { append(field.name, field.value) }
    }
}

extension CompactSigner {
    /// What every token of the simulator names.
    static let expectations = JSONWebTokenExpectations(
        issuer: .exactly(issuer), subject: .unchecked, audience: .unchecked)
}
#endif
