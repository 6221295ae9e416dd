#if Client

/// How an authentication, or a question for it, ended.
public enum AuthenticationResult: Sendable, Hashable {
    /// The user is signed in.
    case authenticated(SignIn)
    /// The user is not signed in: no user has signed in yet, or a logout is done.
    case notAuthenticated
    /// The user chose no provider, or cancelled.
    case noProviderChosen
    /// The provider cannot be used with this requestor.
    case providerNotAvailable
    /// Something failed on the way.
    case failed(EntitlementFlowError)
    /// The user's browser came back, and the broker could not be asked at once whether the user is signed in; it is asked
    /// again.
    case unconfirmed(EntitlementFlowError)
}
#endif
