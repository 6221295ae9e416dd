public import EntitlementKeys
public import EntitlementValues

/// An AuthN or AuthZ token whose signature is good: what was granted, and until when.
///
/// Only a verifier makes one. Whether it has expired is not checked here; a ledger does that.
public struct VerifiedEntitlementToken: Sendable {
    /// What was granted: an authentication by an AuthN token, an authorization by an AuthZ token.
    public let entitlement: Entitlement
    /// The end, as an absolute instant; `nil` if the date could not be read, which counts as expired.
    public let expires: Timestamp?
    /// The device that the token is bound to; `nil` if it names none.
    public let device: DeviceID?
    /// The lifetime that the server set; `nil` if the token names none.
    ///
    /// For information only: the end counts.
    public let ttl: TimeToLive?
    /// The trusted key that signed it.
    public let key: VerificationKey

    init(
        entitlement: Entitlement,
        expires: Timestamp?,
        device: DeviceID?,
        ttl: TimeToLive?,
        key: VerificationKey
    ) {
        self.entitlement = entitlement
        self.expires = expires
        self.device = device
        self.ttl = ttl
        self.key = key
    }
}

extension VerifiedEntitlementToken: CustomStringConvertible {
    /// Everything but the device.
    public var description: String {
        "verified token (\(entitlement), expires \(expires?.description ?? "at a date that cannot be read"))"
    }
}

extension EntitlementLedger {
    /// Records what a verified AuthN or AuthZ token grants.
    ///
    /// The tokens have no first instant, so the one that is recorded last is the newer one.
    ///
    /// - Parameter token: The verified token.
    /// - Returns: What the ledger did.
    /// - Throws: `LedgerError.full`.
    @discardableResult
    public func record(_ token: VerifiedEntitlementToken) throws(LedgerError) -> RecordOutcome {
        try record(token.entitlement, EntitlementPeriod(notAfter: token.expires), device: token.device)
    }
}
