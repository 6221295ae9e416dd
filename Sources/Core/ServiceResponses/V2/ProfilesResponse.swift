public import EntitlementValues
public import MetadataDecryption
import TextCodecs

/// The answer of `profiles` (REST v2): the user's sign-ins, one for each provider.
///
/// ```swift
/// let response = try ProfilesResponse(parsing: body).decrypted(with: decrypter)
/// for profile in response.profiles where profile.isValid() {
///     let zip = try profile.attributes.zip
/// }
/// ```
///
/// Nothing in it is signed. Trust it only as much as the connection that it came over.
public struct ProfilesResponse: ServiceResponse {
    /// The profiles, in the order of the body.
    public private(set) var profiles: [Profile]
    /// Errors of the profiles that could not be read and are not in `profiles`, and warnings about implausible times.
    ///
    /// Only the first 100 are listed; see ``faultCount``.
    public let faults: [ServiceResponseError]
    /// The number of all faults.
    public let faultCount: Int
    /// Members of the body that this library does not know, as they were sent.
    public let unknownFields: [JSONField]

    /// Reads a body.
    ///
    /// - Parameter bytes: The whole body, JSON in UTF-8.
    /// - Throws: `ServiceResponseError` if the body is not JSON, has no `profiles`, has more than
    ///   ``ResponseLimits`` allow, or is the service's error object. An error in one profile is not thrown; it is in
    ///   `faults`.
    public init(parsing bytes: Span<UInt8>) throws(ServiceResponseError) {
        try self.init(BodyObject(body: bytes), bytes)
    }

    /// Reads a body that is part of a larger text, `bytes`.
    ///
    /// Throws if the body is not this response.
    package init(_ body: BodyObject, _ bytes: Span<UInt8>) throws(ServiceResponseError) {
        var body = body
        guard let node = body.take("profiles") else { throw body.refusal(bytes, missing: "profiles") }
        let path = body.path + "profiles"
        try node.requireObject(at: path)
        try ResponseLimits.check(node.members.count, at: path)
        var profiles: [Profile] = []
        var faults = ResponseFaults()
        var attributeCount = 0
        for member in node.members {
            let mvpd = member.name
            do throws(ServiceResponseError) {
                var warnings: [ServiceResponseError] = []
                let profile = try Profile(
                    member.node, of: MVPDID(mvpd), at: path + mvpd, in: bytes, faults: &warnings)
                profiles.append(profile)
                attributeCount += profile.attributes.entries.count
                faults.append(contentsOf: warnings)
            } catch {
                faults.append(error)
            }
            try ResponseLimits.check(attributeCount, at: path)
        }
        self.profiles = profiles
        (self.faults, faultCount) = (faults.first, faults.count)
        unknownFields = body.unknownFields(bytes)
    }

    /// Makes an answer to be sent, with profiles each of another provider: the body is a map by provider.
    package init(profiles: [Profile], unknownFields: [JSONField] = []) {
        (self.profiles, self.unknownFields) = (profiles, unknownFields)
        (faults, faultCount) = ([], 0)
    }

    /// The same response with only the profiles for which `isKept` is true.
    package func keeping(_ isKept: (Profile) -> Bool) -> ProfilesResponse {
        var kept = self
        kept.profiles = profiles.filter(isKept)
        return kept
    }

    /// Decrypts the encrypted attributes of all profiles.
    ///
    /// - Parameter decrypter: Has the private keys.
    /// - Returns: The same response. Each encrypted attribute has its decrypted value, or the error that prevented it.
    public func decrypted(with decrypter: MetadataDecrypter) -> ProfilesResponse {
        var decrypted = self
        decrypted.profiles = profiles.map { $0.decrypted(with: decrypter) }
        return decrypted
    }
}

extension ProfilesResponse: CustomStringConvertible {
    /// The profiles and faults, without values of attributes.
    public var description: String {
        (profiles.map(\.description) + faults.map(\.description)).joined(separator: "; ")
    }
}

