public import EntitlementValues
public import ServiceResponses
import TextCodecs

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
