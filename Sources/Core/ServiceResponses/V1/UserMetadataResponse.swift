public import EntitlementValues
public import MetadataDecryption

/// The answer of `usermetadata` (REST v1, also returned by SDKs): what a provider shared about a user.
///
/// A member of its own says which attributes are encrypted: a list of their names, or one bool for all. Without it, none
/// is encrypted.
public struct UserMetadataResponse: ServiceResponse {
    /// When the attributes last changed, sent in seconds or milliseconds; `nil` if the body does not say.
    public let updated: Timestamp?
    /// What the provider shared.
    public let attributes: UserMetadata
    /// An error if `updated` could not be read, or a warning if it is not a plausible time.
    public let faults: [ServiceResponseError]
    /// Members of the body that this library does not know, as they were sent.
    public let unknownFields: [JSONField]

    /// Makes an answer to be sent.
    package init(updated: Timestamp? = nil, attributes: UserMetadata, unknownFields: [JSONField] = []) {
        self.init(updated: updated, attributes: attributes, faults: [], unknownFields: unknownFields)
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

    private init(
        updated: Timestamp?,
        attributes: UserMetadata,
        faults: [ServiceResponseError],
        unknownFields: [JSONField]
    ) {
        (self.updated, self.attributes) = (updated, attributes)
        (self.faults, self.unknownFields) = (faults, unknownFields)
    }

    /// Decrypts the encrypted attributes.
    ///
    /// - Parameter decrypter: Has the private keys.
    /// - Returns: The same response. Each encrypted attribute has its decrypted value, or the error that prevented it.
    public func decrypted(with decrypter: MetadataDecrypter) -> UserMetadataResponse {
        UserMetadataResponse(
            updated: updated,
            attributes: attributes.decrypted(with: decrypter),
            faults: faults,
            unknownFields: unknownFields
        )
    }
}

extension UserMetadataResponse: CustomStringConvertible {
    /// The outcome of each attribute, without values.
    public var description: String { "user metadata (\(attributes))" }
}
