#if Client
public import BrokerMessages
import TextCodecs

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
