#if Client
import ServiceResponses

// What an error of a decision says about the sign-in. The broker gives the action `authentication` also to denials that
// another sign-in could resolve; by its older codes those leave the user signed in.
extension EnhancedError {
    /// Whether the user does not count as signed in anymore.
    ///
    /// Home-based rules and a used-up budget of resources deny what was asked for, and other resources may be permitted
    /// still. Of codes that this library does not know, the action decides.
    var endsSignIn: Bool {
        switch code {
        case .authenticatedProfileMissing?, .authenticatedProfileExpired?, .authenticatedProfileInvalidated?,
            .authorizationDeniedBySessionInvalidated?, .identityNotRecognizedByMVPD?,
            .temporaryAccessDurationLimitExceeded?:
            true
        case .authorizationDeniedByHBAPolicies?, .temporaryAccessResourcesLimitExceeded?: false
        default: action == .authentication
        }
    }

    /// Whether the user is signed in for sure: the provider, or a rule in its place, has denied.
    var provesSignIn: Bool {
        guard let code, !endsSignIn else { return false }
        return code.rawValue.hasPrefix("authorization_denied_by_") || code == .preauthorizationDeniedByMVPD
    }
}
#endif
