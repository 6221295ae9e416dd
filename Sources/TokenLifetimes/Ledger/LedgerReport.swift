public import EntitlementValues

/// Says what a ledger noticed that somebody should look at, beside doing its work.
@nonexhaustive
public enum LedgerReport: Sendable, Hashable {
    /// The clock went back by more than the margin, from the latest instant that the ledger had seen.
    case clockJumpedBack(from: Timestamp, to: Timestamp)
    /// Something was recorded whose period no server can mean.
    case oddPeriod(Entitlement, PeriodFault)

    /// The stable name: what log searches should look at.
    public var code: String {
        switch self {
        case .clockJumpedBack: "clock_jumped_back"
        case .oddPeriod(_, let fault): fault.code
        }
    }
}

extension LedgerReport: CustomStringConvertible {
    /// One line for logs; names requestor, provider and resource, and no device.
    public var description: String {
        switch self {
        case .clockJumpedBack(let from, let to):
            "the clock went back by \(from.since(to)), from \(from) to \(to); what had expired stays expired"
        case .oddPeriod(let entitlement, let fault): "\(entitlement): \(fault)"
        }
    }
}
