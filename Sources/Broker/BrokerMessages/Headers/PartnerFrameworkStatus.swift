public import EntitlementValues
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

extension PartnerFrameworkStatus {
    /// An error of the partner's, by its own names.
    public struct Failure: Sendable, Hashable {
        /// The partner's name of the error.
        public let code: String?
        /// The partner's words.
        public let message: String?
        /// Members that this library does not know, as they were sent.
        public let unknownFields: [JSONField]

        /// Makes an error.
        ///
        /// - Parameters:
        ///   - code: The partner's name of the error.
        ///   - message: The partner's words.
        public init(code: String?, message: String?) {
            (self.code, self.message, unknownFields) = (code, message, [])
        }

        fileprivate init(_ object: inout HeaderObject, _ text: Span<UInt8>) throws(BrokerHeaderError) {
            code = try object.takeText("code", text)
            message = try object.takeText("message", text)
            unknownFields = object.unknownFields(text)
        }

        var object: JSONWriter {
            var object = JSONWriter(escaping: .minimal)
            object.member("code", ifPresent: code)
            object.member("message", ifPresent: message)
            object.members(unknownFields)
            return object
        }
    }

    /// Whether the user lets the application use the subscription.
    public struct Permission: Sendable, Hashable {
        /// What the user chose.
        public let accessStatus: PartnerAccessStatus
        /// The partner's error when it was asked.
        public let failure: Failure?
        /// Members that this library does not know, as they were sent.
        public let unknownFields: [JSONField]

        /// Makes a permission.
        ///
        /// - Parameters:
        ///   - accessStatus: What the user chose.
        ///   - failure: The partner's error when it was asked.
        public init(_ accessStatus: PartnerAccessStatus, failure: Failure? = nil) {
            (self.accessStatus, self.failure, unknownFields) = (accessStatus, failure, [])
        }

        init(_ owner: inout HeaderObject, _ text: Span<UInt8>) throws(BrokerHeaderError) {
            var object = try owner.requireObject("frameworkPermissionInfo")
            accessStatus = PartnerAccessStatus(try object.requireIdentifier("accessStatus", text))
            failure = try object.takeFailure(text)
            unknownFields = object.unknownFields(text)
        }

        var object: JSONWriter {
            var object = JSONWriter(escaping: .minimal)
            object.member("accessStatus", accessStatus.rawValue)
            if let failure { object.member("error", failure.object) }
            object.members(unknownFields)
            return object
        }
    }

    /// The provider that the partner knows, as far as it told.
    public struct Provider: Sendable, Hashable {
        /// The partner's own identifier of the provider: the `platformMappingId` of an MVPD.
        public let mappingID: String?
        /// When the sign-on at the partner ends; sent as a string of milliseconds.
        public let expires: Timestamp?
        /// The partner's error when it was asked.
        public let failure: Failure?
        /// Members that this library does not know, as they were sent.
        public let unknownFields: [JSONField]

        /// Whether the end can be meant; `true` without an end.
        ///
        /// An instant before 1973 was usually sent in seconds.
        public var hasPlausibleEnd: Bool { expires?.isPlausible ?? true }

        /// Makes a provider.
        ///
        /// - Parameters:
        ///   - mappingID: The partner's own identifier of the provider.
        ///   - expires: When the sign-on at the partner ends.
        ///   - failure: The partner's error when it was asked.
        public init(mappingID: String? = nil, expires: Timestamp? = nil, failure: Failure? = nil) {
            (self.mappingID, self.expires, self.failure, unknownFields) = (mappingID, expires, failure, [])
        }

        init(_ owner: inout HeaderObject, _ text: Span<UInt8>) throws(BrokerHeaderError) {
            var object = try owner.takeObject("frameworkProviderInfo")
            mappingID = try object?.takeText("id", text)
            expires = try object?.takeMilliseconds("expirationDate", text)
            failure = try object?.takeFailure(text)
            unknownFields = object?.unknownFields(text) ?? []
        }

        var object: JSONWriter {
            var object = JSONWriter(escaping: .minimal)
            object.member("id", ifPresent: mappingID)
            object.member("expirationDate", ifPresent: expires.map { String($0.milliseconds) })
            if let failure { object.member("error", failure.object) }
            object.members(unknownFields)
            return object
        }
    }
}

extension HeaderObject {
    /// The error in the member `error`; `nil` if it is absent.
    fileprivate mutating func takeFailure(
        _ text: Span<UInt8>
    ) throws(BrokerHeaderError) -> PartnerFrameworkStatus.Failure? {
        guard var object = try takeObject("error") else { return nil }
        return try PartnerFrameworkStatus.Failure(&object, text)
    }
}

/// Whether the user lets the application use the subscription that the device's sign-on partner knows.
///
/// Upper and lower case are different. Source: the reference of `AP-Partner-Framework-Status`.
public struct PartnerAccessStatus: EntitlementIdentifier {
    /// The name as it is written on the wire.
    public let rawValue: String

    /// Makes a status from its name, unchanged.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// The user allowed it.
    public static let granted: PartnerAccessStatus = "granted"
    /// The user denied it.
    public static let denied: PartnerAccessStatus = "denied"
    /// The application is not allowed to ask.
    public static let restricted: PartnerAccessStatus = "restricted"
    /// The user has not chosen yet.
    public static let notDetermined: PartnerAccessStatus = "notDetermined"
}
