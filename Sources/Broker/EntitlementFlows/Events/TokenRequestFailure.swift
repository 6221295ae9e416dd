#if Client
public import EntitlementValues

/// A request for authorization that did not end with a permit.
public enum TokenRequestFailure: Sendable, Hashable {
    /// The user may not watch.
    case denied(AuthorizationDenial)
    /// The user is not signed in.
    case notAuthenticated(ResourceID)
    /// Something failed on the way.
    case failed(ResourceID, EntitlementFlowError)

    /// The resource, as it was asked for.
    public var resource: ResourceID {
        switch self {
        case .denied(let denial): denial.resource
        case .notAuthenticated(let resource), .failed(let resource, _): resource
        }
    }
}
#endif
