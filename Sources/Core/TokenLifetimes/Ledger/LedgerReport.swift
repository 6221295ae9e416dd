public import EntitlementValues

/// Something that a ledger noticed and an operator should look at; the ledger goes on with its work.
@nonexhaustive
public enum LedgerReport: Sendable, Hashable {
    /// The clock went back by more than the margin, from the latest instant that the ledger had seen.
    case clockJumpedBack(from: Timestamp, to: Timestamp)
    /// Something was recorded whose period a server cannot have intended.
    case oddPeriod(Entitlement, PeriodFault)

    /// The stable name, for log searches.
    public var code: String {
        switch self {
        case .clockJumpedBack: "clock_jumped_back"
        case .oddPeriod(_, let fault): fault.code
        }
    }
}

extension LedgerReport: CustomStringConvertible {
    /// One line for logs.
    ///
    /// It names requestor, provider and resource, and never the device.
    public var description: String {
        switch self {
        case .clockJumpedBack(let from, let to):
            "the clock went back by \(from.since(to)), from \(from) to \(to); what had expired stays expired"
        case .oddPeriod(let entitlement, let fault): "\(entitlement): \(fault)"
        }
    }
}

/// What is odd about a period that was recorded.
@nonexhaustive
public enum PeriodFault: Sendable, Hashable {
    /// The value cannot be milliseconds since 1970: it would lie before March 1973 or after the year 9999.
    ///
    /// Usually seconds or microseconds were sent.
    case notMilliseconds(field: String, Timestamp)
    /// The period ends before it begins: it is never good.
    case endsBeforeItBegins
    /// The end could not be read: it counts as expired.
    case unreadable

    /// The stable name of the fault.
    public var code: String {
        switch self {
        case .notMilliseconds: "not_milliseconds"
        case .endsBeforeItBegins: "ends_before_it_begins"
        case .unreadable: "unreadable_date"
        }
    }
}

extension PeriodFault: CustomStringConvertible {
    /// One line for logs.
    public var description: String {
        switch self {
        case .notMilliseconds(let field, let value):
            "\(field) is \(value.milliseconds), which cannot be milliseconds since 1970; seconds, perhaps"
        case .endsBeforeItBegins: "notAfter lies before notBefore, so it is never good"
        case .unreadable: "the expiry could not be read, so it counts as expired"
        }
    }
}
