public import EntitlementValues
import ServiceResponses

/// When a resource was decided on, and how long the decision holds: for questions about lifetimes, never a permission.
public struct DecisionTime: Sendable, Hashable {
    /// The provider that decided.
    public let mvpd: MVPDID
    /// The resource.
    public let resource: ResourceID
    /// When it was decided.
    public let decided: Timestamp
    /// The first instant at which the decision does not hold anymore; `nil` if the broker did not say.
    public let notAfter: Timestamp?
    /// Members that this library does not know, from a newer release.
    var unknownFields: [JSONField] = []

    /// Describes a decision.
    ///
    /// - Parameters:
    ///   - resource: The resource.
    ///   - mvpd: The provider that decided.
    ///   - decided: When it was decided.
    ///   - notAfter: The first instant at which the decision does not hold anymore.
    public init(on resource: ResourceID, mvpd: MVPDID, decided: Timestamp, notAfter: Timestamp?) {
        (self.resource, self.mvpd, self.decided, self.notAfter) = (resource, mvpd, decided, notAfter)
    }

    func isAboutSame(as other: DecisionTime) -> Bool { resource == other.resource && mvpd == other.mvpd }
}
