public import EntitlementValues
public import MetadataDecryption
import TextCodecs

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
    public let attributes: UserMetadata
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
        Profile(
            mvpd: mvpd,
            notBefore: notBefore,
            notAfter: notAfter,
            issuer: issuer,
            type: type,
            attributes: attributes.decrypted(with: decrypter),
            unknownFields: unknownFields
        )
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
