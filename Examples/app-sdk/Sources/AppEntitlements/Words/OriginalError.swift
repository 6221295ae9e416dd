/// An error of the first system of the operator's library: the text that `setAuthenticationStatus` and
/// `tokenRequestFailed` got.
public enum OriginalError {
    /// The library, here the request or the gateway, failed.
    public static let internalError = "Internal Error"
    /// `PROVIDER_NOT_SELECTED_ERROR`: the viewer cancelled.
    public static let providerNotSelected = "Provider not Selected Error"
    /// The provider cannot be used.
    public static let providerNotAvailable = "Provider not Available Error"
    /// `GENERIC_AUTHENTICATION_ERROR`: the sign-in failed for a reason that is not told.
    public static let genericAuthentication = "Generic Authentication Error"
    /// The servers failed in a sign-in.
    public static let internalAuthentication = "Internal Authentication Error"
    /// `USER_NOT_AUTHENTICATED_ERROR`: the viewer is not signed in.
    public static let userNotAuthenticated = "User Not Authenticated Error"
    /// `GENERIC_AUTHORIZATION_ERROR`: the authorization failed for a reason that is not told.
    public static let genericAuthorization = "Generic Authorization Error"
    /// The servers failed in an authorization.
    public static let internalAuthorization = "Internal Authorization Error"
    /// `USER_NOT_AUTHORIZED_ERROR`: the viewer may not watch.
    public static let userNotAuthorized = "User not Authorized Error"
}
