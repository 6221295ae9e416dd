#if Client

/// Whether the user of a device is signed in, as far as its record tells.
public enum AuthenticationStatus: Sendable, Hashable {
    /// The user is signed in with a provider, until an instant that may not be known.
    case authenticated(SignIn)
    /// The user is not signed in.
    case notAuthenticated
    /// The broker was never asked for this device.
    case unknown
}
#endif
