#if Client
import BrokerClient
package import DeviceRecords
package import EntitlementValues
package import ServiceResponses

/// What the broker decided, in memory only: what a preauthorization permitted, for 30 minutes at most, and what was
/// denied, for as long as it would be wrong to ask again.
///
/// It counts for the sign-in with which it was asked for. With another requestor, provider, profile or epoch, all is
/// forgotten. A denial that says to try again is not kept.
package struct PermitCache: Sendable {
    /// How long a permit is believed; the broker's documents name no time, so this is a choice.
    static let lifetime: Duration = .seconds(30 * 60)
    /// More permits than this are not kept.
    package static let capacity = 1024
    /// More denials than this are not kept.
    package static let denialCapacity = 256

    /// What was asked when a resource was denied: a denial answers no other question.
    package enum Question: Sendable, Hashable {
        case preauthorize, authorize

        /// For how long after a denial asking again would be wrong.
        ///
        /// Source: items P2 and Z2 of the acceptance report, which put figures to the operator's checklist.
        var pause: Duration { self == .preauthorize ? .seconds(60) : .seconds(10) }
    }

    private struct Denied: Hashable {
        let question: Question
        let resource: ResourceID
    }

    /// What permits and denials belong to.
    package struct SignInMark: Sendable, Hashable {
        let requestor: RequestorID
        let mvpd: MVPDID
        /// Logouts, cancelled sign-ins and new ones raise it.
        let epoch: Int64
        /// Counts the changes of the profile that this session saw.
        let generation: UInt64
        /// When the profile begins; `nil` if that is not known.
        ///
        /// It tells a change that another process saw.
        let notBefore: Timestamp?
    }

    /// Counts changes of the user's profile: what was permitted before the last one does not count.
    package private(set) var generation: UInt64 = 0
    private var mark: SignInMark?
    private var ends: [ResourceID: Duration] = [:]
    private var denials: [Denied: (end: Duration, decision: Decision)] = [:]

    package init() {}

    /// The sign-in of now, by what the record has.
    package func mark(requestor: RequestorID, mvpd: MVPDID, epoch: Int64, notBefore: Timestamp?) -> SignInMark {
        SignInMark(requestor: requestor, mvpd: mvpd, epoch: epoch, generation: generation, notBefore: notBefore)
    }

    /// Makes permits void if the sign-in is another one.
    package mutating func profileChanged(from before: ProfileHint?, to after: ProfileHint?) {
        switch (before, after) {
        case (nil, nil): return
        case (let before?, let after?) where before.isSameSignIn(as: after): return
        default: signInChanged()
        }
    }

    /// Makes permits void: the sign-in is another one.
    package mutating func signInChanged() { generation += 1 }

    /// Whether a permit for a resource is remembered; white space around the resource does not count.
    ///
    /// `mark` is the sign-in of now, and `uptime` the uptime of now.
    package func permits(_ resource: ResourceID, with mark: SignInMark, at uptime: Duration) -> Bool {
        guard self.mark == mark, let end = ends[resource.trimmed] else { return false }
        return uptime < end
    }

    /// Keeps permits, and forgets what those resources were permitted before.
    package mutating func replace(
        _ asked: [ResourceID],
        permitting permitted: [ResourceID],
        with mark: SignInMark,
        at uptime: Duration
    ) {
        belong(to: mark)
        for resource in asked { ends[resource.trimmed] = nil }
        ends = ends.filter { $0.value > uptime }
        for resource in permitted where ends.count < Self.capacity { ends[resource.trimmed] = uptime + Self.lifetime }
    }

    /// The denial of a resource that is remembered, as the broker said it; `nil` if the broker may be asked.
    package func denial(
        of resource: ResourceID,
        by question: Question,
        with mark: SignInMark,
        at uptime: Duration
    ) -> Decision? {
        guard self.mark == mark, let denial = denials[Denied(question: question, resource: resource.trimmed)]
        else { return nil }
        // The last instant of the pause is still too early to ask.
        return uptime <= denial.end ? denial.decision : nil
    }

    /// Keeps the denials among decisions, and forgets those of the resources that were asked about before.
    package mutating func replaceDenials(
        of asked: [ResourceID],
        by question: Question,
        with decisions: [Decision],
        _ mark: SignInMark,
        at uptime: Duration
    ) {
        belong(to: mark)
        for resource in asked { denials[Denied(question: question, resource: resource.trimmed)] = nil }
        denials = denials.filter { $0.value.end >= uptime }
        for decision in decisions where decision.isLastingDenial && denials.count < Self.denialCapacity {
            let denied = Denied(question: question, resource: decision.resource.trimmed)
            denials[denied] = (uptime + question.pause, decision)
        }
    }

    /// Forgets what belongs to another sign-in.
    private mutating func belong(to mark: SignInMark) {
        if self.mark != mark { (self.mark, ends, denials) = (mark, [:], [:]) }
    }

    /// Forgets all: the profile has changed, or the user has signed out.
    package mutating func removeAll() { (mark, ends, denials) = (nil, [:], [:]) }

    /// How many permits there are.
    package var count: Int { ends.count }

    /// How many denials there are.
    package var denialCount: Int { denials.count }
}

extension Decision {
    /// Whether asking again soon would change nothing.
    ///
    /// Not if the error says to try again, nor if it is about the request: smaller groups are another question.
    fileprivate var isLastingDenial: Bool {
        !isAuthorized && error?.actionOrDocumented != .retry && error?.code?.meaning != .resourcesBad
    }
}
#endif
