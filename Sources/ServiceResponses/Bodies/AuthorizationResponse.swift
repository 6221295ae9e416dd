import TextCodecs
public import EntitlementValues

/// A body of `tokens/authz` (REST v1): that a user may watch a resource, and until when that holds.
public struct AuthorizationResponse: ServiceResponse {
    /// The brand.
    public let requestor: RequestorID
    /// What was authorized.
    public let resource: ResourceID
    /// The provider.
    public let mvpd: MVPDID
    /// The proxy provider, where there is one.
    public let proxyMVPD: MVPDID?
    /// When it ends: at this instant it is over.
    public let expires: Timestamp
    /// Says where `expires` was taken as it stands, and cannot be meant.
    public let faults: [ServiceResponseError]
    /// Members that are not known here.
    public let unknownFields: [JSONField]

    /// Reads a body.
    ///
    /// - Throws: `ServiceResponseError` where the body is not this response.
    public init(parsing bytes: Span<UInt8>) throws(ServiceResponseError) {
        var body = try BodyObject(body: bytes)
        guard let requestor = try body.takeIdentifier("requestor", bytes) else {
            throw body.refusal(bytes, missing: "requestor")
        }
        self.requestor = RequestorID(requestor)
        resource = ResourceID(try body.requireIdentifier("resource", bytes))
        mvpd = MVPDID(try body.requireIdentifier("mvpd", bytes))
        proxyMVPD = try body.takeText("proxyMvpd", bytes).flatMap { $0.isEmpty ? nil : MVPDID($0) }
        expires = try body.requireInstant("expires", bytes)
        faults = body.faults
        unknownFields = body.unknownFields(bytes)
    }
}

extension AuthorizationResponse: CustomStringConvertible {
    /// Requestor, resource, provider and end.
    public var description: String {
        "authorization of \(resource.rawValue.printable) for requestor \(requestor.rawValue.printable) by "
            + "\(mvpd.rawValue.printable) until \(expires)"
    }
}
