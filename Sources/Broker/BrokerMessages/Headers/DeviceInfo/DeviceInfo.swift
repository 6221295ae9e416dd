public import ServiceResponses
import TextCodecs

/// What the streaming device says of itself, `X-Device-Info`: Base64 of a JSON object of strings and numbers.
///
/// ```swift
/// let info = try DeviceInfo([
///     .model: "TV-1000", .version: "2", .osName: "Linux", .osVersion: "4.4", .connectionType: "LAN",
///     .primaryHardwareType: "TV", .displayWidth: 1920,
/// ])
/// ```
///
/// The broker chooses a platform's rules by it: with wrong or missing data a device counts as unknown, and its
/// authentication ends sooner. So read ``warnings``. It holds the device's address, so neither description nor mirror
/// shows the values.
public struct DeviceInfo: BrokerHeader {
    /// `X-Device-Info`.
    public static let name = "X-Device-Info"
    /// The longest JSON, in bytes.
    public static let maximumLength = 4096
    /// The most members.
    public static let maximumFields = 64

    /// The members in the order in which they are sent, those that this library does not know included.
    public private(set) var fields: [JSONField]
    /// Whether a member `type` was read as `primaryHardwareType`.
    let hadTypeMember: Bool

    /// Makes device information.
    ///
    /// - Parameter values: The members, in the order in which they are sent.
    /// - Throws: `.badMember` for a repeated key, an empty key, a control character or a number that is not finite;
    ///   `.tooLong`.
    public init(_ values: KeyValuePairs<Key, Value>) throws(BrokerHeaderError) {
        (fields, hadTypeMember) = ([], false)
        for (key, value) in values {
            guard self[key] == nil else {
                throw .badMember(header: Self.name, .root + key.rawValue, reason: "a member occurs twice")
            }
            fields.append(JSONField(name: key.rawValue, value: try value.json(of: key)))
        }
        try check()
    }

    /// Reads Base64 of a JSON object.
    ///
    /// A member `type` is read as `primaryHardwareType` if there is none: the reference's own example for one platform
    /// writes it so. ``warnings`` says it.
    ///
    /// - Parameter headerValue: The value of the header.
    /// - Throws: `BrokerHeaderError`.
    public init(headerValue: String) throws(BrokerHeaderError) {
        let json = try HeaderText.decodeBase64(headerValue, of: Self.name, limit: Self.maximumLength)
        try self.init(json: json)
    }

    /// Reads the JSON object that the header encodes.
    ///
    /// - Parameter json: The object; a byte order mark before it is dropped.
    /// - Throws: `BrokerHeaderError`.
    public init(json: String) throws(BrokerHeaderError) {
        try HeaderText.checkLength(json, of: Self.name, limit: Self.maximumLength)
        var fields = try json.withBytes { text throws(BrokerHeaderError) in try Self.fields(of: text) }
        let type = fields.firstIndex { $0.name == "type" }
        let hasHardwareType = fields.contains { $0.name == Key.primaryHardwareType.rawValue }
        if let type, !hasHardwareType {
            fields[type] = JSONField(name: Key.primaryHardwareType.rawValue, value: fields[type].value)
        }
        self.fields = fields
        hadTypeMember = type != nil && !hasHardwareType
        try check()
    }

    private init() { (fields, hadTypeMember) = ([], false) }

    /// The information of a device that says nothing of itself: no member.
    package static let nothing = DeviceInfo()

    private static func fields(of text: Span<UInt8>) throws(BrokerHeaderError) -> [JSONField] {
        let node = try BrokerHeaderError.mapping(
            name, JSONReader.node(of: text, in: text.afterByteOrderMark, maximumValues: maximumLength))
        return try BrokerHeaderError.mapping(
            name, JSONObject(node, at: .root, nulls: .areValues).members.list.fields(text))
    }

