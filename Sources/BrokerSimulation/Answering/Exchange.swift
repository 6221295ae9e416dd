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
    mutating func plan(_ state: inout SimulatorState) throws(Refusal) -> Plan {
        switch route {
        case .register: return .reply(try register(&state))
        case .token: return .accessToken(try orderAccessToken(&state))
        case .userAgent(let requestor, let code): return .reply(try openUserAgent(requestor, code: code, &state))
        case .logoutPage(let requestor): return .reply(try leaveLogoutPage(requestor, state))
        case .resetTemporaryAccess: return .reply(try resetTrials(promotional: false, &state))
        case .resetPromotion: return .reply(try resetTrials(promotional: true, &state))
        default: return try versionTwo(&state)
        }
    }

    /// The calls of REST API version 2 by applications, which name a brand and bring an access token.
    private mutating func versionTwo(_ state: inout SimulatorState) throws(Refusal) -> Plan {
        guard let id = route.requestor, let requestor = state.world.requestor(id) else {
            throw .code(.invalidParameterServiceProvider)
        }
        let client = try authenticatedClient(state)
        guard client.requestor == id else { throw .code(.invalidAccessTokenServiceProvider) }
        try checkHeaders()
        let reply: Reply
        switch route {
        case .configuration: reply = configuration(of: requestor, state.world)
        case .createSession: reply = try createSession(of: requestor, client, &state)
        case .resumeSession(_, let code): reply = try resumeSession(code, of: requestor, &state)
        case .sessionStatus(_, let code): reply = try sessionStatus(code, of: requestor, state)
        case .profiles: reply = try listProfiles(of: requestor, client, state)
        case .profile(_, let mvpd): reply = try profile(of: mvpd, requestor, client, state)
        case .profileOfCode(_, let code): reply = try profile(ofCode: code, requestor, state)
        case .authorize(_, let mvpd): return try decide(mvpd, requestor, client, isForPlayback: true, &state)
        case .preauthorize(_, let mvpd): return try decide(mvpd, requestor, client, isForPlayback: false, &state)
        case .logout(_, let mvpd): reply = try logOut(mvpd, requestor, client, &state)
        case .partnerSession(_, let partner): reply = try createPartnerSession(partner, requestor, client, &state)
        case .partnerProfile(_, let partner): reply = try createPartnerProfile(partner, requestor, client, &state)
        // Answered before.
        case .register, .token, .userAgent, .logoutPage, .resetTemporaryAccess, .resetPromotion: reply = Reply()
        }
        return .reply(reply)
    }

    /// Refuses a request whose header fields call for it; a lenient simulator does not.
    func checkHeaders() throws(Refusal) {
        if let refusal = headers.refusals.first, !settings.isLenient { throw refusal }
    }

    /// The client whose access token came with the request.
    func authenticatedClient(_ state: SimulatorState) throws(Refusal) -> RegisteredClient {
        guard let bearer = headers.bearer,
            let token = try? accessTokens.verify(bearer.text, expecting: CompactSigner.expectations, at: now),
            let subject = token.claims.subject,
            token.claims.scopes.contains(SimulatedStatement.versionTwoScope)
        else { throw .code(.invalidAccessTokenClientApplication) }
        let generation = token.claims.all[CompactSigner.generation]?.number ?? 0
        return try state.client(ofToken: subject, generation: generation)
    }

    /// The form in the body.
    func form(orRefuse refusal: Refusal) throws(Refusal) -> FormFields {
        guard let form = FormFields(body) else { throw refusal }
        return form
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

extension CompactSigner {
    /// What every token of the simulator names.
    static let expectations = JSONWebTokenExpectations(
        issuer: .exactly(issuer), subject: .unchecked, audience: .unchecked)
}
#endif
