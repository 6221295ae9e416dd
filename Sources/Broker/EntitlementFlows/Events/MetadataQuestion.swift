#if Client
public import EntitlementValues

/// A question for metadata.
public enum MetadataQuestion: Sendable, Hashable {
    /// Until when the user is signed in.
    case authenticationTTL
    /// Until when a decision about a resource holds.
    case authorizationTTL(ResourceID)
    /// The device's identifier, if the options reveal it.
    case deviceIdentifier
    /// An attribute of the user; `nil` for all of them.
    case userMetadata(String?)
}
#endif
