#if Client

/// The name of an endpoint of the broker.
public enum Endpoint: String, Sendable, CaseIterable {
    /// `POST /o/client/register`.
    case register
    /// `POST /o/client/token`.
    case token
    /// `GET /api/v2/SP/configuration`.
    case configuration
    /// `POST /api/v2/SP/sessions`.
    case createSession = "create-session"
    /// `POST /api/v2/SP/sessions/CODE`.
    case resumeSession = "resume-session"
    /// `GET /api/v2/SP/sessions/CODE`.
    case sessionStatus = "session-status"
    /// `GET /api/v2/authenticate/SP/CODE`, which a browser calls.
    case userAgent = "user-agent"
    /// `GET /api/v2/SP/profiles`.
    case profiles
    /// `GET /api/v2/SP/profiles/MVPD`.
    case profile
    /// `GET /api/v2/SP/profiles/code/CODE`.
    case profileOfCode = "profile-of-code"
    /// `POST /api/v2/SP/decisions/authorize/MVPD`.
    case authorize
    /// `POST /api/v2/SP/decisions/preauthorize/MVPD`.
    case preauthorize
    /// `GET /api/v2/SP/logout/MVPD`.
    case logout
    /// `POST /api/v2/SP/sessions/sso/PARTNER`.
    case partnerSession = "partner-session"
    /// `POST /api/v2/SP/profiles/sso/PARTNER`.
    case partnerProfile = "partner-profile"
    /// `DELETE /reset-tempass/v3/reset`.
    case resetTemporaryAccess = "reset-temporary-access"
    /// `DELETE /reset-tempass/v3/reset/generic`.
    case resetPromotion = "reset-promotion"
    /// `GET /sim/logout/SP`: stands for the provider's logout page.
    case logoutPage = "logout-page"
}
#endif
