public import EntitlementValues

/// The margins and the size of a ledger.
public struct LedgerPolicy: Sendable, Hashable {
    /// How long before its end an entitlement counts as expiring.
    public let refreshMargin: TimeToLive
    /// How far a clock may go back without a report: clocks are corrected by seconds all the time.
    public let clockMargin: TimeToLive
    /// The maximum number of entitlements; one more is refused.
    public let capacity: Int

    /// 5 minutes of refresh margin, 60 seconds of clock margin, 1,048,576 entitlements.
    public static let standard = LedgerPolicy()

    private init() {
        refreshMargin = .minutes(5)
        clockMargin = .seconds(60)
        capacity = 1_048_576
    }

    /// Changes parts of the standard policy.
    ///
    /// - Parameters:
    ///   - refreshMargin: How long before its end an entitlement counts as expiring.
    ///   - clockMargin: How far a clock may go back without a report.
    ///   - capacity: The maximum number of entitlements.
    /// - Throws: `LedgerError.policy` if a margin is negative or the capacity is not positive.
    public init(
        refreshMargin: TimeToLive = standard.refreshMargin,
        clockMargin: TimeToLive = standard.clockMargin,
        capacity: Int = standard.capacity
    ) throws(LedgerError) {
        guard refreshMargin >= .zero else { throw .policy("the refresh margin is negative") }
        guard clockMargin >= .zero else { throw .policy("the clock margin is negative") }
        guard capacity > 0 else { throw .policy("the capacity is not above 0") }
        self.refreshMargin = refreshMargin
        self.clockMargin = clockMargin
        self.capacity = capacity
    }
}
