#if Client
/// An operation of the broker's API.
///
/// Its raw value is a stable name for metrics and logs; it holds nothing of a request.
@nonexhaustive
public enum BrokerEndpoint: String, Sendable, Hashable, CaseIterable {
    /// Registers an application, and brings its credentials.
    case register
    /// Brings an access token for credentials.
    case token
    /// Brings the providers that a requestor works with.
    case configuration
    /// Starts an authentication session.
    case startSession = "start_session"
    /// Completes the parameters of a session.
    case resumeSession = "resume_session"
    /// Looks at a session.
    case session
    /// Sends the user's browser to the provider; a browser calls it, not this library.
    case userAgent = "user_agent"
    /// Brings all profiles of a device.
    case profiles
    /// Brings the profile of one provider.
    case profile
    /// Brings the profile that came of a session.
    case profileByCode = "profile_by_code"
    /// Decides whether the user may watch, with media tokens.
    case authorize
    /// Decides what the user would be allowed to watch, for display only.
    case preauthorize
    /// Signs the user out.
    case logout
    /// Starts a session with the device's sign-on partner.
    case startPartnerSession = "start_partner_session"
    /// Makes a profile from the partner's answer.
    case createPartnerProfile = "create_partner_profile"
    /// Lets a device's temporary access begin anew.
    case resetTemporaryAccess = "reset_temporary_access"
    /// Lets an identity's promotional access begin anew.
    case resetPromotionalAccess = "reset_promotional_access"
}
#endif
