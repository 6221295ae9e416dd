public import EntitlementValues
public import MetadataDecryption
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

/// The answer of `usermetadata` (REST v1, also returned by SDKs): what a provider shared about a user.
///
/// A member of its own says which attributes are encrypted: a list of their names, or one bool for all. Without it, none
/// is encrypted.
public struct UserMetadataResponse: ServiceResponse {
    /// When the attributes last changed, sent in seconds or milliseconds; `nil` if the body does not say.
    public let updated: Timestamp?
    /// What the provider shared.
    public private(set) var attributes: UserMetadata
    /// An error if `updated` could not be read, or a warning if it is not a plausible time.
    public let faults: [ServiceResponseError]
    /// Members of the body that this library does not know, as they were sent.
    public let unknownFields: [JSONField]

    /// Makes an answer to be sent.
    package init(updated: Timestamp? = nil, attributes: UserMetadata, unknownFields: [JSONField] = []) {
        (self.updated, self.attributes, self.unknownFields) = (updated, attributes, unknownFields)
        faults = []
    }

    /// Reads a body.
    ///
    /// - Parameter bytes: The whole body, JSON in UTF-8.
    /// - Throws: `ServiceResponseError` if the body is not JSON, has no `data`, is the service's error object, or does not
    ///   say in a known form which attributes are encrypted.
    public init(parsing bytes: Span<UInt8>) throws(ServiceResponseError) {
        var body = try BodyObject(body: bytes)
        guard let data = body.take("data") else { throw body.refusal(bytes, missing: "data") }
        let marking = try EncryptedMarking(&body, bytes)
        attributes = UserMetadata(try AttributePlaces.places(inData: data, marking, bytes), in: bytes)
        do throws(ServiceResponseError) {
            updated = try body.takeInstant("updated", bytes, in: .secondsOrMilliseconds)
            faults = body.faults
        } catch {
            updated = nil
            faults = [error]
        }
        unknownFields = body.unknownFields(bytes)
    }

    /// Decrypts the encrypted attributes.
    ///
    /// - Parameter decrypter: Has the private keys.
    /// - Returns: The same response. Each encrypted attribute has its decrypted value, or the error that prevented it.
    public func decrypted(with decrypter: MetadataDecrypter) -> UserMetadataResponse {
        var decrypted = self
        decrypted.attributes = attributes.decrypted(with: decrypter)
        return decrypted
    }
}

extension UserMetadataResponse: CustomStringConvertible {
    /// The outcome of each attribute, without values.
    public var description: String { "user metadata (\(attributes))" }
}
