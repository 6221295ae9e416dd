import TextCodecs
public import EntitlementValues

/// A body of `tokens/authn` (REST v1): that a user signed in, and until when that holds.
public struct AuthenticationResponse: ServiceResponse {
    /// The brand.
    public let requestor: RequestorID
    /// The provider.
    public let mvpd: MVPDID
    /// When it ends: at this instant it is over.
    public let expires: Timestamp
    /// Says where `expires` was taken as it stands, and cannot be meant.
    public let faults: [ServiceResponseError]
    /// Members that are not known here.
    public let unknownFields: [JSONField]

    private let withheldUserID: Redacted<String?>

    /// The subscriber, by the provider's name for them.
    public var userID: String? { withheldUserID.value }

    /// Reads a body.
    ///
    /// - Throws: `ServiceResponseError` where the body is not this response.
    public init(parsing bytes: Span<UInt8>) throws(ServiceResponseError) {
        var body = try BodyObject(body: bytes)
        guard let requestor = try body.takeIdentifier("requestor", bytes) else {
            throw body.refusal(bytes, missing: "requestor")
        }
        self.requestor = RequestorID(requestor)
        mvpd = MVPDID(try body.requireIdentifier("mvpd", bytes))
        expires = try body.requireInstant("expires", bytes)
        withheldUserID = Redacted(try body.takeText("userId", bytes))
        faults = body.faults
        unknownFields = body.unknownFields(bytes)
    }
}

extension AuthenticationResponse: CustomStringConvertible {
    /// Requestor, provider and end; not the subscriber.
    public var description: String {
        "authentication for requestor \(requestor.rawValue.printable) by \(mvpd.rawValue.printable) until \(expires)"
    }
}
