#if Client
import EntitlementValues
import ServiceResponses

/// Who holds profiles: a device together with the credentials of the application on it.
struct ProfileHolder: Sendable, Hashable {
    let client: String
    let device: String
}

/// An identity that several devices share.
enum SharedIdentity: Sendable, Hashable {
    /// The subject of a service token, by its issuer.
    case serviceToken(issuer: String, subject: String)
    /// A platform's token, as it was sent.
    case platform(String)

    /// How a profile is called that another device got by the identity.
    var profileType: ProfileType {
        switch self {
        case .serviceToken: .serviceTokenSSO
        case .platform: .platformSSO
        }
    }
}

/// A user's sign-in with a provider, as the broker keeps it.
struct HeldProfile: Sendable, Hashable {
    let mvpd: MVPDID
    /// The user's name in the world.
    let user: String
    /// The user's id at the provider.
    let guid: String
    /// `regular`, or that of partner sign-on.
    let type: ProfileType
    let notBefore: Timestamp
    /// May be in the past from the start: the user `expired` has such profiles.
    var notAfter: Timestamp
    /// Whether the provider ended the sign-in; the broker finds out when it asks for a decision.
    var isInvalidated = false
    /// The code with which the user signed in; `nil` for partner sign-on and profiles granted by control.
    var code: String?

    func isLive(at now: Timestamp) -> Bool { notBefore <= now && now < notAfter }
}
#endif
