#if Client
import Synchronization
import BrokerMessages
import EntitlementValues
import HTTPTypes
import RequestorSigning
import ServiceResponses
import TextCodecs

/// One request on its way to an answer.
struct Exchange {
    let simulator: BrokerSimulator
    let route: Route
    let headers: PresentedHeaders
    /// The query; empty if the path has none.
    let query: String
    let body: [UInt8]
    /// The address of the device, as `X-Forwarded-For` has it.
    let clientAddress: String?
    /// The simulation's time at which the request came.
    let now: Timestamp
    /// The defect that media tokens get, by a scenario.
    var tokenDefect: MediaTokenDefect?
    /// A denial of every resource, by a scenario.
    var forcedDecision: (code: EnhancedErrorCode, details: String?)?
    /// How long the answer takes besides what a scenario says.
    var slowness = TimeToLive.zero
    /// What is unusual about the request, for the journal.
    var notes: [String] = []

    /// Answers the request.
    mutating func reply() throws(Refusal) -> Reply {
        switch route {
        case .register: return try register()
        case .token: return try issueAccessToken()
        case .userAgent(let requestor, let code): return try openUserAgent(requestor, code: code)
        case .logoutPage(let requestor): return try leaveLogoutPage(requestor)
        case .resetTemporaryAccess: return try resetTrials(promotional: false)
        case .resetPromotion: return try resetTrials(promotional: true)
        default: return try versionTwo()
        }
    }

    /// The calls of REST API version 2 by applications, which name a brand and bring an access token.
    private mutating func versionTwo() throws(Refusal) -> Reply {
        guard let id = route.requestor,
            let requestor = simulator.state.withLock({ $0.world.requestor(id) })
        else { throw .code(.invalidParameterServiceProvider) }
        let client = try authenticatedClient()
        guard client.requestor == id else { throw .code(.invalidAccessTokenServiceProvider) }
        try checkHeaders()
        switch route {
        case .configuration: return configuration(of: requestor)
        case .createSession: return try createSession(of: requestor, client)
        case .resumeSession(_, let code): return try resumeSession(code, of: requestor)
        case .sessionStatus(_, let code): return try sessionStatus(code, of: requestor)
        case .profiles: return try listProfiles(of: requestor, client)
        case .profile(_, let mvpd): return try profile(of: mvpd, requestor, client)
        case .profileOfCode(_, let code): return try profile(ofCode: code, requestor)
        case .authorize(_, let mvpd): return try authorize(mvpd, requestor, client)
        case .preauthorize(_, let mvpd): return try preauthorize(mvpd, requestor, client)
        case .logout(_, let mvpd): return try logOut(mvpd, requestor, client)
        case .partnerSession(_, let partner): return try createPartnerSession(partner, requestor, client)
        case .partnerProfile(_, let partner): return try createPartnerProfile(partner, requestor, client)
        // Answered before.
        case .register, .token, .userAgent, .logoutPage, .resetTemporaryAccess, .resetPromotion: return Reply()
        }
    }

    /// Refuses a request whose header fields call for it; a lenient simulator does not.
    func checkHeaders() throws(Refusal) {
        if let refusal = headers.refusals.first, !simulator.settings.isLenient { throw refusal }
    }

    /// The client whose access token came with the request.
    func authenticatedClient() throws(Refusal) -> RegisteredClient {
        guard let bearer = headers.bearer,
            let token = try? simulator.accessTokens.verify(
                bearer.text, expecting: CompactSigner.expectations, at: now),
            let subject = token.claims.subject, let issued = token.claims.issued,
            token.claims.scopes.contains(SimulatedStatement.versionTwoScope)
        else { throw .code(.invalidAccessTokenClientApplication) }
        return try simulator.state.withLock { state throws(Refusal) in
            try state.client(ofToken: subject, issued: issued)
        }
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
    func integration(_ id: MVPDID, of requestor: SimulatedRequestor) throws(Refusal) -> SimulatedMVPD {
        guard let mvpd = simulator.state.withLock({ $0.world.mvpd(id) }) else { throw .code(.invalidParameterMVPD) }
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
