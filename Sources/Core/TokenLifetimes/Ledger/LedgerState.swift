import EntitlementValues

/// The rules of a ledger, as a plain value without lock and clock.
struct LedgerState: Sendable {
    /// What is kept of one entitlement.
    struct Entry: Sendable {
        var period: EntitlementPeriod
        var issuer: MVPDID
        var recorded: Timestamp
        /// Numbers the recordings in their order; 0 if the entry had expired when it was recorded.
        var serial: UInt64
    }

    let policy: LedgerPolicy
    var entries: [Entitlement: Entry] = [:]
    var selected: [RequestorID: MVPDID] = [:]
    var allowedIssuers: [RequestorID: Set<MVPDID>] = [:]
    var device: DeviceID?
    /// The latest instant since the clock last jumped back.
    var latest: Timestamp?
    private var seen = SeenInstants()
    private var lastSerial: UInt64 = 0

    init(policy: LedgerPolicy) { self.policy = policy }

    // MARK: Time

    /// Notes the time; returns a report if the clock jumped back.
    mutating func see(_ now: Timestamp) -> LedgerReport? {
        seen.see(now, after: lastSerial)
        guard let latest, now < latest else {
            latest = now
            return nil
        }
        guard latest.since(now) > policy.clockMargin else { return nil }
        self.latest = now
        return .clockJumpedBack(from: latest, to: now)
    }

    /// Whether an entry has expired, by any instant that was seen since it was recorded.
    func isExpired(_ entry: Entry) -> Bool {
        guard entry.serial > 0, let notAfter = entry.period.notAfter else { return true }
        return seen.latest(since: entry.serial).map { notAfter <= $0 } ?? false
    }

    // MARK: Recording

    mutating func record(
        _ entitlement: Entitlement,
        for period: EntitlementPeriod,
        issuer: MVPDID,
        device: DeviceID?,
        at now: Timestamp
    ) throws(LedgerError) -> RecordOutcome {
        try checkNotEmpty(entitlement, issuer: issuer, device: device)
        if let allowed = allowedIssuers[entitlement.requestor], !allowed.contains(issuer) { return .issuerNotAllowed }
        if let device, let own = self.device, device != own { return .otherDevice }
        if let held = entries[entitlement] {
            if let begin = period.rank, let heldBegin = held.period.rank, begin < heldBegin {
                return .superseded
            }
        } else if entries.count >= policy.capacity {
            throw .full(capacity: policy.capacity)
        }
        if let device { self.device = device }
        let entry = Entry(period: period, issuer: issuer, recorded: now, serial: 0)
        insert(entitlement, entry, isExpired: period.notAfter.map { $0 <= now } ?? true)
        return .recorded
    }

    mutating func insert(_ entitlement: Entitlement, _ entry: Entry, isExpired: Bool) {
        var entry = entry
        lastSerial += 1
        entry.serial = isExpired ? 0 : lastSerial
        entries[entitlement] = entry
    }

    private func checkNotEmpty(
        _ entitlement: Entitlement,
        issuer: MVPDID,
        device: DeviceID?
    ) throws(LedgerError) {
        try checkNotEmpty(entitlement.requestor, "requestor")
        try checkNotEmpty(entitlement.mvpd, "mvpd")
        if let resource = entitlement.resource { try checkNotEmpty(resource, "resource") }
        try checkNotEmpty(issuer, "issuer")
        if let device { try checkNotEmpty(device, "device") }
    }

    func checkNotEmpty(_ identifier: some EntitlementIdentifier, _ name: String) throws(LedgerError) {
        if identifier.rawValue.isEmpty { throw .emptyIdentifier(name) }
    }

    // MARK: Questions

    func status(of entitlement: Entitlement, margin: TimeToLive, at now: Timestamp) -> EntitlementStatus {
        entries[entitlement].map { status(of: $0, margin: margin, at: now) } ?? .unknown
    }

    private func status(of entry: Entry, margin: TimeToLive, at now: Timestamp) -> EntitlementStatus {
        guard let notAfter = entry.period.notAfter else { return .expired(since: entry.recorded) }
        if isExpired(entry) { return .expired(since: notAfter) }
        if let notBefore = entry.period.notBefore, now < notBefore { return .notYetValid(for: notBefore.since(now)) }
        let rest = notAfter.since(now)
        return rest <= margin ? .expiring(in: rest) : .valid(for: rest)
    }

