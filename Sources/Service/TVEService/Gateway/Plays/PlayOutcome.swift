#if Service
import EntitlementFlows
import ServiceResponses

/// How a question for a resource or a profile ended, as a label of a metric.
package enum PlayOutcome: String, Sendable, CaseIterable {
    /// The provider has decided, or knows the user.
    case permitted
    /// A rule for the provider's failure has let the user in.
    case degraded
    /// The user has temporary access.
    case temporary
    /// The user may not.
    case denied
    /// There was no decision.
    case failed

    /// The outcome of a permit.
    ///
    /// - Parameter source: Who decided.
    init(permittedBy source: DecisionSource?) {
        self =
            switch source {
            case .degradation: .degraded
            case .temporaryAccess: .temporary
            default: .permitted
            }
    }

    /// The outcome of a question that was not permitted.
    ///
    /// - Parameter denial: Why not: without the provider's word, it is a failure.
    init(of denial: AuthorizationDenial) {
        self =
            switch GatewayFailure(denial).kind {
            case .denied, .usedUp, .notSignedIn: .denied
            default: .failed
            }
    }

    /// The outcome of a question for the profile.
    ///
    /// - Parameter type: The type of the profile that there is.
    init(profileOf type: ProfileType?) {
        self =
            switch type {
            case .degraded: .degraded
            case .temporary: .temporary
            default: .permitted
            }
    }
}
#endif
