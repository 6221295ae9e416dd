#if Client
public import EntitlementValues

/// A provider, or a pseudo-provider for temporary access.
public struct SimulatedMVPD: Sendable, Hashable {
    /// The id.
    public var id: MVPDID
    /// The name for people.
    public var displayName: String
    /// Where its logo is; nothing needs to answer there.
    public var logoURL: String
    /// Whether it has a logout page of its own.
    public var hasLogoutPage = true
    /// The provider through which it is connected; media tokens name both.
    public var proxy: MVPDID?
    /// How the provider takes part in the device platform's sign-on; `nil` if it does not.
    public var partner: PartnerIntegration?
    /// What is given without a sign-in; `nil` for a real provider.
    public var temporaryAccess: TemporaryAccess?

    /// Makes a provider; the rest can be set afterwards.
    ///
    /// - Parameters:
    ///   - id: The id.
    ///   - displayName: The name for people.
    public init(_ id: MVPDID, displayName: String) {
        (self.id, self.displayName) = (id, displayName)
        logoURL = "https://logos.simulator.invalid/\(displayName.filter { $0.isASCII && $0.isLetter }.lowercased()).png"
    }
}

/// How a provider takes part in the sign-on of a device platform.
public struct PartnerIntegration: Sendable, Hashable {
    /// How far the provider is with the platform.
    public enum Boarding: String, Sendable, CaseIterable {
        /// Users can sign in through the platform.
        case supported = "SUPPORTED"
        /// The provider stands in the platform's list, but its users sign in with the application.
        case picker = "PICKER"
    }

    /// The platform's id of the provider.
    public var mappingID: String
    /// How far the provider is with the platform.
    public var boarding: Boarding
    /// Whether the brand has switched the sign-on on.
    public var isEnabled: Bool
    /// Whether the platform lists the provider.
    public var isInPlatformPicker: Bool
    /// Whether the user's permission must be asked for.
    public var enforcesPermissions: Bool

    /// Makes an integration.
    ///
    /// - Parameters:
    ///   - mappingID: The platform's id of the provider.
    ///   - boarding: How far the provider is with the platform.
    ///   - isEnabled: Whether the brand has switched the sign-on on.
    ///   - isInPlatformPicker: Whether the platform lists the provider.
    ///   - enforcesPermissions: Whether the user's permission must be asked for.
    public init(
        mappingID: String,
        boarding: Boarding,
        isEnabled: Bool = true,
        isInPlatformPicker: Bool = true,
        enforcesPermissions: Bool = true
    ) {
        (self.mappingID, self.boarding, self.isEnabled) = (mappingID, boarding, isEnabled)
        (self.isInPlatformPicker, self.enforcesPermissions) = (isInPlatformPicker, enforcesPermissions)
    }
}

/// What a viewer may watch without signing in.
///
/// The time runs from the first authorization, whatever is watched.
public struct TemporaryAccess: Sendable, Hashable {
    /// How long it lasts.
    public var duration: TimeToLive
    /// How many different resources may be watched; `nil` for any number.
    public var maximumResources: Int?
    /// Whether the viewer must be named (header `AP-TempPass-Identity`): then one person has it once, on all devices.
    public var isPromotional: Bool

    /// Makes an offer.
    ///
    /// - Parameters:
    ///   - duration: How long it lasts.
    ///   - maximumResources: How many different resources may be watched.
    ///   - isPromotional: Whether the viewer must be named.
    public init(duration: TimeToLive, maximumResources: Int? = nil, isPromotional: Bool = false) {
        (self.duration, self.maximumResources, self.isPromotional) = (duration, maximumResources, isPromotional)
    }
}
#endif
