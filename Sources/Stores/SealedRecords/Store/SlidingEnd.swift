package import EntitlementValues

/// The end of records that are kept for some time after their last use.
package struct SlidingEnd: Sendable {
    /// How long a record is kept after its last use.
    package let lifetime: TimeToLive
    /// How often a use moves the end: not each one, so that stores need not write it.
    package let step: TimeToLive

    package init(lifetime: TimeToLive, step: TimeToLive) { (self.lifetime, self.step) = (lifetime, step) }

    /// The end of a record that is used now: the one that it has, unless a step has passed since that was set.
    package func end(of stored: StoredRecord?, usedAt now: Timestamp) -> Timestamp {
        let end = now + lifetime
        guard let stored, stored.expires > end - step else { return end }
        return stored.expires
    }
}
