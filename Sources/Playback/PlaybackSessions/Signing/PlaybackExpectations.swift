public import EntitlementValues

/// Spells out what a presented session must be for.
///
/// All parts are always given: to leave a check of an identifier out, say `.unchecked`.
public struct PlaybackExpectations: Sendable {
    /// The brands whose resources may be played (`aud`).
    public var requestor: Expectation<RequestorID>
    /// The resources that may be played.
    public var resource: Expectation<ResourceID>
    /// The client that presents the session.
    ///
    /// With an address, only sessions bound to it pass; with ``SessionClient/unbound``, only those that are not bound.
    public var client: SessionClient

    /// Spells out the parts.
    ///
    /// - Parameters:
    ///   - requestor: The brands whose resources may be played.
    ///   - resource: The resources that may be played.
    ///   - client: The client that presents the session.
    public init(requestor: Expectation<RequestorID>, resource: Expectation<ResourceID>, client: SessionClient) {
        (self.requestor, self.resource, self.client) = (requestor, resource, client)
    }
}
