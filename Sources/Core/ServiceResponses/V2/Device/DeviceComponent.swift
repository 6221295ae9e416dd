import TextCodecs

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
