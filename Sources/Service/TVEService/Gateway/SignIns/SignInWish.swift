#if Service
import BrokerMessages
import EntitlementValues

/// What an app wants of a sign-in.
struct SignInWish: Sendable {
    /// The provider; `nil` to let the user choose.
    var mvpd: MVPDID?
    /// Where the return page sends the browser; one of the app's list.
    var returnTo: String?
    /// Whether the user signs in on another screen; `nil` to take it from what the device says of itself.
    var isOnSecondScreen: Bool?
    /// The user's identity for promotional temporary access.
    var identity: String?
    /// Whether the device's browser brings its cookie along when it comes back.
    var hasCookie = false
}
#endif