/// A user's sign-in with a provider: how long it is valid, and what the provider shared about the user.
public struct Profile: Sendable {
    /// The provider that the user signed in with.
    public let mvpd: MVPDID
    /// The first instant at which the profile is valid.
    public let notBefore: Timestamp
    /// The first instant at which the profile is not valid anymore.
    public let notAfter: Timestamp
    /// Who issued the profile: the provider, `Apple`, or the service itself if it is degraded or temporary.
    public let issuer: String?
    /// How the user got the profile.
    public let type: ProfileType?
    /// What the provider shared about the user.
    public private(set) var attributes: UserMetadata
    /// Members that this library does not know, as they were sent.
    public let unknownFields: [JSONField]

    /// Makes a profile to be sent.
    package init(
        mvpd: MVPDID,
        notBefore: Timestamp,
        notAfter: Timestamp,
        issuer: String? = nil,
        type: ProfileType? = nil,
        attributes: UserMetadata = UserMetadata([]),
        unknownFields: [JSONField] = []
    ) {
        (self.mvpd, self.notBefore, self.notAfter) = (mvpd, notBefore, notAfter)
        (self.issuer, self.type) = (issuer, type)
        (self.attributes, self.unknownFields) = (attributes, unknownFields)
    }

    init(
        _ node: JSONNode,
        of mvpd: MVPDID,
        at path: JSONLocation,
        in text: Span<UInt8>,
        faults: inout [ServiceResponseError]
    ) throws(ServiceResponseError) {
        var object = try BodyObject(node, at: path)
        self.mvpd = mvpd
        notBefore = try object.requireInstant("notBefore", text)
        notAfter = try object.requireInstant("notAfter", text)
        issuer = try object.takeText("issuer", text)
        type = try object.takeText("type", text).map(ProfileType.init)
        let places = try AttributePlaces.places(inProfile: &object, text)
        attributes = UserMetadata(places, in: text)
        unknownFields = object.unknownFields(text)
        faults += object.faults
    }

    /// Whether the profile is valid at an instant.
    ///
    /// - Parameter now: The instant.
    /// - Returns: `true` from `notBefore` on, until just before `notAfter`.
    public func isValid(at now: Timestamp = .now) -> Bool {
        notBefore <= now && now < notAfter
    }

    /// Decrypts the encrypted attributes.
    ///
    /// - Parameter decrypter: Has the private keys.
    /// - Returns: The same profile. Each encrypted attribute has its decrypted value, or the error that prevented it.
    public func decrypted(with decrypter: MetadataDecrypter) -> Profile {
        var decrypted = self
        decrypted.attributes = attributes.decrypted(with: decrypter)
        return decrypted
    }
}

extension Profile: CustomStringConvertible {
    /// The provider, the times and the outcome of each attribute, without values.
    public var description: String {
        "profile of \(mvpd.rawValue.printable) from \(notBefore) to \(notAfter) (\(attributes))"
    }
}

/// How a user got a profile, by the service's name.
///
/// The service may add names at any time. Upper and lower case are different.
public struct ProfileType: EntitlementIdentifier {
    /// The name as it is written on the wire.
    public let rawValue: String

    /// Makes a type from its name, unchanged.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// The user signed in with the provider.
    public static let regular: ProfileType = "regular"
    /// Single sign-on through Apple.
    public static let appleSSO: ProfileType = "appleSSO"
    /// Single sign-on through the device's platform.
    public static let platformSSO: ProfileType = "platformSSO"
    /// Single sign-on through a service token of the programmer.
    public static let serviceTokenSSO: ProfileType = "serviceTokenSSO"
    /// The provider cannot be asked, and a rule lets the user in without signing in.
    public static let degraded: ProfileType = "degraded"
    /// The user has temporary access without signing in.
    public static let temporary: ProfileType = "temporary"
}
