import TextCodecs
public import EntitlementValues

/// A body of `mediatoken` (REST v1, also under `tokens/media`): a media token and what the service says of it.
///
/// ```swift
/// let response = try MediaTokenResponse(parsing: body)
/// let token = try response.verified(by: verifier, expecting: "REF30")
/// ```
public struct MediaTokenResponse: ServiceResponse {
    /// The brand.
    public let requestor: RequestorID
    /// What was authorized.
    public let resource: ResourceID
    /// The provider.
    public let mvpd: MVPDID?
    /// The last instant at which the token is good, by the word of the service.
    public let expires: Timestamp
    /// Says where `expires` was taken as it stands, and cannot be meant.
    public let faults: [ServiceResponseError]
    /// Members that are not known here.
    public let unknownFields: [JSONField]

    private let withheldToken: Redacted<String>
    private let withheldUserID: Redacted<String?>

    /// The token's text, which nobody has verified: Base64, as a media token verifier takes it.
    public var serializedToken: String { withheldToken.value }
    /// The subscriber, by a scrambled name.
    public var userID: String? { withheldUserID.value }

    /// Reads a body.
    ///
    /// - Throws: `ServiceResponseError` where the body is not this response.
    public init(parsing bytes: Span<UInt8>) throws(ServiceResponseError) {
        var body = try BodyObject(body: bytes)
        guard let token = try body.takeText("serializedToken", bytes) else {
            throw body.refusal(bytes, missing: "serializedToken")
        }
        withheldToken = Redacted(token)
        requestor = RequestorID(try body.requireIdentifier("requestor", bytes))
        resource = ResourceID(try body.requireIdentifier("resource", bytes))
        mvpd = try body.takeIdentifier("mvpdId", bytes).map(MVPDID.init)
        expires = try body.requireInstant("expires", bytes)
        withheldUserID = Redacted(try body.takeText("userId", bytes))
        faults = body.faults
        unknownFields = body.unknownFields(bytes)
    }
}

extension MediaTokenResponse: CustomStringConvertible {
    /// Requestor, resource and end; neither the token nor the subscriber.
    public var description: String {
        "media token, not verified, for requestor \(requestor.rawValue.printable), resource "
            + "\(resource.rawValue.printable), until \(expires)"
    }
}
