package import EntitlementValues

/// Everything a ledger knows, line by line, for stores that keep it elsewhere.
package struct LedgerContents: Sendable {
    /// What is kept of one entitlement.
    package struct Line: Sendable, Hashable {
        package var period: EntitlementPeriod
        package var issuer: MVPDID
        package var recorded: Timestamp
        /// Whether it was seen expired, at whatever time.
        package var hasExpired: Bool

        package init(period: EntitlementPeriod, issuer: MVPDID, recorded: Timestamp, hasExpired: Bool) {
            self.period = period
            self.issuer = issuer
            self.recorded = recorded
            self.hasExpired = hasExpired
        }
    }

    package var lines: [Entitlement: Line] = [:]
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
            contents.lines = state.lines.mapValues { line in
                LedgerContents.Line(
                    period: line.period, issuer: line.issuer, recorded: line.recorded,
                    hasExpired: state.hasExpired(line))
            }
            contents.selected = state.selected
            contents.allowedIssuers = state.allowedIssuers
            contents.device = state.device
            contents.latest = state.latest
            return contents
        }
    }

    /// Makes a ledger of what another one knew, as `init(snapshot:…)` does.
    ///
    /// - Throws: `LedgerError.full` where the policy's capacity is smaller.
    package convenience init(
        contents: LedgerContents,
        policy: LedgerPolicy,
        clock: any WallClock,
        report: @escaping @Sendable (LedgerReport) -> Void
    ) throws(LedgerError) {
        guard contents.lines.count <= policy.capacity else { throw .full(capacity: policy.capacity) }
        var state = LedgerState(policy: policy)
        for (entitlement, line) in contents.lines {
            let restored = LedgerState.Line(
                period: line.period, issuer: line.issuer, recorded: line.recorded, serial: 0)
            state.insert(entitlement, restored, hasExpired: line.hasExpired)
        }
        state.selected = contents.selected
        state.allowedIssuers = contents.allowedIssuers
        state.device = contents.device
        state.latest = contents.latest
        self.init(state: state, clock: clock, report: report)
    }
}
