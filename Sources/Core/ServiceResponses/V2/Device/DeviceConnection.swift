import TextCodecs

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
