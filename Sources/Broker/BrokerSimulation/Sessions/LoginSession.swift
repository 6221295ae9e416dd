#if Client
import BrokerMessages
import EntitlementValues
import ServiceResponses

/// An authentication session: what was asked for, by which device, and whether the login was done.
struct LoginSession: Sendable, Hashable {
    let id: String
    let code: String
    let requestor: RequestorID
    /// The device that made the session: it gets the profile, wherever the login is done.
    let holder: ProfileHolder
    /// The identities that came with the first request; the profile is shared with their other devices.
    let identities: [SharedIdentity]
    let notBefore: Timestamp
    let notAfter: Timestamp
    var mvpd: MVPDID?
    var domain: String?
    var redirectURL: String?
    let deviceInfo: DeviceInfo?
    let clientAddress: String?
    /// Whether a user signed in with the code; it cannot be used a second time.
    var isCompleted = false
    /// Whether the last call with the code was told that the device is signed in already.
    var isAnswered = false

    func isLive(at now: Timestamp) -> Bool { notBefore <= now && now < notAfter }

    /// What a login still needs, in the broker's order and spelling.
    var missingParameters: [MissingParameter] {
        (mvpd == nil ? [.mvpd] : []) + (domain == nil ? [.domain] : []) + (redirectURL == nil ? [.redirectURL] : [])
    }
}

extension SimulatorState {
    /// The session of a code.
    ///
    /// Throws `invalid_parameter_code` if the text cannot be a code, `invalid_authentication_session` if there is no
    /// such session of the brand, or it ended.
    func liveSession(_ code: String, of requestor: RequestorID, at now: Timestamp) throws(Refusal) -> LoginSession {
        guard (6...7).contains(code.utf8.count), code.utf8.allSatisfy(\.isUpperCaseOrDigit) else {
            throw .code(.invalidParameterCode)
        }
        guard let session = sessions[code], session.requestor == requestor, session.isLive(at: now) else {
            throw .code(.invalidAuthenticationSession)
        }
        return session
    }

    /// The session of a code that waits for its login.
    ///
    /// It is `nil` if the session has ended, was used or lacks something, or if users cannot sign in with its provider:
    /// it gives temporary access, or is not in the world anymore.
    func waitingSession(_ code: String, at now: Timestamp) -> LoginSession? {
        guard let session = sessions[code], session.isLive(at: now), !session.isCompleted,
            session.missingParameters.isEmpty, let mvpd = session.mvpd.flatMap({ world.mvpd($0) }),
            mvpd.temporaryAccess == nil
        else { return nil }
        return session
    }

    /// Signs a user in, and returns where the browser goes next.
    ///
    /// Throws `.unknownCode` unless the session waits for a login; `.unknownUser`.
    mutating func logIn(code: String, user name: String, at now: Timestamp) throws(SimulationError) -> String {
        guard var session = waitingSession(code, at: now), let mvpd = session.mvpd,
            let redirectURL = session.redirectURL
        else { throw .unknownCode }
        guard let user = world.user(name) else { throw .unknownUser(name) }
        let profile = newProfile(of: user, mvpd, type: .regular, on: session.holder, code: code, at: now)
        grant(profile, session.identities)
        session.isCompleted = true
        sessions[code] = session
        return redirectURL
    }

    /// A profile as the user's behaviour makes it.
    func newProfile(
        of user: SimulatedUser,
        _ mvpd: MVPDID,
        type: ProfileType,
        on holder: ProfileHolder,
        code: String? = nil,
        at now: Timestamp
    ) -> HeldProfile {
        let end = user.behavior == .expired ? now : now + world.lifetimes.profile
        return HeldProfile(
            holder: holder, mvpd: mvpd, user: user.name, guid: user.guid, type: type, notBefore: now, notAfter: end,
            isInvalidated: user.behavior == .invalidated, code: code)
    }

    mutating func grant(_ profile: HeldProfile, _ identities: [SharedIdentity] = []) {
        profiles[profile.holder, default: [:]][profile.mvpd] = profile
        for identity in identities { sharedProfiles[identity, default: [:]][profile.mvpd] = profile }
    }
}

extension UInt8 {
    fileprivate var isUpperCaseOrDigit: Bool {
        UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self || UInt8(ascii: "0")...UInt8(ascii: "9") ~= self
    }
}

extension Exchange {
    /// `GET /authenticate/SP/CODE`: a browser comes to sign in.
    func openUserAgent(_ state: inout SimulatorState) throws(Refusal) -> Reply {
        let code = route[.code]
        guard (try? state.liveSession(code, of: RequestorID(route[.requestor]), at: now)) != nil else {
            throw .page(status: 400, "This sign-in has ended. Start again on your device.")
        }
        guard state.waitingSession(code, at: now) != nil else {
            throw .page(status: 400, "This sign-in is not complete, or was used. Start again on your device.")
        }
        switch settings.login {
        case .form: return .redirect(to: "/sim/login?code=\(code)")
        case .automatic(let user):
            let address = try rethrowing(state.logIn(code: code, user: user, at: now)) { (_: SimulationError) in
                Refusal.page(status: 500, "The user of the automatic login is not in the world.")
            }
            return .redirect(to: address)
        }
    }
}
#endif
