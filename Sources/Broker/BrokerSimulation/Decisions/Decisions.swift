#if Client
import BrokerMessages
public import EntitlementValues
public import ServiceResponses

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

extension Exchange {
    /// `POST /SP/decisions/authorize/MVPD`, for playback: decides, and orders a media token for what is permitted.
    ///
    /// `POST /SP/decisions/preauthorize/MVPD` says what would be permitted, for information.
    mutating func decide(
        for requestor: SimulatedRequestor,
        _ client: RegisteredClient,
        isForPlayback: Bool,
        _ state: inout SimulatorState
    ) throws(Refusal) -> AnswerPlan {
        let mvpd = try integration(MVPDID(route[.mvpd]), of: requestor, state.world)
        var resources = try requestedResources()
        self.resources = resources.count
        if !isForPlayback { resources.removeAll { $0 == Self.notGated } }
        let viewer = try viewer(of: mvpd, requestor, holder: holder(client), needsIdentity: isForPlayback)
        let question = DecisionQuestion(
            viewer: viewer, mvpd: mvpd, isForPlayback: isForPlayback, now: now, forced: forcedDecision)
        slowness = state.slowness(for: viewer, mvpd, at: now)
        let signed = (now + state.clock.issueTimeOffset).wholeSecond
        let lifetime = state.world.lifetimes.mediaToken
        let decisions = state.decide(resources, question).map { verdict in
            let order = MediaTokenOrder(
                requestor: requestor.id, resource: verdict.resource, mvpd: mvpd.id, proxy: mvpd.proxy, guid: "",
                signed: signed, lifetime: lifetime, fault: tokenDefect)
            return (verdict: verdict, order: order)
        }
        return .decisions(decisions, isForPlayback: isForPlayback)
    }

    /// A resource that preauthorization leaves out without a word, as the broker does with what is not gated.
    private static let notGated: ResourceID = "sim:not-gated"

    /// The resources in the body: at least one, none of them empty.
    private func requestedResources() throws(Refusal) -> [ResourceID] {
        let resources: [ResourceID]
        do throws(BrokerRequestError) {
            resources = try DecisionsRequest(parsing: body).resources
        } catch .tooMany {
            throw .code(.tooManyResources)
        } catch {
            throw .code(.invalidParameterResources)
        }
        guard !resources.isEmpty, resources.allSatisfy({ !$0.rawValue.isEmpty }) else {
            throw .code(.invalidParameterResources)
        }
        return resources
    }
}

extension SimulatorState {
    /// How long the provider takes for a decision about the viewer.
    func slowness(for viewer: Viewer, _ mvpd: SimulatedMVPD, at now: Timestamp) -> TimeToLive {
        guard let held = profile(of: viewer, with: mvpd, at: now)?.profile,
            world.user(held.user)?.behavior == .slow
        else { return .zero }
        return world.limits.slowness
    }
}

/// What a call asks about some resources.
struct DecisionQuestion: Sendable {
    let viewer: Viewer
    let mvpd: SimulatedMVPD
    /// Whether media tokens are wanted, and temporary access is used up.
    let isForPlayback: Bool
    let now: Timestamp
    /// An error for every resource, by a scenario.
    var forced: (code: EnhancedErrorCode, details: String?)?
}

extension SimulatorState {
    /// Decides about resources in their order.
    mutating func decide(_ resources: [ResourceID], _ question: DecisionQuestion) -> [Verdict] {
        let limit = question.isForPlayback ? world.limits.authorizedResources : world.limits.preauthorizedResources
        guard resources.count <= limit else { return resources.map { .denied($0, .tooManyResources) } }
        let verdicts = resources.map { decide($0, question) }
        if verdicts.contains(where: \.foundInvalidatedProfile),
            case .signedIn(let profile, _) = standing(of: question.viewer, with: question.mvpd, at: question.now),
            profile.isInvalidated
        {
            // Else the next session would say that the viewer is signed in, and no decision would ever agree.
            removeProfile(profile, of: question.viewer)
        }
        return verdicts
    }

