public import BrokerMessages
public import EntitlementValues
import ServiceResponses

/// What the device's sign-on partner said, which requests carry until it expires.
public struct PartnerStatusHint: Sendable, Hashable {
    /// What it said.
    public let status: PartnerFrameworkStatus
    /// When it said so.
    public let said: Timestamp
    /// The first instant at which it does not count anymore.
    public let until: Timestamp
    /// Members that this library does not know, from a newer release.
    var unknownFields: [JSONField] = []

    /// Describes what the partner said.
    ///
    /// - Parameters:
    ///   - status: What it said.
    ///   - said: When it said so.
    ///   - until: The first instant at which it does not count anymore.
    public init(_ status: PartnerFrameworkStatus, said: Timestamp, until: Timestamp) {
        (self.status, self.said, self.until) = (status, said, until)
    }
}
