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
