public import EntitlementValues

/// Names what happened, in the service's words.
///
/// The set is open: a code that is not listed here is kept as it came. Case counts.
public struct EnhancedErrorCode: EntitlementIdentifier {
    /// As it stands on the wire.
    public let rawValue: String

    /// Takes the text as it is.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    // MARK: Authentication

    /// There is no profile: the user must sign in.
    public static let authenticatedProfileMissing: EnhancedErrorCode = "authenticated_profile_missing"
    /// The profile is over: the user must sign in again.
    public static let authenticatedProfileExpired: EnhancedErrorCode = "authenticated_profile_expired"
    /// The profile was withdrawn: the user must sign in again.
    public static let authenticatedProfileInvalidated: EnhancedErrorCode = "authenticated_profile_invalidated"
    /// There is no session (version 1).
    public static let authenticationSessionMissing: EnhancedErrorCode = "authentication_session_missing"
    /// The session is over (version 1).
    public static let authenticationSessionExpired: EnhancedErrorCode = "authentication_session_expired"
    /// The session was withdrawn (version 1).
    public static let authenticationSessionInvalidated: EnhancedErrorCode = "authentication_session_invalidated"

    // MARK: Authorization

    /// The provider said no.
    public static let authorizationDeniedByMVPD: EnhancedErrorCode = "authorization_denied_by_mvpd"
    /// The provider said no before playback was asked for.
    public static let preauthorizationDeniedByMVPD: EnhancedErrorCode = "preauthorization_denied_by_mvpd"
    /// The user's parental controls say no.
    public static let authorizationDeniedByParentalControls: EnhancedErrorCode =
        "authorization_denied_by_parental_controls"
    /// There is no authorization (version 1).
    public static let authorizationNotFound: EnhancedErrorCode = "authorization_not_found"
    /// The authorization is over (version 1).
    public static let authorizationExpired: EnhancedErrorCode = "authorization_expired"

    // MARK: Configuration

    /// The certificate to encrypt user metadata with is missing or bad on the service's side.
    public static let invalidConfigurationUserMetadataCertificate: EnhancedErrorCode =
        "invalid_configuration_user_metadata_certificate"
}

/// Names what may help against an error, in the service's words.
///
/// The set is open. Case counts.
public struct EnhancedErrorAction: EntitlementIdentifier {
    /// As it stands on the wire.
    public let rawValue: String

    /// Takes the text as it is.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// Nothing that could be said beforehand; often a wrong request.
    public static let noAction: EnhancedErrorAction = "none"
    /// Change the configuration of the integration.
    public static let configuration: EnhancedErrorAction = "configuration"
    /// Register the application again.
    public static let applicationRegistration: EnhancedErrorAction = "application-registration"
    /// Let the user sign in.
    public static let authentication: EnhancedErrorAction = "authentication"
    /// Ask for authorization.
    public static let authorization: EnhancedErrorAction = "authorization"
    /// Try again.
    public static let retry: EnhancedErrorAction = "retry"
}
