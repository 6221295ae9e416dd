import TextCodecs
import EntitlementValues
public import MetadataDecryption

/// A body of `profiles` (REST v2): for each provider that the user signed in with, how long that holds and what the
/// provider shared.
///
/// ```swift
/// let response = try ProfilesResponse(parsing: body).decrypted(with: decrypter)
/// for profile in response.profiles where profile.isValid() {
///     let zip = try profile.attributes.zip
/// }
/// ```
///
/// Nothing in it is signed: it is worth as much as the connection that it came by.
public struct ProfilesResponse: ServiceResponse {
    /// The profiles, in the order of the body.
    public let profiles: [Profile]
    /// Why some profiles could not be read, which are then not among `profiles`, and times that cannot be meant.
    public let faults: [ServiceResponseError]
    /// Members of the body that are not known here.
    public let unknownFields: [JSONField]

    /// Reads a body.
    ///
    /// - Throws: `ServiceResponseError` where nothing can be had from it: it is not JSON, has no `profiles`, or is the
    ///   service's error object. A fault in one profile is among `faults` instead.
    public init(parsing bytes: Span<UInt8>) throws(ServiceResponseError) {
        var body = try BodyObject(body: bytes)
        guard let node = body.take("profiles") else { throw body.refusal(bytes, missing: "profiles") }
        let path = body.path + "profiles"
        try node.requireObject(at: path)
        var profiles: [Profile] = []
        var faults: [ServiceResponseError] = []
        for member in node.members {
            let mvpd = String(decoding: member.name, as: UTF8.self)
            do throws(ServiceResponseError) {
                profiles.append(try Profile(member.node, of: MVPDID(mvpd), at: path + mvpd, bytes, &faults))
            } catch {
                faults.append(error)
            }
        }
        self.init(profiles: profiles, faults: faults, unknownFields: body.unknownFields(bytes))
    }

    private init(profiles: [Profile], faults: [ServiceResponseError], unknownFields: [JSONField]) {
        (self.profiles, self.faults, self.unknownFields) = (profiles, faults, unknownFields)
    }

    /// The same response, each encrypted attribute decrypted or with the reason why not.
    public func decrypted(with decrypter: MetadataDecrypter) -> ProfilesResponse {
        ProfilesResponse(
            profiles: profiles.map { $0.decrypted(with: decrypter) },
            faults: faults,
            unknownFields: unknownFields
        )
    }
}

extension ProfilesResponse: CustomStringConvertible {
    /// The profiles and faults, no value of an attribute.
    public var description: String {
        (profiles.map(\.description) + faults.map(\.description)).joined(separator: "; ")
    }
}
