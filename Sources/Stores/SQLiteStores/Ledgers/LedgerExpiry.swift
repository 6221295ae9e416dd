public import EntitlementValues
public import TokenLifetimes

/// An entitlement in a ledger of a store, and when it ends.
public struct LedgerExpiry: Sendable, Hashable {
    /// The ledger's name, which may identify a device or a subscriber: keep it out of logs.
    public let ledger: String
    /// What ends.
    public let entitlement: Entitlement
    /// The instant at which it ends.
    public let expires: Timestamp
}

extension LedgerExpiry: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Everything but the ledger's name.
    public var description: String { "\(entitlement), expires \(expires)" }
    /// Everything but the ledger's name.
    public var debugDescription: String { description }
    /// Everything but the ledger's name.
    public var customMirror: Mirror { Mirror(self, children: ["entitlement": entitlement, "expires": expires]) }
}
