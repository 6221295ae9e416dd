#if Client
package import ServiceResponses

/// What the broker's decisions say about the user's sign-in.
package enum SignInEvidence: Sendable, Hashable {
    /// The user is signed in.
    case signedIn
    /// The user is not signed in any more.
    case signedOut
    /// They do not say.
    case unclear

    /// Takes the decisions of one answer: one of them is enough, and that the user is not signed in counts for more.
    package init(of decisions: [Decision]) {
        if decisions.contains(where: { !$0.isAuthorized && $0.error?.endsSignIn == true }) {
            self = .signedOut
        } else if decisions.contains(where: { $0.isAuthorized || $0.error?.provesSignIn == true }) {
            self = .signedIn
        } else {
            self = .unclear
        }
    }
}

extension AuthorizationDenial {
    /// Whether the user is not signed in any more, by the broker's word.
    var endsSignIn: Bool { error?.endsSignIn ?? false }
}

// An error of a decision. The broker gives the action `authentication` also to denials that another sign-in could resolve;
// by its older codes those leave the user signed in.
extension EnhancedError {
    /// Whether the user does not count as signed in anymore.
    ///
    /// Home-based rules and a used-up budget of resources deny what was asked for, and other resources may be permitted
    /// still. For all others the action decides: the one that is documented for the code, or else the one that was
    /// sent.
    package var endsSignIn: Bool {
        switch code?.meaning {
        case .deniedAtHome?, .accessUsedUp?: false
        default: asks(for: .authentication)
        }
    }

    /// Whether the user is signed in for sure: the provider, or a rule in its place, has denied.
    package var provesSignIn: Bool {
        guard let code, !endsSignIn else { return false }
        return code.rawValue.hasPrefix("authorization_denied_by_") || code == .preauthorizationDeniedByMVPD
    }
}

// An error of a whole call.
extension EnhancedError {
    /// Whether temporary access is used up, so that the profile is gone.
    package var saysThatAccessIsUsedUp: Bool {
        code?.meaning == .accessTimeOver || code?.meaning == .accessUsedUp
    }

    /// Whether the broker does not know the provider, or the requestor has no agreement with it.
    ///
    /// The code of version 1 does not count.
    package var saysThatProviderIsUnknown: Bool {
        code?.meaning == .providerUnknown && code?.documentedAnswer != nil
    }

    /// Whether the broker does not know the code of a sign-in anymore.
    package var saysThatCodeHasEnded: Bool { code?.meaning == .codeEnded }
}
#endif
