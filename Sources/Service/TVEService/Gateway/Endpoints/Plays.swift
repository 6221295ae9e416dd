#if Service
import EntitlementFlows
import EntitlementValues
import Hummingbird
import MediaTokens
import PlaybackSessions
import ServiceResponses
import TextCodecs

/// `POST /v1/plays`: asks the broker whether a device may play a resource now, and starts a playback session if it may.
///
/// The flows verify the broker's media token, for the requestor, the resource and the provider that were asked for, and use
/// it up: in one place, once. The session that is handed out for it is good for all segments.
struct Play {
    private let device: DeviceCall

    init(_ device: DeviceCall) { self.device = device }

    /// Answers the device.
    func answer() async throws -> Response {
        let body = try await device.call.body(taking: ["resource", "cookie"])
        let resource = ResourceID(try body.requiredIdentifier("resource"))
        let cookie = try body.boolean("cookie")
        // Before the broker is asked: temporary access would be used up for a play that cannot begin.
        let client = try sessionClient()
        try device.requireRecord()
        if device.state.registry != nil, let end = device.record?.signIns.fullUntil(at: device.now) {
            throw RequestError.tooManyPlays(until: end, at: device.now)
        }
        let permit = try await permit(for: resource)
        return try await start(permit, client: client, inCookie: cookie)
    }

    // MARK: The broker's decision

    /// What the broker permitted: a verified token that is used up, and what the app is told of it.
    private struct Permit: Sendable {
        let token: VerifiedMediaToken
        /// The token's text, for its digest.
        let text: String
        let source: DecisionSource?
        /// `nil` unless access is temporary.
        let temporary: TemporaryAccessTerms?
    }

    private func permit(for resource: ResourceID) async throws -> Permit {
        do {
            return try await device.withSession { session in
                switch try await session.checkAuthorization(resource) {
                case .permitted(let playback): return try await permit(of: playback, in: session)
                case .denied(let denial):
                    device.count(PlayOutcome(of: denial), of: denial.mvpd)
                    throw RequestError(denial)
                case .needsAuthentication: throw EntitlementFlowError.notAuthenticated
                }
            }
        } catch let error as EntitlementFlowError {
            if case .token(.refused(let refusal)) = error {
                device.state.note(AccessOutcome(byTokenOfBroker: refusal), at: device.state.time.now)
            }
            device.count(.failed, of: nil)
            throw error
        }
    }

    private func permit(of playback: AuthorizedPlayback, in session: EntitlementSession) async throws -> Permit {
        guard let token = playback.token.verified else {
            throw RequestError(.internalServerError, "unverified_token", detail: "the gateway verifies no tokens")
        }
        var terms: TemporaryAccessTerms?
        if playback.source == .temporaryAccess { terms = try await TemporaryAccessTerms(of: playback, in: session) }
        return Permit(
            token: token, text: playback.token.serialized.serializedToken, source: playback.source, temporary: terms)
    }

    // MARK: The session

    private func sessionClient() throws(RequestError) -> SessionClient {
        try device.call.request.client(by: try operations().rules)
    }

    /// The operations as of now: the broker's answer may have taken seconds.
    private func operations() throws(RequestError) -> SessionOperations {
        try SessionOperations(device.call.configuration, registry: device.state.registry, at: device.state.time.now)
    }

    /// Notes a session that is started, so that it ends with its user's logout and with the device, and if its sign-in turns
    /// out to be another user's; without a registry it would be noted in vain.
    ///
    /// Throws if it must not be handed out; then it is ended, and nothing is told of it.
    private func note(_ session: PlaybackSession, by operations: SessionOperations) async throws {
        guard let registry = operations.registry else { return }
        do {
            try await device.note(NotedPlay(session: session.id.description, until: session.ceiling))
        } catch {
            // No client has its text; if this fails, its stream counts until the session would have ended.
            try? await registry.end(session)
            AnsweredEvents.forget()
            throw error
        }
    }

    private func start(_ permit: Permit, client: SessionClient, inCookie: Bool?) async throws -> Response {
        let state = device.state
        let operations = try operations()
        let granted: SessionWithGrants
        do throws(PlaybackSessionError) {
            granted = try await operations.start(
                forRedeemed: permit.token, client: client, notAfter: permit.temporary?.until)
        } catch {
            state.note(AccessOutcome(error, of: permit.text, as: .token), at: state.time.now)
            device.count(.failed, of: permit.token.mvpd)
            throw error
        }
        do {
            try await note(granted.session, by: operations)
        } catch {
            device.count(.failed, of: permit.token.mvpd)
            throw error
        }
        var grant = AccessGrant(permit.token)
        grant.session = granted.session.id
        state.note(AccessOutcome(grant, byTokenOfBroker: permit.text), at: operations.now)
        state.metrics.countSession()
        device.count(PlayOutcome(permittedBy: permit.source), of: permit.token.mvpd)
        var object = JSONWriter()
        object.member("code", "playing")
        object.member("mvpd", permit.token.mvpd.rawValue)
        if permit.source == .degradation { object.member("degraded", true) }
        if let terms = permit.temporary { object.member("temporary", terms.object) }
        // The scripts of a page whose device is in a cookie need not see the session either.
        return Response(
            .ok, object, handingOut: granted, inCookie: inCookie ?? (device.isByCookie ? true : nil), by: operations)
    }
}

/// Until when temporary access lasts, and how many further resources it allows.
struct TemporaryAccessTerms: Sendable, Hashable {
    /// The first instant at which nothing may be watched anymore.
    ///
    /// The broker cuts no stream off, so the playback session ends here.
    let until: Timestamp
    /// How many further resources may be watched; `nil` if they are not counted, or not known.
    let remainingResources: Int64?

    /// Takes the terms out of a profile.
    init(of profile: Profile) {
        until = profile.notAfter
        guard case .number(let digits)? = try? profile.attributes.value("remaining_resources")?.content else {
            remainingResources = nil
            return
        }
        remainingResources = Int64(digits)
    }

    /// Finds the terms of a permit.
    ///
    /// The broker is asked for the profile, with one call, if it is not known; so is it if resources are counted, since the
    /// permit has changed their number. Without an end a session does not begin, so that none can outlive it.
    ///
    /// Throws `EntitlementFlowError` if the end cannot be found out.
    init(of playback: AuthorizedPlayback, in session: EntitlementSession) async throws {
        var profile = try await session.profile(.localOnly)
        if profile?.mvpd != playback.mvpd {
            profile = try await session.profile(.broker)
        } else if let known = profile, let remaining = TemporaryAccessTerms(of: known).remainingResources {
            // With the last resource the profile ends at the broker. To ask for it would sign the user out, and the next play
            // would be told so instead of what is used up.
            guard remaining > 1 else {
                self.init(until: known.notAfter)
                return
            }
            // The end is known, so the play does not fail if the number cannot be asked for.
            do throws(EntitlementFlowError) {
                profile = try await session.profile(.broker)
            } catch {
                guard case .broker = error else { throw error }
                self.init(until: known.notAfter)
                return
            }
        }
        guard let profile, profile.mvpd == playback.mvpd else { throw EntitlementFlowError.superseded }
        self.init(of: profile)
    }

    private init(until: Timestamp) { (self.until, remainingResources) = (until, nil) }

    /// The terms in JSON.
    var object: JSONWriter {
        var object = JSONWriter()
        object.member("until", until.milliseconds)
        if let remainingResources { object.member("remainingResources", remainingResources) }
        return object
    }
}
#endif
