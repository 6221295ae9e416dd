public import EntitlementValues

extension EntitlementLedger {
    /// Delivers each entitlement when it is time to refresh it.
    ///
    /// ```swift
    /// for await due in ledger.upcomingExpiries() {
    ///     await refresh(due.entitlement)
    /// }
    /// ```
    ///
    /// Each recording is delivered once, at the refresh margin before its end. If its whole lifetime does not exceed
    /// the margin it is delivered half-way, so that a server that grants short lifetimes is not asked without pause.
    /// Recordings that had expired when they were made, or when the loop began, are left out. The sequence ends when
    /// its task is cancelled.
    ///
    /// - Parameter margin: How long before its end an entitlement is delivered; the policy's refresh margin if `nil`.
    /// - Returns: A sequence for one loop or several, each of which gets all entitlements.
    public func upcomingExpiries(margin: TimeToLive? = nil) -> UpcomingExpiries {
        UpcomingExpiries(ledger: self, margin: margin ?? policy.refreshMargin)
    }
}

/// An entitlement that ends soon.
public struct UpcomingExpiry: Sendable, Hashable {
    /// What ends.
    public let entitlement: Entitlement
    /// When it ends; in the past if the machine was asleep.
    public let expires: Timestamp
}

/// The entitlements of a ledger, each delivered when it is time to refresh it.
public struct UpcomingExpiries: AsyncSequence, Sendable {
    /// What the sequence delivers.
    public typealias Element = UpcomingExpiry
    /// The sequence never fails; it ends with its task.
    public typealias Failure = Never

    let ledger: EntitlementLedger
    let margin: TimeToLive

    /// Starts to watch the ledger.
    public func makeAsyncIterator() -> Iterator {
        Iterator(ledger: ledger, margin: margin)
    }

    /// Watches the ledger for one loop.
    public struct Iterator: AsyncIteratorProtocol {
        private let ledger: EntitlementLedger
        private let margin: TimeToLive
        /// Recordings that were delivered, or never will be.
        private var settled: Set<UInt64>
        /// What was due at the last look; the entry that ends first is the last.
        private var ready: [Due] = []

        init(ledger: EntitlementLedger, margin: TimeToLive) {
            self.ledger = ledger
            self.margin = margin
            settled = ledger.read { state, _ in
                Set(state.entries.values.filter { state.isExpired($0) }.map(\.serial))
            }
        }

        /// Waits for the next expiry; `nil` once the task is cancelled.
        public mutating func next() async -> UpcomingExpiry? {
            while !Task.isCancelled {
                while let due = ready.popLast() {
                    if ledger.isCurrent(due) { return due.expiry }
                }
                // Read before the look, so that no change is missed.
                let changes = ledger.changes.number
                let next = look()
                if ready.isEmpty { await ledger.wait(until: next, orChangeBeyond: changes) }
            }
            return nil
        }

        /// Gathers what is due, and says when more will be.
        private mutating func look() -> Timestamp? {
            let (found, next, serials) = ledger.due(margin: margin, settled: settled)
            ready = found.sorted { $1.precedes($0) }
            settled = settled.intersection(serials).union(found.map(\.serial))
            return next
        }
    }
}

/// A recording whose time to refresh has come.
struct Due {
    let expiry: UpcomingExpiry
    let serial: UInt64

    func precedes(_ other: Due) -> Bool {
        (expiry.expires, expiry.entitlement) < (other.expiry.expires, other.expiry.entitlement)
    }
}

extension EntitlementLedger {
    /// Finds what is due and not settled, the next time to look, and all recordings.
    fileprivate func due(
        margin: TimeToLive,
        settled: Set<UInt64>
    ) -> (found: [Due], next: Timestamp?, serials: Set<UInt64>) {
        read { state, now in
            var found: [Due] = []
            var next: Timestamp?
            var serials: Set<UInt64> = []
            for (entitlement, entry) in state.entries {
                serials.insert(entry.serial)
                guard !settled.contains(entry.serial), let (refresh, end) = entry.refresh(margin: margin) else {
                    continue
                }
                if refresh <= now || state.isExpired(entry) {
                    let expiry = UpcomingExpiry(entitlement: entitlement, expires: end)
                    found.append(Due(expiry: expiry, serial: entry.serial))
                } else {
                    next = min(next ?? refresh, refresh)
                }
            }
            return (found, next, serials)
        }
    }

    /// Whether a due recording is still in the ledger, and was not replaced.
    fileprivate func isCurrent(_ due: Due) -> Bool {
        read { state, _ in state.entries[due.expiry.entitlement]?.serial == due.serial }
    }

    fileprivate func wait(until deadline: Timestamp?, orChangeBeyond number: UInt64) async {
        guard let deadline else { return await changes.wait(beyond: number) }
        await withTaskGroup { group in
            group.addTask { [changes] in await changes.wait(beyond: number) }
            group.addTask { [time] in try? await time.sleep(until: deadline) }
            await group.next()
            group.cancelAll()
        }
    }
}

extension LedgerState.Entry {
    /// When to refresh, and the end; `nil` if it had expired when it was recorded.
    fileprivate func refresh(margin: TimeToLive) -> (at: Timestamp, end: Timestamp)? {
        guard let end = period.notAfter, end > recorded else { return nil }
        let early = end - margin
        if early > recorded { return (early, end) }
        return (recorded + TimeToLive(milliseconds: end.since(recorded).milliseconds / 2), end)
    }
}

@available(*, unavailable)
extension UpcomingExpiries.Iterator: Sendable {}