    /// The text of a member, or the digits of a number; `nil` if the member is absent or has another type.
    public subscript(key: Key) -> String? {
        guard let value = fields.first(where: { $0.name.hasSameBytes(as: key.rawValue) })?.value else { return nil }
        return value.string ?? (value.isNumber ? value.text : nil)
    }

    /// The same information with one member changed.
    ///
    /// - Parameters:
    ///   - key: The member's name.
    ///   - value: Its value; `nil` removes the member.
    /// - Returns: The changed information; a new member comes last.
    /// - Throws: As ``init(_:)``.
    public func setting(_ key: Key, to value: Value?) throws(BrokerHeaderError) -> DeviceInfo {
        var changed = self
        let index = fields.firstIndex { $0.name.hasSameBytes(as: key.rawValue) }
        if let value {
            let field = JSONField(name: key.rawValue, value: try value.json(of: key))
            if let index { changed.fields[index] = field } else { changed.fields.append(field) }
        } else if let index {
            changed.fields.remove(at: index)
        }
        try changed.check()
        return changed
    }

    /// The same information with the connection's address, port and security instead of its own word on them.
    ///
    /// A server takes these from each request: at one provider the address alone signs a household in, so it must not
    /// come from the device's application.
    ///
    /// - Parameters:
    ///   - address: The device's address; `nil` removes it.
    ///   - port: The device's port; `nil` removes it.
    ///   - isSecure: Whether the device's network is a secure one rather than a public hot spot; `nil` removes it.
    /// - Returns: The changed information.
    /// - Throws: `BrokerHeaderError.tooLong(header:limit:)` if it becomes too long.
    public func connected(
        from address: ClientAddress?,
        port: UInt16? = nil,
        isSecure: Bool? = nil
    ) throws(BrokerHeaderError) -> DeviceInfo {
        try setting(.connectionIP, to: address.map { .text($0.text) })
            .setting(.connectionPort, to: port.map { .number(Int64($0)) })
            .setting(.connectionSecure, to: isSecure.map { .text(String($0)) })
    }

    /// The JSON object, on one line.
    public var json: String {
        var object = JSONWriter(escaping: .minimal)
        object.members(fields)
        return String(decoding: object.finished, as: UTF8.self)
    }

    /// The Base64 of the JSON object.
    public var headerValue: String { Base64.encode(Array(json.utf8)) }

    /// Compares the members; two readings are the same even if one had a member `type`.
    public static func == (one: DeviceInfo, other: DeviceInfo) -> Bool { one.fields == other.fields }

    /// Hashes the members.
    public func hash(into hasher: inout Hasher) { hasher.combine(fields) }

    private func check() throws(BrokerHeaderError) {
        guard fields.count <= Self.maximumFields else {
            throw .badMember(header: Self.name, .root, reason: "more than \(Self.maximumFields) members")
        }
        for field in fields {
            if field.name.isEmpty {
                throw .badMember(header: Self.name, .root, reason: "a member has an empty name")
            }
            if field.name.utf8.contains(where: \.isControl)
                || field.value.string?.utf8.contains(where: \.isControl) == true
            {
                let place = JSONLocation.root + field.name
                throw .badMember(header: Self.name, place, reason: "\(place) has a control character")
            }
        }
        try HeaderText.checkLength(json, of: Self.name, limit: Self.maximumLength)
    }
}

extension DeviceInfo: CustomStringConvertible, CustomReflectable {
    /// The number of members, not their values.
    public var description: String { "device information with \(fields.count) members" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension DeviceInfo {
    /// Whether the device belongs to the platform that signs users on by an account of its own, by family, vendor or name
    /// of its system.
    package var isOfPartnerPlatform: Bool {
        if self[.osVendor]?.lowercased() == "apple" { return true }
        return [self[.osFamily], self[.osName]].contains { name in
            ["ios", "ipados", "tvos", "macos", "visionos"].contains(name?.lowercased() ?? "")
        }
    }
}
