public import EntitlementValues
public import ServiceResponses
package import TextCodecs

/// The body with which registration (RFC 7591 §3.2.2) and the token endpoint (RFC 6749 §5.2) refuse a request.
public struct RegistrationError: ServiceResponse, Hashable {
    /// What is wrong.
    public let error: RegistrationErrorCode
    /// The broker's words for developers; free text, so it is not part of the description.
    public let errorDescription: String?
    /// A page about the error.
    public let errorURI: String?
    /// Members that this library does not know, as they were sent.
    public let unknownFields: [JSONField]

    /// Makes an answer to be sent.
    package init(
        _ error: RegistrationErrorCode,
        errorDescription: String? = nil,
        errorURI: String? = nil,
        unknownFields: [JSONField] = []
    ) {
        (self.error, self.errorDescription, self.errorURI) = (error, errorDescription, errorURI)
        self.unknownFields = unknownFields
    }

    /// Reads a body.
    ///
    /// - Parameter bytes: The whole body, JSON in UTF-8.
    /// - Throws: `ServiceResponseError` if the body is not this response.
    public init(parsing bytes: Span<UInt8>) throws(ServiceResponseError) {
        var body = try BodyObject(body: bytes)
        error = RegistrationErrorCode(try body.requireIdentifier("error", bytes))
        errorDescription = try body.takeText("error_description", bytes)
        errorURI = try body.takeText("error_uri", bytes)
        unknownFields = body.unknownFields(bytes)
    }
}

extension RegistrationError: EncodableResponse {
    package var object: JSONWriter {
        var object = JSONWriter()
        object.member("error", error.rawValue)
        object.member("error_description", ifPresent: errorDescription)
        object.member("error_uri", ifPresent: errorURI)
        object.members(unknownFields)
        return object
    }
}

extension RegistrationError: CustomStringConvertible, CustomReflectable {
    /// The code, without the broker's words.
    public var description: String { "registration error \(error.shown)" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The code of an error of registration (RFC 7591 §3.2.2) or of the token endpoint (RFC 6749 §5.2).
///
/// The broker may add codes at any time. Upper and lower case are different.
public struct RegistrationErrorCode: EntitlementIdentifier {
    /// The code as it is written on the wire.
    public let rawValue: String

    /// Makes a code from its text, unchanged.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// A parameter is missing, unknown or repeated.
    public static let invalidRequest: RegistrationErrorCode = "invalid_request"
    /// The redirect URI is not one of the application's.
    public static let invalidRedirectURI: RegistrationErrorCode = "invalid_redirect_uri"
    /// The description of the client is not valid.
    public static let invalidClientMetadata: RegistrationErrorCode = "invalid_client_metadata"
    /// The software statement is not valid, or was revoked; a new one has to be issued.
    public static let invalidSoftwareStatement: RegistrationErrorCode = "invalid_software_statement"
    /// The software statement is not approved for this broker.
    public static let unapprovedSoftwareStatement: RegistrationErrorCode = "unapproved_software_statement"
    /// The credentials are not valid; the application has to decide about registering again.
    public static let invalidClient: RegistrationErrorCode = "invalid_client"
    /// The client may not ask for tokens in this way.
    public static let unauthorizedClient: RegistrationErrorCode = "unauthorized_client"
    /// The grant type is not supported.
    public static let unsupportedGrantType: RegistrationErrorCode = "unsupported_grant_type"
    /// The grant is not valid.
    public static let invalidGrant: RegistrationErrorCode = "invalid_grant"
    /// The scope is unknown, or more than the client may have.
    public static let invalidScope: RegistrationErrorCode = "invalid_scope"

    /// The codes above.
    package static let documented: Set<RegistrationErrorCode> = [
        .invalidRequest, .invalidRedirectURI, .invalidClientMetadata, .invalidSoftwareStatement,
        .unapprovedSoftwareStatement, .invalidClient, .unauthorizedClient, .unsupportedGrantType, .invalidGrant,
        .invalidScope,
    ]

    /// The code if it is a documented one, for descriptions and logs: another text could be what a user has typed in.
    package var shown: String { shown(ifAmong: Self.documented) }
}
