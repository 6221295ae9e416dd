public import EntitlementValues

/// What is left to do to log a user out, by the broker's name.
///
/// The broker may add names at any time. Upper and lower case are different.
public struct LogoutAction: EntitlementIdentifier {
    /// The name as it is written on the wire.
    public let rawValue: String

    /// Makes an action from its name, unchanged.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// Let the browser log out at the provider.
    public static let logout: LogoutAction = "logout"
    /// Tell the user to sign out in the settings of the device.
    public static let partnerLogout: LogoutAction = "partner_logout"
    /// Nothing is left to do.
    public static let complete: LogoutAction = "complete"
    /// The user was not signed in.
    public static let invalid: LogoutAction = "invalid"
}
