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
