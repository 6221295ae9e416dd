public import EntitlementValues

// What the player, the viewer and the server do to a ledger. Each returns the number of entries that it erased.

extension EntitlementLedger {
    // MARK: The provider

    /// Notes the provider that the viewer chose.
    ///
    /// Choosing another provider than before erases everything that the requestor had: its authentications and its
    /// authorizations, with any provider. The first choice erases nothing.
    ///
    /// - Parameters:
    ///   - mvpd: The provider.
    ///   - requestor: The requestor for which the viewer chose.
    /// - Returns: How many entries were erased.
    /// - Throws: `LedgerError.emptyIdentifier`.
    @discardableResult
    public func select(_ mvpd: MVPDID, for requestor: RequestorID) throws(LedgerError) -> Int {
        try change { state, _ throws(LedgerError) in
            try state.checkNotEmpty(mvpd, "mvpd")
            try state.checkNotEmpty(requestor, "requestor")
            return state.select(mvpd, for: requestor)
        }
    }

    /// Finds the provider that the viewer chose for a requestor.
    ///
    /// - Parameter requestor: The requestor.
    /// - Returns: The provider; `nil` if none is chosen.
    public func selection(for requestor: RequestorID) -> MVPDID? {
        read { state, _ in state.selected[requestor] }
    }

    /// Notes that the viewer left the choice of a provider.
    ///
    /// Erases what the requestor has with the provider chosen last, and nothing else.
    ///
    /// - Parameter requestor: The requestor.
    /// - Returns: How many entries were erased.
    @discardableResult
    public func cancelSelection(for requestor: RequestorID) -> Int {
        change { state, _ in state.cancelSelection(for: requestor) }
    }

    /// Logs out of everything, or of one provider with all requestors.
    ///
    /// The choices of providers are erased with it; the device and the lists of issuers stay.
    ///
    /// - Parameter scope: What the viewer logs out of.
    /// - Returns: How many entries were erased.
    @discardableResult
    public func logOut(_ scope: LogoutScope) -> Int {
        change { state, _ in state.logOut(scope) }
    }

    // MARK: The device

    /// The device that all entries are bound to; players ask for it as static metadata, too.
    public var device: DeviceID? {
        read { state, _ in state.device }
    }

    /// Binds the ledger to a device, as tokens spell it.
    ///
    /// All entries of a ledger belong to one device. The first device takes over the entries that are there. Binding to
    /// another one erases them, since they belong to the old device. Choices of providers and lists of issuers stay.
    ///
    /// - Parameter device: The device.
    /// - Returns: How many entries were erased.
    /// - Throws: `LedgerError.emptyIdentifier`.
    @discardableResult
    public func bind(to device: DeviceID) throws(LedgerError) -> Int {
        try change { state, _ throws(LedgerError) in
            try state.checkNotEmpty(device, "device")
            return state.bind(to: device)
        }
    }

    // MARK: The server

    /// Allows only some issuers for a requestor from now on.
    ///
    /// Erases the entries of other issuers. Allowing an issuer again does not bring them back.
    ///
    /// - Parameters:
    ///   - issuers: The issuers; `nil` allows all.
    ///   - requestor: The requestor.
    /// - Returns: How many entries were erased.
    @discardableResult
    public func allow(issuers: Set<MVPDID>?, for requestor: RequestorID) -> Int {
        change { state, _ in state.allow(issuers: issuers, for: requestor) }
    }

    /// Erases an entitlement that the server no longer grants, whether it has expired or not.
    ///
    /// With an authentication, its authorizations are erased, too.
    ///
    /// - Parameter entitlement: The entitlement.
    /// - Returns: How many entries were erased.
    @discardableResult
    public func invalidate(_ entitlement: Entitlement) -> Int {
        change { state, _ in state.invalidate(entitlement) }
    }

    /// Notes the HTTP status with which the server answered a question about an entitlement.
    ///
    /// 403, 404 and 410 invalidate the entitlement. 412 says that the authentication is missing, and erases everything
    /// that the requestor has with that provider. Any other status changes nothing: that a server cannot answer says
    /// nothing about the entitlement.
    ///
    /// - Parameters:
    ///   - entitlement: The entitlement.
    ///   - serverStatus: The status of the answer.
    /// - Returns: How many entries were erased.
    @discardableResult
    public func invalidate(_ entitlement: Entitlement, serverStatus: Int) -> Int {
        switch serverStatus {
        case 403, 404, 410: invalidate(entitlement)
        case 412: invalidate(.authentication(requestor: entitlement.requestor, mvpd: entitlement.mvpd))
        default: 0
        }
    }
}

/// How much a logout erases.
public enum LogoutScope: Sendable, Hashable {
    /// All requestors and all providers.
    case everything
    /// One provider, for all requestors.
    case mvpd(MVPDID)
}
