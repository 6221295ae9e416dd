#if Client
import BrokerMessages
import EntitlementValues
import ServiceResponses

/// A session with a code, as a walk remembers it.
struct LoginAttempt {
    let client: String
    /// The identity that came with the first request.
    let identity: String?
    var mvpd: String?
    let end: Timestamp
}

/// Who is signed in, kept beside the simulator: what a device is shown must be in it, and the other way round.
///
/// It knows clients of one brand, and the identity of one header field.
struct SignInBook {
    struct SignIn {
        let type: ProfileType
        /// The code of the login; `nil` for the platform's sign-on.
        let code: String?
        let client: String
        let end: Timestamp
    }

    /// A platform's token, by which sign-ins are shared.
    static let identityField = "Adobe-Subject-Token"
    private static let duration = TimeToLive.hours(30 * 24)

    /// The sign-ins of clients, and those of identities, by the provider.
    private var own: [String: [String: SignIn]] = [:]
    private var shared: [String: [String: SignIn]] = [:]

    /// Takes down a login in a browser.
    mutating func logIn(_ attempt: LoginAttempt, code: String, at now: Timestamp) {
        guard let mvpd = attempt.mvpd else { return }
        let signIn = SignIn(type: .regular, code: code, client: attempt.client, end: now + Self.duration)
        own[attempt.client, default: [:]][mvpd] = signIn
        if let identity = attempt.identity { shared[identity, default: [:]][mvpd] = signIn }
    }

    /// Takes down a sign-on with the platform.
    mutating func signOn(_ device: TestDevice, _ mvpd: String, at now: Timestamp) {
        let client = device.credentials.clientID
        own[client, default: [:]][mvpd] = SignIn(
            type: .appleSSO, code: nil, client: client, end: now + Self.duration)
    }

    /// Takes down a logout: with an identity, from all providers.
    mutating func logOut(_ device: TestDevice, _ mvpd: String, at now: Timestamp) {
        own[device.credentials.clientID]?[mvpd] = nil
        guard let identity = device.extra[Self.identityField] else { return }
        for (other, signIn) in shared[identity] ?? [:] where other == mvpd || now < signIn.end {
            shared[identity]?[other] = nil
            // The device that signed in is signed out, too.
            if own[signIn.client]?[other]?.code == signIn.code { own[signIn.client]?[other] = nil }
        }
    }

    /// Takes down that credentials were revoked.
    mutating func revoke(_ isRevoked: (_ client: String) -> Bool) {
        own = own.filter { !isRevoked($0.key) }
        shared = shared.mapValues { signIns in signIns.filter { !isRevoked($0.value.client) } }
    }

    /// Takes down that all sign-ins have ended.
    mutating func expire() { (own, shared) = ([:], [:]) }

    /// The type that a device's sign-in with a provider is shown with, `nil` for no sign-in.
    func type(of device: TestDevice, _ mvpd: String, at now: Timestamp) -> ProfileType? {
        if let signIn = own[device.credentials.clientID]?[mvpd], now < signIn.end {
            // The platform's sign-on counts only with the platform's word.
            let isShown = signIn.type != .appleSSO || device.extra[PartnerFrameworkStatus.name] != nil
            if isShown { return signIn.type }
        }
        guard let identity = device.extra[Self.identityField], let signIn = shared[identity]?[mvpd], now < signIn.end
        else { return nil }
        return .platformSSO
    }
}
#endif