    private mutating func decide(_ resource: ResourceID, _ question: DecisionQuestion) -> Verdict {
        if let magic = MagicResource(rawValue: resource.rawValue) {
            let source: DecisionSource = magic == .degradedNone ? .degradation : .mvpd
            return denied(resource, magic.code, by: source, asked: question)
        }
        if let forced = question.forced {
            return denied(resource, forced.code, by: .mvpd, asked: question, details: forced.details)
        }
        let guid: String
        var source = DecisionSource.mvpd
        var signIn: HeldProfile?
        let effect = world.rule(for: resource, of: question.viewer.requestor, question.mvpd.id)?.effect
        switch standing(of: question.viewer, with: question.mvpd, at: question.now) {
        // A rule for this resource lets everybody in, signed in or not.
        case .missing where effect == .admitAll, .expired where effect == .admitAll:
            (guid, source) = ("degraded \(question.viewer.holder.device)", .degradation)
        case .missing: return .denied(resource, .authenticatedProfileMissing)
        case .expired: return .denied(resource, .authenticatedProfileExpired)
        case .signedIn(let profile, _) where profile.isInvalidated && effect != .admitAll:
            return .denied(resource, .authenticatedProfileInvalidated)
        case .signedIn(let profile, _): (guid, signIn) = (profile.guid, profile)
        case .temporary(let balance): return decideTemporary(resource, with: balance, asked: question)
        case .degraded: (guid, source) = ("degraded \(question.viewer.holder.device)", .degradation)
        }
        switch effect {
        case .permitNone:
            return .denied(resource, .authorizationDeniedByDegradationRule, by: .degradation)
        case .deny(let code, let details): return denied(resource, code, by: .mvpd, asked: question, details: details)
        case .permitAll, .admitAll: source = .degradation
        case nil: break
        }
        var period: DecisionPeriod?
        if let signIn, source == .mvpd, question.isForPlayback {
            let key = DecisionKey(holder: question.viewer.holder, mvpd: question.mvpd.id, resource: resource)
            period = permit(key, for: signIn, at: question.now)
        }
        return Verdict(resource: resource, source: source, outcome: .permitted(guid: guid, period: period))
    }

    /// Temporary access permits everything until it is used up.
    ///
    /// A question before playback uses nothing up, and the answer is always yes, as the broker's is.
    private mutating func decideTemporary(
        _ resource: ResourceID,
        with balance: TrialBalance,
        asked question: DecisionQuestion
    ) -> Verdict {
        if question.isForPlayback {
            guard !balance.isOver(at: question.now) else {
                return .denied(resource, .temporaryAccessDurationLimitExceeded, by: .temporaryAccess)
            }
            guard balance.allows(resource) else {
                return .denied(resource, .temporaryAccessResourcesLimitExceeded, by: .temporaryAccess)
            }
            use(resource, of: question.viewer.trialKeys, at: question.now)
        }
        // No user is signed in: the device stands for the user.
        let guid = question.viewer.holder.device
        return Verdict(resource: resource, source: .temporaryAccess, outcome: .permitted(guid: guid, period: nil))
    }

    /// Asked before playback, a provider's denial has another code.
    private func denied(
        _ resource: ResourceID,
        _ code: EnhancedErrorCode,
        by source: DecisionSource,
        asked question: DecisionQuestion,
        details: String? = nil
    ) -> Verdict {
        let isPreauthorization = !question.isForPlayback && code == .authorizationDeniedByMVPD
        return .denied(
            resource, isPreauthorization ? .preauthorizationDeniedByMVPD : code, by: source, details: details)
    }
}

/// A resource id that brings one certain error, whatever the world says.
public enum MagicResource: String, Sendable, CaseIterable {
    /// The provider denies.
    case denied = "sim:deny"
    /// Parental controls deny.
    case deniedByParentalControls = "sim:deny-parental"
    /// The provider's rules for home-based authentication deny.
    case deniedByHomeRules = "sim:deny-hba"
    /// The provider does not answer in time.
    case timeout = "sim:timeout"
    /// The call asks for too many resources.
    case tooMany = "sim:too-many"
    /// A rule of the operator permits nothing.
    case degradedNone = "sim:degraded-none"

    /// The resource id.
    public var resource: ResourceID { ResourceID(rawValue) }

    /// The code of the error that `authorize` answers.
    public var code: EnhancedErrorCode {
        switch self {
        case .denied: .authorizationDeniedByMVPD
        case .deniedByParentalControls: .authorizationDeniedByParentalControls
        case .deniedByHomeRules: .authorizationDeniedByHBAPolicies
        case .timeout: .networkConnectionTimeout
        case .tooMany: .tooManyResources
        case .degradedNone: .authorizationDeniedByDegradationRule
        }
    }
}
#endif
