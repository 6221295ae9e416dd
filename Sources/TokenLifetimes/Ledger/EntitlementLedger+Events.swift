public import EntitlementValues

// What the player, the viewer and the server do to a ledger. Each returns how many lines it erased.

extension EntitlementLedger {
    // MARK: The provider

    /// Takes note of the provider that the viewer chose.
    ///
    /// Another one than before erases everything that the requestor had: its authentications and its authorizations,
    /// with whatever provider. The first choice erases nothing.
    ///
    /// - Returns: How many lines were erased.
    /// - Throws: `LedgerError.emptyIdentifier`.
    @discardableResult
    public func select(_ mvpd: MVPDID, for requestor: RequestorID) throws(LedgerError) -> Int {
        try change { state, _ throws(LedgerError) in
            try state.checkNotEmpty(mvpd, "mvpd")
            try state.checkNotEmpty(requestor, "requestor")
            return state.select(mvpd, for: requestor)
        }
    }

    /// The provider that the viewer chose for a requestor.
    public func selection(for requestor: RequestorID) -> MVPDID? {
        read { state, _ in state.selected[requestor] }
    }

    /// Takes note that the viewer left the choice of a provider.
    ///
    /// Erases what the requestor has with the provider chosen last, and nothing else.
    ///
    /// - Returns: How many lines were erased.
    @discardableResult
    public func cancelSelection(for requestor: RequestorID) -> Int {
        change { state, _ in state.cancelSelection(for: requestor) }
    }

    /// Logs out of everything, or of one provider with all requestors.
    ///
    /// Choices of providers go with it; the device and the lists of issuers stay.
    ///
    /// - Returns: How many lines were erased.
    @discardableResult
    public func logOut(_ scope: LogoutScope) -> Int {
        change { state, _ in state.logOut(scope) }
    }

    // MARK: The device

    /// The device that everything in the ledger is bound to; the third of the static metadata.
    public var device: DeviceID? {
        read { state, _ in state.device }
    }

    /// Binds the ledger to a device, as tokens spell it.
    ///
    /// Everything in a ledger belongs to one device. The first one takes over what is there; another one finds nothing,
    /// since what was bound to the old device is erased. Choices of providers and lists of issuers stay.
    ///
    /// - Returns: How many lines were erased.
    /// - Throws: `LedgerError.emptyIdentifier`.
    @discardableResult
    public func bind(to device: DeviceID) throws(LedgerError) -> Int {
        try change { state, _ throws(LedgerError) in
            try state.checkNotEmpty(device, "device")
            return state.bind(to: device)
        }
    }

    // MARK: The server

    /// Allows only some issuers for a requestor, from now on; `nil` allows all.
    ///
    /// Erases what others vouched for. Allowing an issuer again brings nothing back.
    ///
    /// - Returns: How many lines were erased.
    @discardableResult
    public func allow(issuers: Set<MVPDID>?, for requestor: RequestorID) -> Int {
        change { state, _ in state.allow(issuers: issuers, for: requestor) }
    }

    /// Erases an entitlement that the server no longer grants, whatever the clock says.
    ///
    /// An authentication takes its authorizations with it.
    ///
    /// - Returns: How many lines were erased.
    @discardableResult
    public func invalidate(_ entitlement: Entitlement) -> Int {
        change { state, _ in state.invalidate(entitlement) }
    }

    /// Takes note of the HTTP status with which the server answered a question about an entitlement.
    ///
    /// 403, 404 and 410 invalidate it; 412 says that the authentication is missing, which takes everything of the
    /// requestor with that provider. Any other status changes nothing: that a server cannot answer says nothing about
    /// the entitlement.
    ///
    /// - Returns: How many lines were erased.
    @discardableResult
    public func invalidate(_ entitlement: Entitlement, serverStatus: Int) -> Int {
        switch serverStatus {
        case 403, 404, 410: invalidate(entitlement)
        case 412: invalidate(.authentication(requestor: entitlement.requestor, mvpd: entitlement.mvpd))
        default: 0
        }
    }
}
