import TextCodecs

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
