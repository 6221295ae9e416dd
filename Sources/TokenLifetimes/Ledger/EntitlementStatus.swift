public import EntitlementValues

/// Says how an entitlement stands at an instant.
public enum EntitlementStatus: Sendable, Hashable {
    /// Good, and for longer than the refresh margin.
    case valid(for: TimeToLive)
    /// Good, but for no longer than the refresh margin: ask for a new one.
    case expiring(in: TimeToLive)
    /// Over since an instant.
    ///
    /// That instant may lie ahead of a clock that was set back. Where the date could not be read, it is the instant of
    /// the recording.
    case expired(since: Timestamp)
    /// Good only later: the server's clock and this one differ, or it was meant so.
    case notYetValid(for: TimeToLive)
    /// Not in the ledger: never recorded, or invalidated since.
    case unknown

    /// Whether the entitlement is good now.
    public var isGood: Bool {
        switch self {
        case .valid, .expiring: true
        case .expired, .notYetValid, .unknown: false
        }
    }

    /// The stable name: what programs and log searches should look at.
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
