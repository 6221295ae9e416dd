#if Client
import BrokerMessages
import EntitlementValues
import HTTPTypes
import OpenSSLBridge
import ServiceResponses

extension Exchange {
    /// `POST /SP/sessions`: begins an authentication.
    mutating func createSession(
        of requestor: SimulatedRequestor,
        _ client: RegisteredClient,
        _ state: inout SimulatorState
    ) throws(Refusal) -> Reply {
        var session = try newSession(of: requestor, client, identities: identities(of: requestor), &state)
        let request: SessionRequest = try request(orRefuse: .code(.invalidParameterMVPD))
        try fill(&session, of: requestor, from: request, state.world)
        return try answer(for: session, requestor, openActions: (.authenticate, .resume), &state)
    }

    /// `POST /SP/sessions/CODE`: fills in what is missing, usually from a second screen.
    mutating func resumeSession(
        of requestor: SimulatedRequestor,
        _ state: inout SimulatorState
    ) throws(Refusal) -> Reply {
        let request: SessionRequest = try request(orRefuse: .code(.invalidParameterMVPD))
        var session = try state.liveSession(route[.code], of: requestor.id, at: now)
        if !session.isCompleted { try fill(&session, of: requestor, from: request, state.world) }
        return try answer(for: session, requestor, openActions: (.authenticate, .retry), &state)
    }

    /// `GET /SP/sessions/CODE`: what a second screen needs to know of the session.
    func sessionStatus(of requestor: SimulatedRequestor, _ state: SimulatorState) throws(Refusal) -> Reply {
        let session = try state.liveSession(route[.code], of: requestor.id, at: now)
        let parameters = SessionParameters(
            serviceProvider: requestor.id, mvpd: session.mvpd, domain: session.domain,
            redirectURL: session.redirectURL)
        let response = SessionStatusResponse(
            existingParameters: parameters, missingParameters: session.missingParameters,
            device: session.deviceInfo.map { SessionDevice($0, address: session.clientAddress) },
            notBefore: session.notBefore, notAfter: session.notAfter)
        return .json(response.encoded())
    }

    /// A session that is not kept yet.
    func newSession(
        of requestor: SimulatedRequestor,
        _ client: RegisteredClient,
        identities: [SharedIdentity] = [],
        _ state: inout SimulatorState
    ) throws(Refusal) -> LoginSession {
        let id = try state.drawing { (ids) throws(OpenSSLFailure) in try ids.uuid() }
        var code = try state.drawing { (ids) throws(OpenSSLFailure) in try ids.code() }
        while state.sessions[code] != nil {
            code = try state.drawing { (ids) throws(OpenSSLFailure) in try ids.code() }
        }
        let end = now + state.world.lifetimes.code
        return LoginSession(
            id: id, code: code, requestor: requestor.id, holder: holder(client), identities: identities,
            notBefore: now, notAfter: end, deviceInfo: headers.deviceInfo, clientAddress: clientAddress)
    }

    /// Takes the fields of a request over, once they are allowed; one without a value counts as absent.
    mutating func fill(
        _ session: inout LoginSession,
        of requestor: SimulatedRequestor,
        from request: SessionRequest,
        _ world: SimulatedWorld
    ) throws(Refusal) {
        if let id = request.mvpd, !id.rawValue.isEmpty {
            session.mvpd = try integration(id, of: requestor, world).id
            mvpd = session.mvpd
        }
        if let domain = request.domain, !domain.isEmpty {
            // No code is documented for a domain that is not the brand's; that of the address fits best.
            guard requestor.has(domain: domain) else { throw .code(.invalidParameterRedirectURL) }
            session.domain = domain
        }
        if let url = request.redirect, !url.isEmpty {
            guard requestor.allows(redirectURL: url) else { throw .code(.invalidParameterRedirectURL) }
            session.redirectURL = url
        }
    }

