import TextCodecs
public import EntitlementValues
public import MetadataDecryption

/// What a provider vouches for: that a user signed in, for how long, and what is known of them.
public struct Profile: Sendable {
    /// The provider.
    public let mvpd: MVPDID
    /// From when on the profile is good.
    public let notBefore: Timestamp
    /// When it ends: at this instant it is over.
    public let notAfter: Timestamp
    /// Who owns the profile: the provider, or `Apple`.
    public let issuer: String?
    /// How the profile came about.
    public let type: ProfileType?
    /// What the provider shared.
    public let attributes: UserMetadata
    /// Members that are not known here.
    public let unknownFields: [JSONField]

    init(
        _ node: JSONNode,
        of mvpd: MVPDID,
        at path: JSONLocation,
        _ text: Span<UInt8>,
        _ faults: inout [ServiceResponseError]
    ) throws(ServiceResponseError) {
        var object = try BodyObject(node, at: path)
        self.mvpd = mvpd
        notBefore = try object.requireInstant("notBefore", text)
        notAfter = try object.requireInstant("notAfter", text)
        issuer = try object.takeText("issuer", text)
        type = try object.takeText("type", text).map(ProfileType.init)
        let places = try AttributePlaces.places(inProfile: &object, text)
        attributes = UserMetadata(places, text)
        unknownFields = object.unknownFields(text)
        faults += object.faults
    }

    private init(_ profile: Profile, attributes: UserMetadata) {
        (mvpd, notBefore, notAfter) = (profile.mvpd, profile.notBefore, profile.notAfter)
        (issuer, type, unknownFields) = (profile.issuer, profile.type, profile.unknownFields)
        self.attributes = attributes
    }

    /// Tells whether the profile is good at an instant.
    public func isValid(at now: Timestamp = .now) -> Bool {
        notBefore <= now && now < notAfter
    }

    /// The same profile, each encrypted attribute decrypted or with the reason why not.
    public func decrypted(with decrypter: MetadataDecrypter) -> Profile {
        Profile(self, attributes: attributes.decrypted(with: decrypter))
    }
}

extension Profile: CustomStringConvertible {
    /// Provider, times, and the outcome of each attribute; no value.
    public var description: String {
        "profile of \(mvpd.rawValue.printable) from \(notBefore) to \(notAfter) (\(attributes))"
    }
}

/// Names how a profile came about, in the service's words.
///
/// The set is open. Case counts.
public struct ProfileType: EntitlementIdentifier {
    /// As it stands on the wire.
    public let rawValue: String

    /// Takes the text as it is.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// The user signed in with the provider.
    public static let regular: ProfileType = "regular"
    /// Single sign-on through Apple.
    public static let appleSSO: ProfileType = "appleSSO"
    /// Single sign-on through the device's platform.
    public static let platformSSO: ProfileType = "platformSSO"
    /// Single sign-on through a service token of the programmer's.
    public static let serviceTokenSSO: ProfileType = "serviceTokenSSO"
}
