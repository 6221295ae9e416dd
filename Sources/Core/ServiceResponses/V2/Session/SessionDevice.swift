import TextCodecs

/// The device that started an authentication session, as the broker sees it.
///
/// Brokers fill most members with `null`, which counts as absent.
public struct SessionDevice: Sendable, Hashable {
    /// The kind of device, for example `Desktop`.
    public let type: String?
    /// The model.
    public let model: String?
    /// The version of the model.
    public let version: DeviceVersion?
    /// The hardware.
    public let hardware: DeviceComponent?
    /// The operating system.
    public let operatingSystem: DeviceComponent?
    /// The browser.
    public let browser: DeviceComponent?
    /// The display; its size is in the component's unknown fields.
    public let display: DeviceComponent?
    /// The application's identifier, if it sent one.
    public let applicationID: String?
    /// How the device is connected.
    public let connection: DeviceConnection?
    /// Members that this library does not know, as they were sent.
    public let unknownFields: [JSONField]

    /// Makes a device to be sent; the parameters are the members of the same names.
    package init(
        type: String? = nil,
        model: String? = nil,
        version: DeviceVersion? = nil,
        hardware: DeviceComponent? = nil,
        operatingSystem: DeviceComponent? = nil,
        browser: DeviceComponent? = nil,
        display: DeviceComponent? = nil,
        applicationID: String? = nil,
        connection: DeviceConnection? = nil,
        unknownFields: [JSONField] = []
    ) {
        (self.type, self.model, self.version) = (type, model, version)
        (self.hardware, self.operatingSystem) = (hardware, operatingSystem)
        (self.browser, self.display) = (browser, display)
        (self.applicationID, self.connection) = (applicationID, connection)
        self.unknownFields = unknownFields
    }

    init(_ node: JSONNode, at path: JSONLocation, in text: Span<UInt8>) throws(ServiceResponseError) {
        var object = try BodyObject(node, at: path)
        type = try object.takeText("type", text)
        model = try object.takeText("model", text)
        version = try DeviceVersion(of: &object, in: text)
        hardware = try DeviceComponent("hardware", of: &object, in: text)
        operatingSystem = try DeviceComponent("operatingSystem", of: &object, in: text)
        browser = try DeviceComponent("browser", of: &object, in: text)
        display = try DeviceComponent("display", of: &object, in: text)
        applicationID = try object.takeText("applicationId", text)
        connection = try object.take("connection").map { node throws(ServiceResponseError) in
            try DeviceConnection(node, at: path + "connection", in: text)
        }
        unknownFields = object.unknownFields(text)
    }

    var object: JSONWriter {
        var object = JSONWriter()
        object.member("type", ifPresent: type)
        object.member("model", ifPresent: model)
        if let version { object.member("version", version.object) }
        if let hardware { object.member("hardware", hardware.object) }
        if let operatingSystem { object.member("operatingSystem", operatingSystem.object) }
        if let browser { object.member("browser", browser.object) }
        if let display { object.member("display", display.object) }
        object.member("applicationId", ifPresent: applicationID)
        if let connection { object.member("connection", connection.object) }
        object.members(unknownFields)
        return object
    }
}

extension SessionDevice: CustomStringConvertible {
    /// The kind of device and its model.
    public var description: String {
        [type, model].compactMap { $0?.printable }.joined(separator: " ")
    }
}

/// A part of a device: its hardware, operating system, browser or display.
public struct DeviceComponent: Sendable, Hashable {
    /// Its name.
    public let name: String?
    /// The family that it belongs to.
    public let family: String?
    /// Who sells it.
    public let vendor: String?
    /// Who makes it.
    public let manufacturer: String?
    /// Its version.
    public let version: DeviceVersion?
    /// Members that this library does not know, as they were sent.
    public let unknownFields: [JSONField]

    /// Makes a part to be sent; the parameters are the members of the same names.
    package init(
        name: String? = nil,
        family: String? = nil,
        vendor: String? = nil,
        manufacturer: String? = nil,
        version: DeviceVersion? = nil,
        unknownFields: [JSONField] = []
    ) {
        (self.name, self.family, self.vendor) = (name, family, vendor)
        (self.manufacturer, self.version, self.unknownFields) = (manufacturer, version, unknownFields)
    }

