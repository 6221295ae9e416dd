#if Service
/// What a browser finds that comes back from a provider.
enum BrowserReturn: Sendable, Hashable {
    /// The sign-in is done, or will be as soon as the broker says so.
    case done(returnTo: String?)
    /// The browser hands a one-time code to the app, which proves by it where the browser came back.
    case handOver(code: String, returnTo: String)
    /// The user is signed in on another screen.
    case activated(device: String?)
    /// The user has cancelled, as far as can be told.
    case notSignedIn(device: String?)
    /// The logout is done, or one of its pages: the app opens the next one.
    case signedOut(returnTo: String?)
    /// The sign-in is unknown or over, or this is not its browser.
    case ended
}
#endif
