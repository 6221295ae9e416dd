#if Client
import BrokerMessages
import EntitlementValues
import OpenSSLBridge
import ServiceResponses
import TextCodecs

extension Exchange {
    /// The only platform that the broker knows, by its name in paths.
    private static let partner = "Apple"

    /// `POST /SP/sessions/sso/PARTNER`: a request for the device's platform, or a way around it.
    mutating func createPartnerSession(
        of requestor: SimulatedRequestor,
        _ client: RegisteredClient,
        _ state: inout SimulatorState
    ) throws(Refusal) -> Reply {
        guard route[.partner] == Self.partner else { throw .code(.invalidParameterPartner) }
        var session = try newSession(of: requestor, client, &state)
        let request: PartnerSessionRequest = try request(orRefuse: .code(.invalidParameterRedirectURL))
        let parameters = SessionRequest(domain: request.domain, redirect: request.redirect)
        try fill(&session, of: requestor, from: parameters, state.world)
        let known = headers.partner?.provider.mappingID.flatMap { state.world.mvpd(ofMapping: $0) }
        let mvpd = known.flatMap { requestor.mvpds.contains($0.id) ? $0 : nil }
        session.mvpd = mvpd?.id
        self.mvpd = mvpd?.id
        guard let reason = fallback(mvpd, session) else {
            return try partnerRequest(in: session, of: requestor, &state)
        }
        return try answer(for: session, requestor, reason: reason, openActions: (.authenticate, .resume), &state)
    }

    /// Why the viewer must sign in with the application instead; `nil` if the platform can sign the viewer on.
    private func fallback(_ mvpd: SimulatedMVPD?, _ session: LoginSession) -> SessionReason? {
        if headers.partner.partnerFault(at: now) != nil { return .frameworkStatusFallback }
        guard let partner = mvpd?.partner, partner.isEnabled, partner.boarding == .supported else {
            return .configurationFallback
        }
        return session.domain == nil || session.redirectURL == nil ? .missingParametersFallback : nil
    }

    /// Asks the platform, unless the viewer is signed in already.
    private mutating func partnerRequest(
        in session: LoginSession,
        of requestor: SimulatedRequestor,
        _ state: inout SimulatorState
    ) throws(Refusal) -> Reply {
        guard let id = session.mvpd else { throw .code(.invalidParameterMVPD) }
        let mvpd = try integration(id, of: requestor, state.world)
        let viewer = try viewer(of: mvpd, requestor, holder: session.holder)
        switch state.standing(of: viewer, with: mvpd, at: now) {
        case .signedIn, .degraded, .temporary:
            return try answer(for: session, requestor, openActions: (.authenticate, .resume), &state)
        case .expired, .missing: break
        }
        let requestID = try state.drawing { (ids) throws(OpenSSLFailure) in try ids.uuid() }
        let request = PartnerRequest(id: requestID, holder: session.holder, mvpd: id, notAfter: session.notAfter)
        state.partnerRequests[requestID] = request
        let response = SessionResponse(
            actionName: .partnerProfile, actionType: .direct, sessionID: SessionID(session.id),
            serviceProvider: requestor.id, mvpd: id, notBefore: session.notBefore, notAfter: session.notAfter,
            authenticationRequest: PartnerAuthenticationRequest(
                request: request.message, attributeNames: ["userID", "householdID"]))
        return .json(response.encoded())
    }

    /// `POST /SP/profiles/sso/PARTNER`: makes a profile from the platform's answer.
    mutating func createPartnerProfile(
        of requestor: SimulatedRequestor,
        _ client: RegisteredClient,
        _ state: inout SimulatorState
    ) throws(Refusal) -> Reply {
        guard route[.partner] == Self.partner else { throw .code(.invalidParameterPartner) }
        if let fault = headers.partner.partnerFault(at: now) { throw .code(fault) }
        let holder = holder(client)
        let (requestID, userName) = try partnerAnswer()
        guard let request = state.partnerRequests[requestID], request.holder == holder, now < request.notAfter,
            let user = state.world.user(userName), let mvpd = state.world.mvpd(request.mvpd)
        else { throw .code(.invalidParameterSAMLResponse) }
        guard mvpd.partner?.mappingID == headers.partner?.provider.mappingID else {
            throw .code(.invalidHeaderPFSProviderIDMismatch)
        }
        // An answer counts once.
        state.partnerRequests[requestID] = nil
        let profile = state.newProfile(of: user, request.mvpd, type: .appleSSO, on: holder, at: now)
        state.grant(profile)
        let writer = ProfileWriter(world: state.world, requestor: requestor, now: now)
        let shown = profile.isLive(at: now) ? [try writer.profile(profile, as: .appleSSO)] : []
        return .json(ProfilesResponse(profiles: shown).encoded())
    }

    private func partnerAnswer() throws(Refusal) -> (requestID: String, user: String) {
        let request: PartnerProfileRequest = try request(orRefuse: .code(.invalidParameterSAMLResponse))
        guard let bytes = Base64.decode(Array(request.samlResponse.utf8), options: .canonical),
            let xml = bytes.withSpan({ String(validating: $0) }), let answer = PartnerMessage.answer(in: xml)
        else { throw .code(.invalidParameterSAMLResponse) }
        return answer
    }
}

extension PartnerFrameworkStatus? {
    /// Why the status of a device platform cannot be used; `nil` if it can.
    ///
    /// A status without an end counts as expired.
    func partnerFault(at now: Timestamp) -> EnhancedErrorCode? {
        guard let status = self else { return .invalidHeaderPFSPermissionAccessNotPresent }
        switch status.permission.accessStatus {
        case .granted: break
        case .notDetermined: return .invalidHeaderPFSPermissionAccessNotDetermined
        default: return .invalidHeaderPFSPermissionAccessNotGranted
        }
        guard let id = status.provider.mappingID, !id.isEmpty else { return .invalidHeaderPFSProviderIDNotDetermined }
        guard let end = status.provider.expires, now < end else { return .invalidHeaderPFSProviderInfoExpired }
        return nil
    }
}

extension SimulatedWorld {
    /// The provider of a platform's id.
    func mvpd(ofMapping id: String) -> SimulatedMVPD? {
        mvpds.first { $0.partner?.mappingID.utf8.elementsEqual(id.utf8) ?? false }
    }
}
#endif
