#if Client
import BrokerClient
import DeviceRecords
public import EntitlementValues
public import ServiceResponses
import TextCodecs

/// What a user would be allowed to watch: for marks in a list, never for playback.
public struct Preauthorization: Sendable, Hashable {
    /// The answers, one for each resource of the call, in its order.
    public let answers: [PreauthorizedResource]

    /// The resources that would be permitted, in the order of the call.
    public var permitted: [ResourceID] { answers.filter(\.isPermitted).map(\.resource) }

    /// The resources that the broker's answer leaves out, in the order of the call; see
    /// ``PreauthorizedResource/isNotMentioned``.
    public var notMentioned: [ResourceID] { answers.filter(\.isNotMentioned).map(\.resource) }

    /// Describes answers.
    ///
    /// - Parameter answers: The answers, in the order of the call.
    public init(_ answers: [PreauthorizedResource]) { self.answers = answers }

    /// Merges what was permitted before with what the broker has decided, in the order of the call.
    ///
    /// `remembered` are resources without white space around them, about which the broker was not asked; what it denied
    /// before is a decision. What it did not decide about is not permitted; it is not mentioned if all of the answer could
    /// be read.
    package init(
        of resources: [ResourceID],
        remembering remembered: Set<ResourceID>,
        isWhole: Bool = true,
        deciding decision: (ResourceID) -> Decision?
    ) {
        self.init(
            resources.map { resource in
                if remembered.contains(resource.trimmed) {
                    return PreauthorizedResource(resource, isPermitted: true, isCached: true)
                }
                let decided = decision(resource)
                return PreauthorizedResource(
                    resource, isPermitted: decided?.isAuthorized ?? false, isNotMentioned: isWhole && decided == nil,
                    because: decided?.error)
            })
    }
}

/// The answer about one resource of a preauthorization.
public struct PreauthorizedResource: Sendable, Hashable {
    /// The resource, as it was asked for.
    public let resource: ResourceID
    /// Whether the user would be allowed to watch it.
    public let isPermitted: Bool
    /// Whether the answer is a permit that the session remembered.
    public let isCached: Bool
    /// Whether the broker's answer leaves the resource out: as a rule it is not gated, so no user needs a permit for it.
    ///
    /// It is neither permitted nor denied; ask with ``EntitlementSession/checkAuthorization(_:)`` before a play as ever.
    /// Source: answers of the real broker.
    public let isNotMentioned: Bool
    /// The broker's error; `nil` for a permit, or if the broker denied without one or did not decide.
    public let error: EnhancedError?

    /// Describes an answer.
    ///
    /// - Parameters:
    ///   - resource: The resource, as it was asked for.
    ///   - isPermitted: Whether the user would be allowed to watch it.
    ///   - isCached: Whether the answer is a permit that the session remembered.
    ///   - isNotMentioned: Whether the broker's answer leaves the resource out.
    ///   - error: The broker's error.
    public init(
        _ resource: ResourceID,
        isPermitted: Bool,
        isCached: Bool = false,
        isNotMentioned: Bool = false,
        because error: EnhancedError? = nil
    ) {
        (self.resource, self.isPermitted, self.isCached) = (resource, isPermitted, isCached)
        (self.isNotMentioned, self.error) = (isNotMentioned, error)
    }
}

extension PreauthorizedResource: CustomStringConvertible, CustomReflectable {
    /// The resource, the answer and the code, without texts for people.
    public var description: String {
        let name = resource.rawValue.printable
        if isNotMentioned { return "\(name): not mentioned" }
        return isPermitted ? "\(name): permitted" : "\(name): denied, \(error?.code?.shown ?? "no code")"
    }

    /// Shows what the description does.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension EntitlementSession {
    /// Asks what the user would be allowed to watch, with the broker's reasons.
    ///
    /// It never replaces ``checkAuthorization(_:)`` before playback. Until the sign-in ends, and in this process, permits
    /// are remembered for 30 minutes at most, and denials for a minute, unless the broker says to try again: to ask
    /// sooner would fail the operator's checklist. Nothing is told.
    ///
    /// - Parameters:
    ///   - resources: What is in the list. White space around a resource does not tell it from another.
    ///   - usingCache: Whether what is remembered counts (`LOCAL_CACHE`). The second switch of the operator's
    ///     library, `REMOTE_CACHE`, has no counterpart in the broker's API.
    ///   - groupSize: The most resources in one request, at least 1. The broker usually takes five; what it does not take
    ///     is answered with the error `too_many_resources`.
    /// - Returns: One answer for each resource, in the order of the call.
    /// - Throws: `EntitlementFlowError`; `.notAuthenticated` if the user is not signed in, `.superseded` if the user was
    ///   signed out meanwhile, `.broker` if a call failed.
    public func preauthorize(
        _ resources: [ResourceID],
        usingCache: Bool = true,
        groupSize: Int = 5
    ) async throws(EntitlementFlowError) -> Preauthorization {
        try await preauthorize(resources, usingCache: usingCache, groupSize: groupSize, in: newContext())
    }

