#if Client
import DeviceRecords
package import EntitlementValues

/// A user who is signed in as far as is known, with what the device's record held when that was found.
struct CurrentSignIn: Sendable {
    let signIn: SignIn
    let record: RequestorRecord

    var mvpd: MVPDID { signIn.mvpd }

    /// Whether it is temporary access, of which a second question could use up the budget twice.
    var isTemporary: Bool { signIn.isTemporary }

    /// Whether the record says already that the user is signed in.
    var isKnown: Bool { record.profile?.mvpd == mvpd }
}

/// How a request for authorization was decided, with the sign-in for which the broker was asked.
package enum Decided: Sendable {
    /// The user may watch.
    case permitted(AuthorizedPlayback, SignIn)
    /// The user may not watch; the error may say, too, that the user is not signed in any more.
    case denied(AuthorizationDenial, SignIn)
    /// No user is signed in, so the broker was not asked.
    case notSignedIn(ResourceID)
    /// It is not decided; the sign-in is `nil` if it could not be found out whether there is one.
    case failed(ResourceID, EntitlementFlowError, SignIn?)

    /// Whether a user who signs in would be decided about anew.
    ///
    /// Who has used temporary access up is told so, and chooses a provider the next time.
    package var asksForSignIn: Bool {
        switch self {
        case .notSignedIn: true
        case .denied(let denial, _): denial.endsSignIn && denial.error?.saysThatAccessIsUsedUp != true
        case .permitted, .failed: false
        }
    }

    /// The answer to the request.
    package var answer: Result<AuthorizationOutcome, EntitlementFlowError> {
        switch self {
        case .permitted(let playback, _): .success(.permitted(playback))
        case .denied(let denial, _): .success(.denied(denial))
        case .notSignedIn: .failure(.notAuthenticated)
        case .failed(_, let error, _): .failure(error)
        }
    }
}
#endif
