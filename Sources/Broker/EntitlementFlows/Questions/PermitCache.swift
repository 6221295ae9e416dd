#if Client
import BrokerClient
package import DeviceRecords
package import EntitlementValues

/// What a preauthorization permitted: permits only, in memory only, for 30 minutes at most.
///
/// A permit counts for the sign-in with which it was asked for. With another requestor, provider, profile or epoch, all are
/// forgotten.
package struct PermitCache: Sendable {
    /// How long a permit is believed; the broker's documents name no time, so this is a choice.
    static let lifetime: Duration = .seconds(30 * 60)
    /// More permits than this are not kept.
    package static let capacity = 1024

    /// What permits belong to.
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
        if self.mark != mark { (self.mark, ends) = (mark, [:]) }
        for resource in asked { ends[resource.trimmed] = nil }
        ends = ends.filter { $0.value > uptime }
        for resource in permitted where ends.count < Self.capacity { ends[resource.trimmed] = uptime + Self.lifetime }
    }

    /// Forgets all permits: the profile has changed, or the user has signed out.
    package mutating func removeAll() { (mark, ends) = (nil, [:]) }

    /// How many permits there are.
    package var count: Int { ends.count }
}
#endif
