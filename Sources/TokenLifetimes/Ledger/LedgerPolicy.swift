public import EntitlementValues

/// Sets the margins and the size of a ledger.
public struct LedgerPolicy: Sendable, Hashable {
    /// How long before its end an entitlement counts as expiring.
    public let refreshMargin: TimeToLive
    /// By how much a clock may go back before it counts as a jump: clocks are put right by seconds all the time.
    public let clockMargin: TimeToLive
    /// The most entitlements that are kept; one more is refused.
    public let capacity: Int

    /// 5 minutes of refresh margin, 60 seconds of clock margin, 1,048,576 entitlements.
    public static let standard = LedgerPolicy()

    private init() {
        refreshMargin = .minutes(5)
        clockMargin = .seconds(60)
        capacity = 1_048_576
    }

    /// Sets what differs from the standard policy.
    ///
    /// - Throws: `LedgerError.policy` where a margin is negative or the capacity is not positive.
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
