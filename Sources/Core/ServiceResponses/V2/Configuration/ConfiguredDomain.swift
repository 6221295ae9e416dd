import TextCodecs

/// A domain of a service provider.
public struct ConfiguredDomain: Sendable, Hashable {
    /// The domain's name.
    public let name: String
    /// Whether a login may begin at the provider; `nil` if the broker does not say.
    public let isMVPDInitiated: Bool?
    /// Members that this library does not know, as they were sent.
    public let unknownFields: [JSONField]

    /// Makes a domain to be sent.
    package init(name: String, isMVPDInitiated: Bool? = nil, unknownFields: [JSONField] = []) {
        (self.name, self.isMVPDInitiated, self.unknownFields) = (name, isMVPDInitiated, unknownFields)
    }

    init(_ node: JSONNode, at path: JSONLocation, in text: Span<UInt8>) throws(ServiceResponseError) {
        var object = try BodyObject(node, at: path)
        name = try object.requireIdentifier("name", text)
        isMVPDInitiated = try object.takeBoolean("mvpdInitiated", text)
        unknownFields = object.unknownFields(text)
    }

    var object: JSONWriter {
        var object = JSONWriter()
        object.member("name", name)
        object.member("mvpdInitiated", ifPresent: isMVPDInitiated)
        object.members(unknownFields)
        return object
    }
}
