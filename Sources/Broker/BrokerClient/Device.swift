#if Client
public import BrokerMessages
public import DeviceRecords
import HTTPTypes
import ServiceResponses

/// A device for which the broker is called.
public struct Device: Sendable, Hashable {
    /// The key of the device's record; the broker never sees it.
    ///
    /// A key belongs to one identifier: credentials are kept by key alone, and the broker binds logins to both.
    public let key: DeviceKey
    /// How the broker knows the device.
    ///
    /// If it changes, all logins of the device are lost.
    public let identifier: DeviceIdentifier
    /// What the device says of itself.
    ///
    /// A wrong one silently costs the subscriber lifetime.
    public let info: DeviceInfo
    /// What the program on the device calls itself, which goes with all calls for the device; `nil` if it is not known.
    ///
    /// The broker adds what it reads there to what the device says of itself. Without it, calls name this library.
    public let userAgent: UserAgent?
    /// All of it as header fields: made once, and not for each call.
    let fields: Redacted<DeviceFields>

    /// Describes a device.
    ///
    /// - Parameters:
    ///   - key: The key of the device's record.
    ///   - identifier: How the broker knows the device.
    ///   - info: What the device says of itself.
    ///   - userAgent: What the program on the device calls itself, as its own requests say it.
    public init(key: DeviceKey, identifier: DeviceIdentifier, info: DeviceInfo, userAgent: UserAgent? = nil) {
        (self.key, self.identifier, self.info, self.userAgent) = (key, identifier, info, userAgent)
        fields = Redacted(
            DeviceFields(
                identifier: HTTPField.Name(DeviceIdentifier.name).map {
                    HTTPField(name: $0, value: identifier.headerValue)
                },
                info: HTTPField.Name(DeviceInfo.name).map { HTTPField(name: $0, value: info.headerValue) },
                userAgent: userAgent.map { HTTPField(name: .userAgent, value: $0.headerValue) }))
    }
}

/// The header fields that belong to a device.
struct DeviceFields: Sendable, Hashable {
    let identifier: HTTPField?
    let info: HTTPField?
    let userAgent: HTTPField?
}
#endif
