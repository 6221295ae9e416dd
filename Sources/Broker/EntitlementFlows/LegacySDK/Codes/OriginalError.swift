#if Client
public import EntitlementValues

/// An error of the first system of the operator's library: the text that `setAuthenticationStatus` and
/// `tokenRequestFailed` got.
///
/// The capitals are the operator's: *not* is small in some of them. Releases of the library differ there, so compare
/// without regard to case if the app did so before.
///
/// Source: the operator's page on error reporting.
public struct OriginalError: EntitlementIdentifier {
    /// The text as the operator's reference writes it.
    public let rawValue: String

    /// Makes an error of its text, unchanged.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// The library failed.
    public static let internalError: OriginalError = "Internal Error"
    /// `PROVIDER_NOT_SELECTED_ERROR`: the user cancelled.
    public static let providerNotSelected: OriginalError = "Provider not Selected Error"
    /// The provider, or any at all, cannot be used.
    public static let providerNotAvailable: OriginalError = "Provider not Available Error"
    /// `GENERIC_AUTHENTICATION_ERROR`: the authentication failed for a reason that is not told.
    public static let genericAuthentication: OriginalError = "Generic Authentication Error"
    /// The operator's servers failed in an authentication.
    public static let internalAuthentication: OriginalError = "Internal Authentication Error"
    /// `USER_NOT_AUTHENTICATED_ERROR`: the user is not signed in.
    public static let userNotAuthenticated: OriginalError = "User Not Authenticated Error"
    /// `GENERIC_AUTHORIZATION_ERROR`: the authorization failed for a reason that is not told.
    public static let genericAuthorization: OriginalError = "Generic Authorization Error"
    /// The operator's servers failed in an authorization.
    public static let internalAuthorization: OriginalError = "Internal Authorization Error"
    /// `USER_NOT_AUTHORIZED_ERROR`: the user may not watch.
    public static let userNotAuthorized: OriginalError = "User not Authorized Error"

    /// The errors that the operator documents.
    public static let documented: [OriginalError] = [
        .internalError, .providerNotSelected, .providerNotAvailable, .genericAuthentication, .internalAuthentication,
        .userNotAuthenticated, .genericAuthorization, .internalAuthorization, .userNotAuthorized,
    ]
}
#endif
