#if Client

/// What an address means that the user's browser came back to.
///
/// The address itself says nothing of success: the profile does.
public enum ReturnOutcome: Sendable, Hashable {
    /// The address is not the one that browsers are sent back to.
    case otherAddress
    /// The user is signed in.
    case authenticated(SignIn)
    /// A profile does not exist yet; the session goes on asking for it, and `awaitAuthentication` waits for it.
    case waiting
    /// The browser has ended the provider's session, or the last one of several: the logout is done.
    case signedOut
    /// A logout page is done, and this comes next: a further page, or the first step of a sign-in that was forced.
    case goOn(AuthenticationStep)
    /// Nothing was under way.
    case nothingAwaited
}
#endif
