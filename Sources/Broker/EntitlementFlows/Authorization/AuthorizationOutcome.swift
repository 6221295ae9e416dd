#if Client

/// The answer to a request for authorization.
public enum AuthorizationOutcome: Sendable {
    /// The user may watch.
    case permitted(AuthorizedPlayback)
    /// The user may not watch.
    case denied(AuthorizationDenial)
    /// The user has to sign in first; the decision follows by itself.
    case needsAuthentication(AuthenticationStep, pending: PendingAuthorization)
}
#endif
