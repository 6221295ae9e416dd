public import EntitlementValues
import TextCodecs

/// The answer of `tokens/authz` (REST v1): a user may watch a resource until a given time.
public struct AuthorizationResponse: ServiceResponse {
    /// The brand that asked.
    public let requestor: RequestorID
    /// What the user may watch.
    public let resource: ResourceID
    /// The provider that authorized it.
    public let mvpd: MVPDID
    /// The proxy of the provider; `nil` if there is none.
    public let proxyMVPD: MVPDID?
    /// The first instant at which the authorization is not valid anymore.
    public let expires: Timestamp
    /// A warning if `expires` is not a plausible time; it was taken as sent.
    public let faults: [ServiceResponseError]
    /// Members that this library does not know, as they were sent.
    public let unknownFields: [JSONField]

    /// Makes an answer to be sent.
    package init(
        requestor: RequestorID,
        resource: ResourceID,
        mvpd: MVPDID,
        proxyMVPD: MVPDID? = nil,
        expires: Timestamp,
        unknownFields: [JSONField] = []
    ) {
        (self.requestor, self.resource, self.mvpd) = (requestor, resource, mvpd)
        (self.proxyMVPD, self.expires, self.unknownFields) = (proxyMVPD, expires, unknownFields)
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
        resource = ResourceID(try body.requireIdentifier("resource", bytes))
        mvpd = MVPDID(try body.requireIdentifier("mvpd", bytes))
        proxyMVPD = try body.takeText("proxyMvpd", bytes).flatMap { $0.isEmpty ? nil : MVPDID($0) }
        expires = try body.requireInstant("expires", bytes)
        faults = body.faults
        unknownFields = body.unknownFields(bytes)
    }
}

extension AuthorizationResponse: CustomStringConvertible {
    /// The requestor, the resource, the provider and the end.
    public var description: String {
        "authorization of \(resource.rawValue.printable) for requestor \(requestor.rawValue.printable) by "
            + "\(mvpd.rawValue.printable) until \(expires)"
    }
}