    func ledgerEntry(of entitlement: Entitlement, at now: Timestamp) -> LedgerEntry? {
        entries[entitlement].map { ledgerEntry(entitlement, $0, at: now) }
    }

    private func ledgerEntry(_ entitlement: Entitlement, _ entry: Entry, at now: Timestamp) -> LedgerEntry {
        LedgerEntry(
            entitlement: entitlement,
            period: entry.period,
            issuer: entry.issuer,
            recorded: entry.recorded,
            status: status(of: entry, margin: policy.refreshMargin, at: now)
        )
    }

    /// The entries that meet a condition, in the order of their entitlements.
    func ledgerEntries(at now: Timestamp, where isWanted: (Entry) -> Bool) -> [LedgerEntry] {
        entries.filter { isWanted($0.value) }.map { ledgerEntry($0.key, $0.value, at: now) }
            .sorted { $0.entitlement < $1.entitlement }
    }

    // MARK: Erasing

    /// Erases the entries that meet a condition, and counts them.
    mutating func erase(where isErased: (Entitlement, Entry) -> Bool) -> Int {
        let before = entries.count
        entries = entries.filter { !isErased($0.key, $0.value) }
        return before - entries.count
    }

    /// Selects a provider; if it is another one than before, erases what the requestor had.
    mutating func select(_ mvpd: MVPDID, for requestor: RequestorID) -> Int {
        let former = selected.updateValue(mvpd, forKey: requestor)
        guard let former, former != mvpd else { return 0 }
        return erase { entitlement, _ in entitlement.requestor == requestor }
    }

    mutating func cancelSelection(for requestor: RequestorID) -> Int {
        guard let mvpd = selected.removeValue(forKey: requestor) else { return 0 }
        return invalidate(.authentication(requestor: requestor, mvpd: mvpd))
    }

    mutating func logOut(_ scope: LogoutScope) -> Int {
        switch scope {
        case .everything:
            selected = [:]
            return erase { _, _ in true }
        case .mvpd(let mvpd):
            selected = selected.filter { $0.value != mvpd }
            return erase { entitlement, _ in entitlement.mvpd == mvpd }
        }
    }

    /// Binds to a device; if it is another one than before, erases everything.
    mutating func bind(to new: DeviceID) -> Int {
        let former = device
        device = new
        guard let former, former != new else { return 0 }
        return erase { _, _ in true }
    }

    mutating func allow(issuers: Set<MVPDID>?, for requestor: RequestorID) -> Int {
        allowedIssuers[requestor] = issuers
        guard let issuers else { return 0 }
        return erase { entitlement, entry in entitlement.requestor == requestor && !issuers.contains(entry.issuer) }
    }

    mutating func invalidate(_ entitlement: Entitlement) -> Int {
        switch entitlement {
        case .authorization:
            return entries.removeValue(forKey: entitlement) == nil ? 0 : 1
        case .authentication(let requestor, let mvpd):
            return erase { other, _ in other.requestor == requestor && other.mvpd == mvpd }
        }
    }
}

/// Remembers the instants that a ledger saw, as far as they matter: for each recording, the latest instant since.
///
/// A clock that only goes forward needs one level. Each step back opens another level, and reaching a level closes it.
private struct SeenInstants: Sendable {
    private struct Level {
        var instant: Timestamp
        /// The last recording before this instant was seen.
        var serial: UInt64
    }

    private static let maximumLevels = 64

    /// From one level to the next, instants fall and serial numbers rise.
    private var levels: [Level] = []

    /// Notes an instant, by which every recording up to a serial number is measured.
    mutating func see(_ now: Timestamp, after serial: UInt64) {
        while let last = levels.last, last.instant <= now { levels.removeLast() }
        if levels.count < Self.maximumLevels {
            levels.append(Level(instant: now, serial: serial))
        } else {
            // The clock went back again and again: from here on, the level above counts.
            levels[levels.count - 1].serial = serial
        }
    }

    /// The latest instant that was seen since a recording; `nil` if none was.
    func latest(since serial: UInt64) -> Timestamp? {
        levels.first { $0.serial >= serial }?.instant
    }
}
