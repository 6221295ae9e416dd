public import EntitlementValues

/// What comes next in an authentication session, by the broker's name.
///
/// The broker may add names at any time. Upper and lower case are different.
public struct SessionAction: EntitlementIdentifier {
    /// The name as it is written on the wire.
    public let rawValue: String

    /// Makes an action from its name, unchanged.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// Let the user sign in at the provider, in a browser.
    public static let authenticate: SessionAction = "authenticate"
    /// Parameters are missing; complete them with a second call or on a second screen.
    public static let resume: SessionAction = "resume"
    /// Parameters are still missing.
    public static let retry: SessionAction = "retry"
    /// The user need not sign in: ask for authorization.
    public static let authorize: SessionAction = "authorize"
    /// Ask the device's sign-on partner.
    public static let partnerProfile: SessionAction = "partner_profile"
}
