#if Client
public import EntitlementValues
import ServiceResponses

/// Something that analytics count: the operator's library handed it to `sendTrackingData`.
///
/// Descriptions and mirrors do not show the user.
public struct TrackingEvent: Sendable, Hashable {
    /// What has ended.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// An authentication, or a question for its status.
        case authentication
        /// An authorization.
        case authorization
        /// The user's choice of a provider: neither a cancel nor one that no list has is a choice.
        case providerSelection
    }

    /// What has ended.
    public let kind: Kind
    /// Whether it ended well.
    public let isSuccess: Bool
    /// The provider; `nil` if there is none.
    public let mvpd: MVPDID?
    /// Whether it was answered without asking the provider.
    public let isCached: Bool
    /// Why an authorization was refused, in the words of the operator's library; `nil` for all others.
    public let refusal: String?
    /// The provider's own text about a refusal; `nil` if there is none.
    public let details: String?
    /// What the device is: type, client and system.
    public let device: TrackedDevice

    private let redactedUser: Redacted<String?>

    /// The user, by the name that tracking has used: 32 hexadecimal digits; `nil` if it is not known.
    public var guid: String? { redactedUser.value }

    /// Describes an event.
    ///
    /// - Parameters:
    ///   - kind: What has ended.
    ///   - isSuccess: Whether it ended well.
    ///   - mvpd: The provider.
    ///   - guid: The user, by the name that tracking has used.
    ///   - isCached: Whether it was answered without asking the provider.
    ///   - refusal: Why an authorization was refused.
    ///   - details: The provider's own text about a refusal.
    ///   - device: What the device is.
    public init(
        _ kind: Kind,
        isSuccess: Bool,
        mvpd: MVPDID?,
        guid: String? = nil,
        isCached: Bool = false,
        refusal: String? = nil,
        details: String? = nil,
        on device: TrackedDevice
    ) {
        (self.kind, self.isSuccess, self.mvpd, self.isCached) = (kind, isSuccess, mvpd, isCached)
        (self.refusal, self.details, self.device, redactedUser) = (refusal, details, device, Redacted(guid))
    }
}
#endif
