#if Client
import ServiceResponses

extension EnhancedError {
    /// Whether the error says that the user is not signed in, or not anymore.
    var saysNoProfile: Bool {
        switch code {
        case .authenticatedProfileMissing?, .authenticatedProfileExpired?, .authenticatedProfileInvalidated?: true
        default: false
        }
    }

    /// Whether the error is a verdict about the user, which a call for decisions may bring for each resource or for all of
    /// them at once: it is not documented which.
    var isVerdict: Bool {
        guard let code = code?.rawValue else { return false }
        return Self.verdicts.contains { code.hasPrefix($0) }
    }

    private static let verdicts = [
        "authenticated_profile_", "authorization_denied_", "identity_not_recognized_", "preauthorization_denied_",
        "temporary_access_",
    ]
}
#endif
