#if Client
public import EntitlementValues
public import ServiceResponses

/// A resource id that brings one certain error, whatever the world says.
public enum MagicResource: String, Sendable, CaseIterable {
    /// The provider denies.
    case denied = "sim:deny"
    /// Parental controls deny.
    case deniedByParentalControls = "sim:deny-parental"
    /// The provider's rules for home-based authentication deny.
    case deniedByHomeRules = "sim:deny-hba"
    /// The provider does not answer in time.
    case timeout = "sim:timeout"
    /// The call asks for too many resources.
    case tooMany = "sim:too-many"
    /// A rule of the operator permits nothing.
    case degradedNone = "sim:degraded-none"

    /// The resource id.
    public var resource: ResourceID { ResourceID(rawValue) }

    /// The code of the error that `authorize` answers.
    public var code: EnhancedErrorCode {
        switch self {
        case .denied: .authorizationDeniedByMVPD
        case .deniedByParentalControls: .authorizationDeniedByParentalControls
        case .deniedByHomeRules: .authorizationDeniedByHBAPolicies
        case .timeout: .networkConnectionTimeout
        case .tooMany: .tooManyResources
        case .degradedNone: .authorizationDeniedByDegradationRule
        }
    }
}
#endif
