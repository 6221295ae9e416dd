public import EntitlementKeys
public import EntitlementValues

/// An AuthN or AuthZ token whose signature is good: what was granted, and until when.
///
/// Only a verifier makes one. Whether its time is over is for the ledger to say.
public struct VerifiedEntitlementToken: Sendable {
    /// An authentication, of an AuthN token, or an authorization, of an AuthZ token.
    public let entitlement: Entitlement
    /// The end, as an absolute instant; `nil` where the date could not be read, which counts as expired.
    public let expires: Timestamp?
    /// The device that the token is bound to, where it names one.
    public let device: DeviceID?
    /// The lifetime that the server set, where the token says so.
    ///
    /// For information: the end rules.
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
    /// The tokens have no first instant, so the one recorded last is the newer.
    ///
    /// - Returns: What became of it.
    /// - Throws: `LedgerError.full`.
    @discardableResult
    public func record(_ token: VerifiedEntitlementToken) throws(LedgerError) -> RecordOutcome {
        try record(token.entitlement, EntitlementPeriod(notAfter: token.expires), device: token.device)
    }
}
