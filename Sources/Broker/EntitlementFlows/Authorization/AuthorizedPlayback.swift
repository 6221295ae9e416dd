#if Client
public import EntitlementValues
public import ServiceResponses
import TextCodecs

/// The right to start one playback now.
///
/// Neither description nor mirror shows the token.
public struct AuthorizedPlayback: Sendable {
    /// The resource, as it was asked for.
    public let resource: ResourceID
    /// The provider that decided.
    public let mvpd: MVPDID
    /// Who decided; `degradation` and `temppass` tell the special cases.
    public let source: DecisionSource?
    /// The first instant at which the decision does not hold anymore; `nil` if the broker did not say.
    ///
    /// A playback that has begun goes on after that, except under temporary access, which the broker does not cut off:
    /// that is the application's duty.
    public let until: Timestamp?
    /// The media token: verified, and used up if a store was configured.
    public let token: PlaybackToken
    /// Whether the broker answered from memory: its decision was older than the question.
    public let isCached: Bool

    /// Describes the right to start a playback.
    ///
    /// - Parameters:
    ///   - resource: The resource, as it was asked for.
    ///   - mvpd: The provider that decided.
    ///   - source: Who decided.
    ///   - until: The first instant at which the decision does not hold anymore.
    ///   - token: The media token.
    ///   - isCached: Whether the broker answered from memory.
    public init(
        of resource: ResourceID,
        mvpd: MVPDID,
        source: DecisionSource?,
        until: Timestamp?,
        token: PlaybackToken,
        isCached: Bool
    ) {
        (self.resource, self.mvpd, self.source, self.until) = (resource, mvpd, source, until)
        (self.token, self.isCached) = (token, isCached)
    }
}

extension AuthorizedPlayback: CustomStringConvertible, CustomReflectable {
    /// The resource, the provider, and whether the token is verified.
    public var description: String {
        "\(resource.rawValue.printable) by \(mvpd.rawValue.printable): permitted, \(token)"
    }

    /// Shows what the description does.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
#endif
