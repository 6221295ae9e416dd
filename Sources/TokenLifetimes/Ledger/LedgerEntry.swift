public import EntitlementValues

/// One line of a ledger: an entitlement and what is known of its lifetime.
public struct LedgerEntry: Sendable, Hashable {
    /// What was granted.
    public let entitlement: Entitlement
    /// When it is good.
    public let period: EntitlementPeriod
    /// Who vouches for it; the provider, where nobody else was named.
    public let issuer: MVPDID
    /// The instant of the recording, by the ledger's clock.
    public let recorded: Timestamp
    /// How it stands, by the ledger's clock.
    public let status: EntitlementStatus
}

/// Says what a ledger did with something that was recorded.
public enum RecordOutcome: String, Sendable, Hashable {
    /// It is in the ledger, in the place of what was there.
    case recorded
    /// What is in the ledger begins later: this one came late.
    case superseded
    /// The requestor's list does not allow the issuer.
    case issuerNotAllowed = "issuer_not_allowed"
    /// It is bound to another device than the ledger.
    case otherDevice = "other_device"
}

/// How much a logout erases.
public enum LogoutScope: Sendable, Hashable {
    /// All requestors and all providers.
    case everything
    /// One provider, for all requestors.
    case mvpd(MVPDID)
}
