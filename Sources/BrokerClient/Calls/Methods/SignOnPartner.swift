#if Client
public import EntitlementValues

/// A sign-on partner, by the broker's name.
///
/// The broker may add names at any time. Upper and lower case are different.
public struct SignOnPartner: EntitlementIdentifier {
    /// The name as it stands in a path.
    public let rawValue: String

    /// Makes a partner from its name, unchanged.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// The account of a television provider in the settings of the device; the only partner that the broker names.
    public static let deviceAccount: SignOnPartner = "Apple"
}
#endif
