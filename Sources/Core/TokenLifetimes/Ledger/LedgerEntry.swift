public import EntitlementValues

/// An entry of a ledger: an entitlement and what is known of its lifetime.
public struct LedgerEntry: Sendable, Hashable {
    /// What was granted.
    public let entitlement: Entitlement
    /// When it is good.
    public let period: EntitlementPeriod
    /// The provider that vouches for it: the entitlement's own if no other was named.
    public let issuer: MVPDID
    /// The instant of the recording, by the ledger's time.
    public let recorded: Timestamp
    /// Whether it is good, by the ledger's time.
    public let status: EntitlementStatus
}

/// Whether an entitlement is good at an instant, and for how long.
public enum EntitlementStatus: Sendable, Hashable {
    /// Good, and for longer than the refresh margin.
    case valid(for: TimeToLive)
    /// Good, but for no longer than the refresh margin: ask for a new one.
    case expiring(in: TimeToLive)
    /// Expired since an instant.
    ///
    /// That instant may lie in the future of a clock that was set back. If the date could not be read, it is the
    /// instant of the recording.
    case expired(since: Timestamp)
    /// Good only later: either this is intended, or the server's clock and this one differ.
    case notYetValid(for: TimeToLive)
    /// Not in the ledger: never recorded, or erased since.
    case unknown

    /// Whether the entitlement is good now.
    public var isGood: Bool {
        switch self {
        case .valid, .expiring: true
        case .expired, .notYetValid, .unknown: false
        }
    }

    /// The stable name, for programs and log searches.
    public var code: String {
        switch self {
        case .valid: "valid"
        case .expiring: "expiring"
        case .expired: "expired"
        case .notYetValid: "not_yet_valid"
        case .unknown: "unknown"
        }
    }
}

extension EntitlementStatus: CustomStringConvertible {
    /// One line for people.
    public var description: String {
        switch self {
        case .valid(let time): "valid for \(time)"
        case .expiring(let time): "expiring in \(time)"
        case .expired(let instant): "expired since \(instant)"
        case .notYetValid(let time): "not yet valid for \(time)"
        case .unknown: "unknown"
        }
    }
}

/// What a ledger did with a grant.
public enum RecordOutcome: String, Sendable, Hashable {
    /// The grant is in the ledger, and has replaced an earlier one if there was one.
    case recorded
    /// The grant in the ledger begins later: this one came late, and was dropped.
    case superseded
    /// The requestor's list does not allow the issuer.
    case issuerNotAllowed = "issuer_not_allowed"
    /// The grant is bound to a device other than the ledger's.
    case otherDevice = "other_device"
}
