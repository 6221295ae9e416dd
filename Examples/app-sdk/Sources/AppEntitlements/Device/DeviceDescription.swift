import Foundation

/// What a device says of itself.
///
/// The broker chooses a platform's rules by it: with wrong or missing data a device counts as unknown, and its sign-ins
/// end sooner. The device's address is not in it: the gateway takes it from the connection.
public struct DeviceDescription: Sendable, Hashable {
    /// The model, for example `iPhone15,2`.
    public var model: String
    /// The version of the model.
    public var version: String
    /// The operating system as the broker's reference writes it, for example `iOS`, `tvOS`, `Android`.
    public var osName: String
    /// The version of the operating system.
    public var osVersion: String
    /// The kind of the network connection, for example `WiFi`.
    public var connectionType: String
    /// The kind of the device, for example `MobilePhone`, `Tablet`, `TV`, `SetTopBox`, `Desktop`, `GamesConsole`.
    public var primaryHardwareType: String
    /// Further members of the broker's `X-Device-Info`: texts, and for `displayWidth` and `displayHeight` whole numbers.
    public var more: [String: JSONValue]

    /// Describes a device.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - version: The version of the model.
    ///   - osName: The operating system.
    ///   - osVersion: The version of the operating system.
    ///   - connectionType: The kind of the network connection.
    ///   - primaryHardwareType: The kind of the device.
    ///   - more: Further members of the broker's `X-Device-Info`.
    public init(
        model: String,
        version: String,
        osName: String,
        osVersion: String,
        connectionType: String,
        primaryHardwareType: String,
        more: [String: JSONValue] = [:]
    ) {
        (self.model, self.version, self.osName, self.osVersion) = (model, version, osName, osVersion)
        (self.connectionType, self.primaryHardwareType, self.more) = (connectionType, primaryHardwareType, more)
    }

    var json: JSONValue {
        let members: [String: JSONValue] = [
            "model": .text(model), "version": .text(version), "osName": .text(osName), "osVersion": .text(osVersion),
            "connectionType": .text(connectionType), "primaryHardwareType": .text(primaryHardwareType),
        ]
        return .object(members.merging(more) { own, _ in own })
    }

    /// A digest by which another description or another visitor is noticed, the same in each start of the app.
    ///
    /// - Parameter visitorID: The visitor's identifier for analytics.
    /// - Returns: FNV-1a of 64 bits, in hexadecimal.
    func digest(with visitorID: String?) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let told: [JSONValue] = [json, visitorID.map(JSONValue.text) ?? .null]
        let bytes = (try? encoder.encode(told)) ?? Data()
        let hash = bytes.reduce(UInt64(0xCBF2_9CE4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return String(hash, radix: 16)
    }

    /// The last three elements of the operator's arrays for analytics: type of device, type of client, system.
    var tracked: [String?] {
        let types = [
            "Desktop": "computer", "Tablet": "tablet", "MobilePhone": "mobile", "GamesConsole": "gameconsole",
        ]
        let clients = ["ios": "ios", "ipados": "ios", "tvos": "ios", "fire os": "android", "fireos": "android"]
        let system = osName.lowercased()
        return [types[primaryHardwareType] ?? "unknown", clients[system] ?? system, osName]
    }
}