    /// Asks which resources the user would be allowed to watch, as the operator's library did it.
    ///
    /// The answer is told as ``SessionEvent/preauthorized(_:)`` in any case. If the user is not signed in, or a call
    /// fails, the list is empty, and a status tells the reason (`N000`, `P100`; after a `setRequestor` that failed, `CFG…` as
    /// well); ``preauthorize(_:usingCache:groupSize:)`` throws instead.
    ///
    /// - Parameters:
    ///   - resources: What is in the list.
    ///   - cache: Whether what is remembered counts; without, the broker is asked for all.
    /// - Returns: The resources that are permitted, in the order of the call.
    @discardableResult
    public func checkPreauthorizedResources(_ resources: [ResourceID], cache: Bool = true) async -> [ResourceID] {
        let context = newContext()
        do throws(EntitlementFlowError) {
            let answer = try await preauthorize(resources, usingCache: cache, groupSize: 5, in: context)
            tell(telling(context).preauthorized(answer), context)
            return answer.permitted
        } catch {
            tell(telling(context).preauthorizationFailed(error), context)
            return []
        }
    }

    private func preauthorize(
        _ resources: [ResourceID],
        usingCache: Bool,
        groupSize: Int,
        in context: CallContext
    ) async throws(EntitlementFlowError) -> Preauthorization {
        try await requestorCommand(in: context) { call throws(EntitlementFlowError) in
            try await preauthorization(of: resources, usingCache: usingCache, groupSize: groupSize, call)
        }
    }

    private func preauthorization(
        of resources: [ResourceID],
        usingCache: Bool,
        groupSize: Int,
        _ call: SessionCall
    ) async throws(EntitlementFlowError) -> Preauthorization {
        guard let current = try await currentSignIn(call) else { throw .notAuthenticated }
        let mark = permitMark(of: current, call)
        let uptime = application.time.uptime
        let remembered = Set(
            usingCache ? resources.map(\.trimmed).filter { state.permits.permits($0, with: mark, at: uptime) } : [])
        var denials: [ResourceID: Decision] = [:]
        if usingCache {
            for resource in resources.map(\.trimmed) {
                denials[resource] = state.permits.denial(of: resource, by: .preauthorize, with: mark, at: uptime)
            }
        }
        let open = resources.filter { !remembered.contains($0.trimmed) && denials[$0.trimmed] == nil }
        let answers: ResourceDecisions? =
            try await open.isEmpty ? nil : preauthorizations(of: open, groupSize: groupSize, current, call)
        // An answer that could not be read was about one of the resources.
        return Preauthorization(of: resources, remembering: remembered, isWhole: answers?.faults.isEmpty ?? true) {
            answers?[$0] ?? denials[$0.trimmed]
        }
    }

    /// Asks the broker, and remembers what it permits and denies.
    private func preauthorizations(
        of resources: [ResourceID],
        groupSize: Int,
        _ current: CurrentSignIn,
        _ call: SessionCall
    ) async throws(EntitlementFlowError) -> ResourceDecisions {
        let (caller, asked) = access.question(about: current.mvpd, in: current.record, call)
        let answers: ResourceDecisions
        do throws(BrokerError) {
            answers = try await caller.preauthorize(
                resources, mvpd: current.mvpd, requestor: call.requestor, isTemporary: current.isTemporary,
                groupSize: groupSize)
        } catch {
            application.shared.notePromotional(current.mvpd, by: error, identity: current.record.identity)
            throw EntitlementFlowError(error)
        }
        let decisions = answers.decisions
        let evidence = SignInEvidence(of: decisions)
        try await keep(evidence, of: current, asked, call)
        guard evidence != .signedOut else { throw .notAuthenticated }
        let (mark, uptime) = (permitMark(of: current, call), application.time.uptime)
        let decided = answers.failure == nil ? resources : decisions.map(\.resource)
        state.remember(decisions.filter(\.isAuthorized).map(\.resource), of: decided, with: mark, at: uptime)
        state.rememberDenials(of: decided, by: .preauthorize, with: decisions, mark, at: uptime)
        // What was decided is remembered: another attempt asks for the rest.
        if let failure = answers.failure { throw EntitlementFlowError(failure) }
        return answers
    }

    /// The sign-in that permits and denials belong to.
    func permitMark(of current: CurrentSignIn, _ call: SessionCall) -> PermitCache.SignInMark {
        state.permits.mark(
            requestor: call.requestor, mvpd: current.mvpd, epoch: current.record.epoch,
            notBefore: current.record.profile?.notBefore)
    }
}
#endif
