public import EntitlementValues
import TextCodecs

/// The answer of `mediatoken` and `tokens/media` (REST v1): a media token and what the service says about it.
///
/// ```swift
/// let response = try MediaTokenResponse(parsing: body)
/// let token = try response.verified(by: verifier, expecting: "REF30")
/// ```
public struct MediaTokenResponse: ServiceResponse {
    /// The brand that asked.
    public let requestor: RequestorID
    /// What the user may watch.
    public let resource: ResourceID
    /// The provider that authorized it.
    public let mvpd: MVPDID?
    /// The last instant at which the token is valid, as the service says.
    public let expires: Timestamp
    /// A warning if `expires` is not a plausible time; it was taken as sent.
    public let faults: [ServiceResponseError]
    /// Members that this library does not know, as they were sent.
    public let unknownFields: [JSONField]

    private let redactedToken: Redacted<String>
    private let redactedUserID: Redacted<String?>

    /// The unverified token: Base64, as a media token verifier takes it.
    public var serializedToken: String { redactedToken.value }
    /// A scrambled identifier of the subscriber.
    public var userID: String? { redactedUserID.value }

    /// Makes an answer to be sent.
    ///
    /// - Parameters:
    ///   - requestor: The brand that asked.
    ///   - resource: What the user may watch.
    ///   - mvpd: The provider that authorized it.
    ///   - expires: The last instant at which the token is valid.
    ///   - serializedToken: The token, in Base64.
    ///   - userID: A scrambled identifier of the subscriber.
    ///   - unknownFields: Further members.
    package init(
        requestor: RequestorID,
        resource: ResourceID,
        mvpd: MVPDID? = nil,
        expires: Timestamp,
        serializedToken: String,
        userID: String? = nil,
        unknownFields: [JSONField] = []
    ) {
        (self.requestor, self.resource, self.mvpd, self.expires) = (requestor, resource, mvpd, expires)
        (redactedToken, redactedUserID) = (Redacted(serializedToken), Redacted(userID))
        (faults, self.unknownFields) = ([], unknownFields)
    }

    /// Reads a body.
    ///
    /// - Parameter bytes: The whole body, JSON in UTF-8.
    /// - Throws: `ServiceResponseError` if the body is not this response.
    public init(parsing bytes: Span<UInt8>) throws(ServiceResponseError) {
        var body = try BodyObject(body: bytes)
        guard let token = try body.takeText("serializedToken", bytes) else {
            throw body.refusal(bytes, missing: "serializedToken")
        }
        redactedToken = Redacted(token)
        requestor = RequestorID(try body.requireIdentifier("requestor", bytes))
        resource = ResourceID(try body.requireIdentifier("resource", bytes))
        mvpd = try body.takeIdentifier("mvpdId", bytes).map(MVPDID.init)
        expires = try body.requireInstant("expires", bytes)
        redactedUserID = Redacted(try body.takeText("userId", bytes))
        faults = body.faults
        unknownFields = body.unknownFields(bytes)
    }
}

extension MediaTokenResponse: CustomStringConvertible {
    /// The requestor, the resource and the end, without the token and the subscriber.
    public var description: String {
        "unverified media token for requestor \(requestor.rawValue.printable), resource "
            + "\(resource.rawValue.printable), until \(expires)"
    }
}
