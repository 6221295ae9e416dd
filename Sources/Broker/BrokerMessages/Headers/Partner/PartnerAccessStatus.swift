public import EntitlementValues

/// Whether the user lets the application use the subscription that the device's sign-on partner knows.
///
/// Upper and lower case are different. Source: the reference of `AP-Partner-Framework-Status`.
public struct PartnerAccessStatus: EntitlementIdentifier {
    /// The name as it is written on the wire.
    public let rawValue: String

    /// Makes a status from its name, unchanged.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// The user allowed it.
    public static let granted: PartnerAccessStatus = "granted"
    /// The user denied it.
    public static let denied: PartnerAccessStatus = "denied"
    /// The application is not allowed to ask.
    public static let restricted: PartnerAccessStatus = "restricted"
    /// The user has not chosen yet.
    public static let notDetermined: PartnerAccessStatus = "notDetermined"
}