    /// Says what comes next.
    ///
    /// A session without need for a login is not kept, and has no code. `openActions` are what the client has to do if
    /// nothing is missing, and if something is.
    func answer(
        for session: LoginSession,
        _ requestor: SimulatedRequestor,
        reason fallback: SessionReason = .noReason,
        openActions: (complete: SessionAction, incomplete: SessionAction),
        _ state: inout SimulatorState
    ) throws(Refusal) -> Reply {
        var session = session
        let reason = try reasonNotToLogIn(in: session, of: requestor, state)
        session.isAnswered = reason == .authenticated
        if let reason {
            // A session that was looked at by its code stays: the other screen asks for its profile.
            if state.sessions[session.code] != nil { state.sessions[session.code] = session }
            let response = SessionResponse(
                actionName: .authorize, actionType: .direct, reason: reason, sessionID: SessionID(session.id),
                serviceProvider: requestor.id, mvpd: session.mvpd, notBefore: session.notBefore,
                notAfter: session.notAfter)
            return .json(response.encoded())
        }
        // A code is used once; the user who signed in with it may have signed out since.
        guard !session.isCompleted else { throw .code(.invalidAuthenticationSession) }
        state.sessions[session.code] = session
        let missing = session.missingParameters
        let isComplete = missing.isEmpty
        let response = SessionResponse(
            actionName: isComplete ? openActions.complete : openActions.incomplete,
            actionType: isComplete ? .interactive : .direct, reason: fallback, sessionID: SessionID(session.id),
            serviceProvider: requestor.id,
            url: isComplete ? "/api/v2/authenticate/\(requestor.id.rawValue.pathSegment)/\(session.code)" : nil,
            code: AuthenticationCode(session.code), mvpd: session.mvpd, missingParameters: missing,
            notBefore: session.notBefore, notAfter: session.notAfter)
        return .json(response.encoded())
    }

    /// Why the viewer need not sign in; `nil` if a login is needed, or the provider is not known yet.
    private func reasonNotToLogIn(
        in session: LoginSession,
        of requestor: SimulatedRequestor,
        _ state: SimulatorState
    ) throws(Refusal) -> SessionReason? {
        guard let id = session.mvpd else { return nil }
        let mvpd = try integration(id, of: requestor, state.world)
        var viewer = Viewer(requestor: requestor.id, holder: session.holder, identities: session.identities)
        viewer.partnerMapping =
            headers.partner.partnerFault(at: now) == nil ? headers.partner?.provider.mappingID : nil
        return switch state.standing(of: viewer, with: mvpd, at: now) {
        case .degraded: .degraded
        case .temporary: .temporary
        case .signedIn(_, let type): type == .regular ? .authenticated : .authenticatedSSO
        case .expired, .missing: nil
        }
    }
}

extension SessionDevice {
    /// The device of a session, as far as its `X-Device-Info` describes it.
    init(_ info: DeviceInfo, address: String?) {
        self.init(
            type: info[.primaryHardwareType],
            model: info[.model],
            hardware: DeviceComponent(vendor: info[.vendor], manufacturer: info[.manufacturer]),
            operatingSystem: DeviceComponent(
                name: info[.osName], family: info[.osFamily], vendor: info[.osVendor],
                version: DeviceVersion(info[.osVersion])),
            browser: DeviceComponent(name: info[.browserName], vendor: info[.browserVendor]),
            applicationID: info[.applicationID],
            connection: DeviceConnection(
                address: address ?? info[.connectionIP], port: info[.connectionPort].flatMap { Int64($0) },
                isSecure: info[.connectionSecure].map { $0 == "true" }, type: info[.connectionType]))
    }
}

extension DeviceVersion {
    /// Reads `16.4.1`; parts that are not numbers are left out.
    fileprivate init?(_ text: String?) {
        guard let parts = text?.split(separator: ".").map({ Int64($0) }), let first = parts.first else { return nil }
        self.init(major: first, minor: parts.count > 1 ? parts[1] : nil, patch: parts.count > 2 ? parts[2] : nil)
    }
}
#endif
