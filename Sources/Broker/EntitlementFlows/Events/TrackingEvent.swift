#if Client
public import BrokerMessages
public import EntitlementValues
import ServiceResponses
import TextCodecs

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

/// What analytics are told of a device.
public struct TrackedDevice: Sendable, Hashable {
    /// `computer`, `tablet`, `mobile`, `gameconsole` or `unknown`.
    public let deviceType: String
    /// `ios`, `android`, `html5`, or the name of another system in lower case.
    public let clientType: String
    /// The name of the system, as the device states it.
    public let system: String

    /// Describes a device.
    ///
    /// - Parameters:
    ///   - deviceType: The type of the device.
    ///   - clientType: The type of the client.
    ///   - system: The name of the system.
    public init(deviceType: String, clientType: String, system: String) {
        (self.deviceType, self.clientType, self.system) = (deviceType, clientType, system)
    }

    /// Takes what analytics are told out of the device information.
    ///
    /// The types of devices are those of the operator's library. It had clients for few systems; those of other systems
    /// are named after theirs. What the device does not state is `unknown`.
    ///
    /// - Parameter info: What the device says of itself.
    public init(_ info: DeviceInfo) {
        let system = info[.osName].flatMap { $0.isEmpty ? nil : $0 }
        let isBrowser = info[.browserName].map { !$0.isEmpty } ?? false
        self.init(
            deviceType: Self.deviceType(of: info[.primaryHardwareType].map(HardwareType.init)),
            clientType: isBrowser ? "html5" : system.map(Self.clientType) ?? Self.unknown,
            system: system ?? Self.unknown)
    }

    private static let unknown = "unknown"

    private static func deviceType(of hardware: HardwareType?) -> String {
        switch hardware {
        case .desktop: "computer"
        case .tablet: "tablet"
        case .mobilePhone: "mobile"
        case .gamesConsole: "gameconsole"
        default: unknown
        }
    }

    private static func clientType(of system: String) -> String {
        let name = system.lowercased()
        return switch name {
        case "ios", "ipados", "tvos": "ios"
        case "android", "fire os", "fireos": "android"
        default: name
        }
    }
}
#endif
