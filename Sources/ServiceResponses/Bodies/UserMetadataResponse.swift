public import EntitlementValues
public import MetadataDecryption

/// A body of `usermetadata` (REST v1, and what SDKs hand over): what a provider shared about a user.
///
/// Which attributes are encrypted stands beside them: a list of their names, or one bool value for all; nothing means
/// none.
public struct UserMetadataResponse: ServiceResponse {
    /// When the attributes changed last, sent in seconds or in milliseconds; `nil` where the body does not say.
    public let updated: Timestamp?
    /// The attributes.
    public let attributes: UserMetadata
    /// Why `updated` could not be read, or cannot be meant.
    public let faults: [ServiceResponseError]
    /// Members of the body that are not known here.
    public let unknownFields: [JSONField]

    /// Reads a body.
    ///
    /// - Throws: `ServiceResponseError` where nothing can be had from it: it is not JSON, has no `data`, is the
    ///   service's error object, or does not say in known words what is encrypted.
    public init(parsing bytes: Span<UInt8>) throws(ServiceResponseError) {
        var body = try BodyObject(body: bytes)
        guard let data = body.take("data") else { throw body.refusal(bytes, missing: "data") }
        let marking = try EncryptedMarking(&body, bytes)
        attributes = UserMetadata(try AttributePlaces.places(inData: data, marking, bytes), bytes)
        do throws(ServiceResponseError) {
            updated = try body.takeInstant("updated", bytes, in: .secondsOrMilliseconds)
            faults = body.faults
        } catch {
            updated = nil
            faults = [error]
        }
        unknownFields = body.unknownFields(bytes)
    }

    private init(_ response: UserMetadataResponse, attributes: UserMetadata) {
        (updated, faults, unknownFields) = (response.updated, response.faults, response.unknownFields)
        self.attributes = attributes
    }

    /// The same response, each encrypted attribute decrypted or with the reason why not.
    public func decrypted(with decrypter: MetadataDecrypter) -> UserMetadataResponse {
        UserMetadataResponse(self, attributes: attributes.decrypted(with: decrypter))
    }
}

extension UserMetadataResponse: CustomStringConvertible {
    /// The outcome of each attribute, no value.
    public var description: String { "user metadata (\(attributes))" }
}