    /// Reads a member of a device; `nil` if the member is absent.
    init?(_ name: String, of device: inout BodyObject, in text: Span<UInt8>) throws(ServiceResponseError) {
        guard let node = device.take(name) else { return nil }
        var object = try BodyObject(node, at: device.path + name)
        self.name = try object.takeText("name", text)
        family = try object.takeText("family", text)
        vendor = try object.takeText("vendor", text)
        manufacturer = try object.takeText("manufacturer", text)
        version = try DeviceVersion(of: &object, in: text)
        unknownFields = object.unknownFields(text)
    }

    var object: JSONWriter {
        var object = JSONWriter()
        object.member("name", ifPresent: name)
        object.member("family", ifPresent: family)
        object.member("vendor", ifPresent: vendor)
        object.member("manufacturer", ifPresent: manufacturer)
        if let version { object.member("version", version.object) }
        object.members(unknownFields)
        return object
    }
}

/// A version in the broker's form.
public struct DeviceVersion: Sendable, Hashable {
    /// The first number.
    public let major: Int64?
    /// The second number.
    public let minor: Int64?
    /// The third number.
    public let patch: Int64?
    /// What comes after the numbers, often nothing.
    public let profile: String?
    /// Members that this library does not know, as they were sent.
    public let unknownFields: [JSONField]

    /// Makes a version to be sent; the parameters are the members of the same names.
    package init(
        major: Int64? = nil,
        minor: Int64? = nil,
        patch: Int64? = nil,
        profile: String? = nil,
        unknownFields: [JSONField] = []
    ) {
        (self.major, self.minor, self.patch) = (major, minor, patch)
        (self.profile, self.unknownFields) = (profile, unknownFields)
    }

    /// Reads the member `version`; `nil` if the member is absent.
    init?(of component: inout BodyObject, in text: Span<UInt8>) throws(ServiceResponseError) {
        guard let node = component.take("version") else { return nil }
        var object = try BodyObject(node, at: component.path + "version")
        major = try object.takeWholeNumber("major", text)
        minor = try object.takeWholeNumber("minor", text)
        patch = try object.takeWholeNumber("patch", text)
        profile = try object.takeText("profile", text)
        unknownFields = object.unknownFields(text)
    }

    var object: JSONWriter {
        var object = JSONWriter()
        if let major { object.member("major", major) }
        if let minor { object.member("minor", minor) }
        if let patch { object.member("patch", patch) }
        object.member("profile", ifPresent: profile)
        object.members(unknownFields)
        return object
    }
}

/// How a device is connected, as the broker sees it.
public struct DeviceConnection: Sendable, Hashable {
    /// The port that its request came from; brokers send it as a string of digits.
    public let port: Int64?
    /// Whether the connection is encrypted (`secure`).
    public let isSecure: Bool?
    /// The kind of connection.
    public let type: String?
    /// Members that this library does not know, as they were sent.
    public let unknownFields: [JSONField]
    private let redactedAddress: Redacted<String>?

    /// The IP address that the device's request came from.
    ///
    /// It is personal data, so descriptions and mirrors do not show it.
    public var address: String? { redactedAddress?.value }

    /// Makes a connection to be sent.
    package init(
        address: String? = nil,
        port: Int64? = nil,
        isSecure: Bool? = nil,
        type: String? = nil,
        unknownFields: [JSONField] = []
    ) {
        (redactedAddress, self.port) = (address.map { Redacted($0) }, port)
        (self.isSecure, self.type, self.unknownFields) = (isSecure, type, unknownFields)
    }

    init(_ node: JSONNode, at path: JSONLocation, in text: Span<UInt8>) throws(ServiceResponseError) {
        var object = try BodyObject(node, at: path)
        redactedAddress = try object.takeText("ipAddress", text).map { Redacted($0) }
        port = try object.takeWholeNumber("port", text)
        isSecure = try object.takeBoolean("secure", text)
        type = try object.takeText("type", text)
        unknownFields = object.unknownFields(text)
    }

    var object: JSONWriter {
        var object = JSONWriter()
        object.member("ipAddress", ifPresent: address)
        object.member("port", ifPresent: port.map { String($0) })
        object.member("secure", ifPresent: isSecure)
        object.member("type", ifPresent: type)
        object.members(unknownFields)
        return object
    }
}
