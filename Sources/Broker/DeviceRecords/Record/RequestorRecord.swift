public import BrokerMessages
public import EntitlementValues
import ServiceResponses

/// What is kept of a device for one requestor: profiles are not shared between requestors.
public struct RequestorRecord: Sendable, Hashable {
    /// How many decision times are kept; the oldest go first.
    public static let maximumDecisions = 64
    /// How many marks of logouts are kept; the oldest go first.
    public static let maximumLogouts = 32
    /// How many providers of further profiles are kept; the oldest go first.
    public static let maximumOtherProfiles = 8
    /// By how much the clocks of two hosts of a service may differ: a time that lies further ahead was written by a clock
    /// that leapt.
    static let maximumSkew = TimeToLive.minutes(1)

    /// Counts what makes earlier waits void: a new code, a cancelled sign-in, a logout.
    public internal(set) var epoch: Int64 = 0
    /// The provider that the user chose.
    public var provider: ChosenProvider?
    /// The provider with which the user signed in last; `nil` after a sign-in that failed, and after a logout.
    ///
    /// It outlives the profile: a profile that has ended is gone with the broker's next answer.
    public internal(set) var lastSignIn: MVPDID?
    /// What is known of the profile: a hint, since the broker decides.
    public internal(set) var profile: ProfileHint?
    /// The providers of further profiles that the broker has, and when that was known last.
    ///
    /// They are those that the user changed away from while signed in, and those that the broker named beside
    /// ``profile``. A logout at all providers reaches them.
    public internal(set) var otherProfiles: [MVPDID: Timestamp] = [:]
    /// When the broker was last asked for the profile; `nil` if it never was, so that nothing is known.
    public internal(set) var asked: Timestamp?
    /// The activation code that a sign-in is waiting for.
    public internal(set) var pendingCode: PendingCode?
    /// Who asks the broker whether that sign-in is done.
    public internal(set) var lease: PollingLease?
    /// Logouts that the broker has not confirmed.
    public internal(set) var logouts: [MVPDID: Timestamp] = [:]
    /// When resources were decided on, for questions about their lifetime; never a permission.
    public internal(set) var decisions: [DecisionTime] = []
    /// What the device's sign-on partner said, until it expires.
    public internal(set) var partner: PartnerStatusHint?
    /// The identity of the user with promotional temporary access.
    public var identity: TemporaryIdentity?
    /// Members that this library does not know, from a newer release.
    var unknownFields: [JSONField] = []

    /// Makes an empty record.
    public init() {}
}

extension RequestorRecord: CustomStringConvertible, CustomReflectable {
    /// Which parts the record has.
    public var description: String {
        let parts = [
            ("provider", provider != nil), ("profile", profile != nil), ("code", pendingCode != nil),
            ("lease", lease != nil), ("partner", partner != nil), ("identity", identity != nil),
        ]
        let names = parts.filter(\.1).map(\.0).joined(separator: ", ")
        return "requestor record with \(names.isEmpty ? "nothing" : names), \(decisions.count) decision times"
    }

    /// Shows which parts there are.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

/// When a resource was decided on, and how long the decision holds: for questions about lifetimes, never a permission.
public struct DecisionTime: Sendable, Hashable {
    /// The provider that decided.
    public let mvpd: MVPDID
    /// The resource.
    public let resource: ResourceID
    /// When it was decided.
    public let decided: Timestamp
    /// The first instant at which the decision does not hold anymore; `nil` if the broker did not say.
    public let notAfter: Timestamp?
    /// Members that this library does not know, from a newer release.
    var unknownFields: [JSONField] = []

    /// Describes a decision.
    ///
    /// - Parameters:
    ///   - resource: The resource.
    ///   - mvpd: The provider that decided.
    ///   - decided: When it was decided.
    ///   - notAfter: The first instant at which the decision does not hold anymore.
    public init(on resource: ResourceID, mvpd: MVPDID, decided: Timestamp, notAfter: Timestamp?) {
        (self.resource, self.mvpd, self.decided, self.notAfter) = (resource, mvpd, decided, notAfter)
    }

    func isAboutSame(as other: DecisionTime) -> Bool { resource == other.resource && mvpd == other.mvpd }
}
