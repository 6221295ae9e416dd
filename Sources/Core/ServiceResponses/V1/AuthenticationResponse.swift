public import EntitlementValues
import TextCodecs

/// The answer of `tokens/authn` (REST v1): a user is signed in until a given time.
public struct AuthenticationResponse: ServiceResponse {
    /// The brand that asked.
    public let requestor: RequestorID
    /// The provider that the user signed in with.
    public let mvpd: MVPDID
    /// The first instant at which the authentication is not valid anymore.
    public let expires: Timestamp
    /// A warning if `expires` is not a plausible time; it was taken as sent.
    public let faults: [ServiceResponseError]
    /// Members that this library does not know, as they were sent.
    public let unknownFields: [JSONField]

    private let redactedUserID: Redacted<String?>

    /// The provider's identifier of the subscriber.
    public var userID: String? { redactedUserID.value }

    /// Makes an answer to be sent.
    package init(
        requestor: RequestorID,
        mvpd: MVPDID,
        expires: Timestamp,
        userID: String? = nil,
        unknownFields: [JSONField] = []
    ) {
        (self.requestor, self.mvpd, self.expires) = (requestor, mvpd, expires)
        (redactedUserID, self.unknownFields) = (Redacted(userID), unknownFields)
        faults = []
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
        mvpd = MVPDID(try body.requireIdentifier("mvpd", bytes))
        expires = try body.requireInstant("expires", bytes)
        redactedUserID = Redacted(try body.takeText("userId", bytes))
        faults = body.faults
        unknownFields = body.unknownFields(bytes)
    }
}

extension AuthenticationResponse: CustomStringConvertible {
    /// The requestor, the provider and the end, without the subscriber.
    public var description: String {
        "authentication for requestor \(requestor.rawValue.printable) by \(mvpd.rawValue.printable) until \(expires)"
    }
}
