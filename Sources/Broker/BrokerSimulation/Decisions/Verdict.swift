#if Client
import EntitlementValues
import ServiceResponses

/// What is decided about one resource, before a media token is signed for it.
struct Verdict: Sendable, Hashable {
    enum Outcome: Sendable, Hashable {
        /// Permitted; the text is the provider's id of the user, for the media token.
        case permitted(guid: String, period: DecisionPeriod?)
        case denied(EnhancedErrorCode, details: String?)
    }

    let resource: ResourceID
    let source: DecisionSource
    let outcome: Outcome

    static func denied(
        _ resource: ResourceID,
        _ code: EnhancedErrorCode,
        by source: DecisionSource = .mvpd,
        details: String? = nil
    ) -> Verdict {
        Verdict(resource: resource, source: source, outcome: .denied(code, details: details))
    }

    var foundInvalidatedProfile: Bool {
        if case .denied(.authenticatedProfileInvalidated, _) = outcome { true } else { false }
    }
}

/// From when until when a provider's answer counts.
struct DecisionPeriod: Sendable, Hashable {
    let notBefore: Timestamp
    let notAfter: Timestamp
}

/// Which decision is kept.
struct DecisionKey: Sendable, Hashable {
    let holder: ProfileHolder
    let mvpd: MVPDID
    let resource: ResourceID
}

/// A permit of a provider, which counts until its end without asking again.
typealias CachedDecision = DecisionPeriod

extension SimulatorState {
    /// The provider's permit for a resource: the one that still counts, or a new one.
    ///
    /// It is given to a sign-in: it is not older, and does not last longer.
    mutating func permit(_ key: DecisionKey, for profile: HeldProfile, at now: Timestamp) -> DecisionPeriod {
        if let cached = decisions[key], cached.notBefore >= profile.notBefore, cached.notBefore <= now,
            cached.notAfter <= profile.notAfter, now < cached.notAfter
        {
            return cached
        }
        let end = min(now + world.lifetimes.decision, profile.notAfter)
        let period = DecisionPeriod(notBefore: now, notAfter: end)
        decisions[key] = period
        return period
    }

    /// Forgets what a provider permitted to a device.
    mutating func forgetDecisions(of holder: ProfileHolder, _ mvpd: MVPDID) {
        decisions = decisions.filter { $0.key.holder != holder || $0.key.mvpd != mvpd }
    }
}
#endif
