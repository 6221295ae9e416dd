public import EntitlementValues
import TextCodecs

/// The answer of `regcode` (REST v1): the code that a viewer types on another screen to sign in this device.
///
/// Anyone who has the code can finish the sign-in until the code expires. So neither description nor mirror shows it.
public struct RegistrationCodeResponse: ServiceResponse {
    /// The brand that asked.
    public let requestor: RequestorID
    /// The service's identifier of the code's record.
    public let id: String?
    /// When the code was made.
    public let generated: Timestamp?
    /// When the code expires.
    public let expires: Timestamp
    /// What the application told the service about the device.
    public let info: [JSONField]
    /// Warnings about implausible times, which were taken as sent.
    public let faults: [ServiceResponseError]
    /// Members that this library does not know, as they were sent.
    public let unknownFields: [JSONField]

    private let redactedCode: Redacted<String>

    /// The code to type.
    public var code: String { redactedCode.value }

    /// Makes an answer to be sent.
    ///
    /// - Parameters:
    ///   - requestor: The brand that asked.
    ///   - code: The code to type.
    ///   - id: The identifier of the code's record.
    ///   - generated: When the code was made.
    ///   - expires: When the code expires.
    ///   - info: What the application told about the device.
    ///   - unknownFields: Further members.
    package init(
        requestor: RequestorID,
        code: String,
        id: String? = nil,
        generated: Timestamp? = nil,
        expires: Timestamp,
        info: [JSONField] = [],
        unknownFields: [JSONField] = []
    ) {
        (self.requestor, redactedCode, self.id) = (requestor, Redacted(code), id)
        (self.generated, self.expires, self.info) = (generated, expires, info)
        (faults, self.unknownFields) = ([], unknownFields)
    }

    /// Reads a body.
    ///
    /// - Parameter bytes: The whole body, JSON in UTF-8.
    /// - Throws: `ServiceResponseError` if the body is not this response.
    public init(parsing bytes: Span<UInt8>) throws(ServiceResponseError) {
        var body = try BodyObject(body: bytes)
        guard let requestor = try body.takeIdentifier("requestor", bytes) else {
            throw body.refusal(bytes, missing: "requestor")
        }
        self.requestor = RequestorID(requestor)
        redactedCode = Redacted(try body.requireIdentifier("code", bytes))
        id = try body.takeText("id", bytes)
        generated = try body.takeInstant("generated", bytes)
        expires = try body.requireInstant("expires", bytes)
        if let node = body.take("info") {
            try node.requireObject(at: body.path + "info")
            info = node.fields(bytes)
        } else {
            info = []
        }
        faults = body.faults
        unknownFields = body.unknownFields(bytes)
    }
}

extension RegistrationCodeResponse: CustomStringConvertible {
    /// The requestor and the end, without the code.
    public var description: String {
        "registration code for requestor \(requestor.rawValue.printable) until \(expires)"
    }
}
