public import EntitlementValues

/// How far a provider is introduced at the device's single sign-on partner, by the broker's name.
///
/// The broker may add names at any time. Upper and lower case are different.
///
/// Source: the operator's reference of its library for iOS; samples of the REST API show none.
public struct BoardingStatus: EntitlementIdentifier {
    /// The name as it is written on the wire.
    public let rawValue: String

    /// Makes a status from its name, unchanged.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// The partner's picker lists the provider, and the user signs in at the provider.
    public static let picker: BoardingStatus = "PICKER"
    /// The partner signs the user in.
    public static let supported: BoardingStatus = "SUPPORTED"
}
