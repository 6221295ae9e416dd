public import ServiceResponses
import TextCodecs

/// What the device's sign-on partner said, `AP-Partner-Framework-Status`: Base64 of a JSON object.
///
/// It says which provider the device's user has, so neither description nor mirror shows it.
public struct PartnerFrameworkStatus: BrokerHeader {
    /// `AP-Partner-Framework-Status`.
    public static let name = "AP-Partner-Framework-Status"
    /// The longest JSON, in bytes.
    public static let maximumLength = 4096

    /// Whether the user lets the application use the subscription.
    public let permission: Permission
    /// The provider that the partner knows, as far as it told.
    public let provider: Provider
    /// Members that this library does not know, as they were sent.
    public let unknownFields: [JSONField]

    /// Makes a status.
    ///
    /// - Parameters:
    ///   - permission: Whether the user lets the application use the subscription.
    ///   - provider: The provider that the partner knows, as far as it told.
    /// - Throws: `.empty` if the access status is empty, `.tooLong`.
    public init(permission: Permission, provider: Provider = Provider()) throws(BrokerHeaderError) {
        (self.permission, self.provider, unknownFields) = (permission, provider, [])
        guard !permission.accessStatus.rawValue.utf8.isEmpty else { throw .empty(header: Self.name) }
        try HeaderText.checkLength(json, of: Self.name, limit: Self.maximumLength)
    }

    /// Reads Base64 of a JSON object.
    ///
    /// Missing information on the provider is read as unknown.
    ///
    /// - Parameter headerValue: The value of the header.
    /// - Throws: `BrokerHeaderError`.
    public init(headerValue: String) throws(BrokerHeaderError) {
        try self.init(json: try HeaderText.decodeBase64(headerValue, of: Self.name, limit: Self.maximumLength))
    }

    /// Reads the JSON object that the header encodes.
    ///
    /// - Parameter json: The object.
    /// - Throws: `BrokerHeaderError`.
    public init(json: String) throws(BrokerHeaderError) {
        try HeaderText.checkLength(json, of: Self.name, limit: Self.maximumLength)
        self = try json.withBytes { text throws(BrokerHeaderError) in
            var status = try HeaderObject(text, of: Self.name)
            let permission = try Permission(&status, text)
            let provider = try Provider(&status, text)
            return PartnerFrameworkStatus(permission, provider, status.unknownFields(text))
        }
    }

    private init(_ permission: Permission, _ provider: Provider, _ unknownFields: [JSONField]) {
        (self.permission, self.provider, self.unknownFields) = (permission, provider, unknownFields)
    }

    /// The JSON object, on one line.
    public var json: String {
        var object = JSONWriter(escaping: .minimal)
        object.member("frameworkPermissionInfo", permission.object)
        object.member("frameworkProviderInfo", provider.object)
        object.members(unknownFields)
        return String(decoding: object.finished, as: UTF8.self)
    }

    /// The Base64 of the JSON object.
    public var headerValue: String { Base64.encode(Array(json.utf8)) }
}

extension PartnerFrameworkStatus: CustomStringConvertible, CustomReflectable {
    /// The words *partner framework status*, not the status.
    public var description: String { "partner framework status" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
