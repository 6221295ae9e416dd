import TextCodecs
public import EntitlementValues

/// A body of `regcode` (REST v1): the code that a viewer types on another screen to sign in this device.
///
/// Whoever has the code while it lasts can finish the sign-in, so neither description nor mirror shows it.
public struct RegistrationCodeResponse: ServiceResponse {
    /// The brand.
    public let requestor: RequestorID
    /// Names the record at the service.
    public let id: String?
    /// When the code was made.
    public let generated: Timestamp?
    /// When the code ends.
    public let expires: Timestamp
    /// What the service was told of the device.
    public let info: [JSONField]
    /// Says where a time was taken as it stands, and cannot be meant.
    public let faults: [ServiceResponseError]
    /// Members that are not known here.
    public let unknownFields: [JSONField]

    private let withheldCode: Redacted<String>

    /// The code.
    public var code: String { withheldCode.value }

    /// Reads a body.
    ///
    /// - Throws: `ServiceResponseError` where the body is not this response.
    public init(parsing bytes: Span<UInt8>) throws(ServiceResponseError) {
        var body = try BodyObject(body: bytes)
        guard let requestor = try body.takeIdentifier("requestor", bytes) else {
            throw body.refusal(bytes, missing: "requestor")
        }
        self.requestor = RequestorID(requestor)
        withheldCode = Redacted(try body.requireIdentifier("code", bytes))
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
    /// Requestor and end, not the code.
    public var description: String {
        "registration code for requestor \(requestor.rawValue.printable) until \(expires)"
    }
}
