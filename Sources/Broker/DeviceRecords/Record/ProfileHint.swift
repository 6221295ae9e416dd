public import EntitlementValues
public import ServiceResponses
import TextCodecs

/// What is known of a user's profile: a hint, since the broker decides.
public struct ProfileHint: Sendable {
    /// The provider that the user signed in with.
    public let mvpd: MVPDID
    /// The profile as the broker sent it; `nil` if only its existence is known, from a decision that was made.
    ///
    /// Attributes that were sent encrypted stay so.
    public let profile: Profile?
    /// Members that this library does not know, from a newer release.
    let unknownFields: [JSONField]
    /// The profile's JSON, by which two hints are compared.
    private let json: Redacted<[UInt8]>

    /// Takes a profile that the broker sent.
    ///
    /// - Parameter profile: The profile.
    public init(_ profile: Profile) {
        self.init(profile.mvpd, profile, encoded: ProfilesResponse(profiles: [profile]).encoded(), unknownFields: [])
    }

    /// Says that there is a profile, of which neither end nor attributes are known.
    ///
    /// - Parameter mvpd: The provider.
    public init(ofUnknownEnd mvpd: MVPDID) { self.init(mvpd, nil, encoded: [], unknownFields: []) }

    init(_ mvpd: MVPDID, _ profile: Profile?, encoded: [UInt8], unknownFields: [JSONField]) {
        (self.mvpd, self.profile, self.unknownFields) = (mvpd, profile, unknownFields)
        json = Redacted(encoded)
    }

    /// The first instant at which the profile is valid; `nil` if that is not known.
    public var notBefore: Timestamp? { profile?.notBefore }
    /// The first instant at which the profile is not valid anymore; `nil` if that is not known.
    public var notAfter: Timestamp? { profile?.notAfter }

    /// The profile as the broker sends it; empty if it is not known.
    var encodedProfile: [UInt8] { json.value }
}

extension ProfileHint: Hashable {
    /// Compares what the broker sent.
    public static func == (one: Self, other: Self) -> Bool {
        one.mvpd == other.mvpd && one.json == other.json && one.unknownFields == other.unknownFields
    }

    /// Hashes what the broker sent.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(mvpd)
        hasher.combine(json)
    }
}

extension ProfileHint: CustomStringConvertible {
    /// The provider and the times, without values.
    public var description: String {
        profile?.description ?? "profile of \(mvpd.rawValue.printable) of unknown end"
    }
}
