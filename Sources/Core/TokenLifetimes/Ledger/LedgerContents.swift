package import EntitlementValues

/// Everything a ledger knows, for stores that keep it elsewhere.
package struct LedgerContents: Sendable {
    /// What is kept of one entitlement.
    package struct Entry: Sendable, Hashable {
        package var period: EntitlementPeriod
        package var issuer: MVPDID
        package var recorded: Timestamp
        /// Whether the ledger has seen it expired, at any time.
        package var isExpired: Bool

        package init(period: EntitlementPeriod, issuer: MVPDID, recorded: Timestamp, isExpired: Bool) {
            self.period = period
            self.issuer = issuer
            self.recorded = recorded
            self.isExpired = isExpired
        }
    }

    package var entries: [Entitlement: Entry] = [:]
    package var selected: [RequestorID: MVPDID] = [:]
    package var allowedIssuers: [RequestorID: Set<MVPDID>] = [:]
    package var device: DeviceID?
    /// The latest instant that the ledger saw.
    package var latest: Timestamp?

    package init() {}
}

extension EntitlementLedger {
    /// Everything that the ledger knows.
    package var contents: LedgerContents {
        read { state, _ in
            var contents = LedgerContents()
            contents.entries = state.entries.mapValues { entry in
                LedgerContents.Entry(
                    period: entry.period, issuer: entry.issuer, recorded: entry.recorded,
                    isExpired: state.isExpired(entry))
            }
            contents.selected = state.selected
            contents.allowedIssuers = state.allowedIssuers
            contents.device = state.device
            contents.latest = state.latest
            return contents
        }
    }

    /// Makes a ledger from what another one knew, as `init(snapshot:policy:time:report:)` does.
    ///
    /// Throws `.full` if the policy's capacity is smaller than those contents.
    package convenience init(
        contents: LedgerContents,
        policy: LedgerPolicy,
        time: TimeSource,
        report: @escaping @Sendable (LedgerReport) -> Void
    ) throws(LedgerError) {
        guard contents.entries.count <= policy.capacity else { throw .full(capacity: policy.capacity) }
        var state = LedgerState(policy: policy)
        for (entitlement, entry) in contents.entries {
            let restored = LedgerState.Entry(
                period: entry.period, issuer: entry.issuer, recorded: entry.recorded, serial: 0)
            state.insert(entitlement, restored, isExpired: entry.isExpired)
        }
        state.selected = contents.selected
        state.allowedIssuers = contents.allowedIssuers
        state.device = contents.device
        state.latest = contents.latest
        self.init(state: state, time: time, report: report)
    }
}
