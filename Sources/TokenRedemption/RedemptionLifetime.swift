package import EntitlementValues

/// Says how long a store with a clock of its own keeps a redemption.
///
/// Two clocks count, the verification's and the store's, and both may be wrong or stand elsewhere in time. So a redemption is
/// kept until its end has passed by the store's clock *and* as much time has passed there as the verification wanted. Once
/// redemptions are dropped, the store refuses every unknown redemption that ends no later than one of them: by whatever clock it
/// comes, it may have been among them.
package enum RedemptionLifetime {
    /// An archive is verified as of long ago, in any order, and in less than a day.
    private static let archive = TimeToLive.hours(24)

    /// The instant, by the store's clock, from which the redemption may be dropped.
    package static func end(until expiry: Timestamp, at now: Timestamp, clock: Timestamp) -> Timestamp {
        let wanted = expiry.since(now)
        let isArchive = expiry <= clock
        return max(expiry, clock + (isArchive ? max(wanted, archive) : wanted))
    }
}
