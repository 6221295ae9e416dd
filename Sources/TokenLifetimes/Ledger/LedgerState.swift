import EntitlementValues

/// The rules of a ledger, as a plain value: no lock, no clock.
struct LedgerState: Sendable {
    /// What is kept of one entitlement.
    struct Line: Sendable {
        var period: EntitlementPeriod
        var issuer: MVPDID
        var recorded: Timestamp
        /// Tells recordings apart, in their order; 0 of what had expired when it came in.
        var serial: UInt64
    }

    let policy: LedgerPolicy
    var lines: [Entitlement: Line] = [:]
    var selected: [RequestorID: MVPDID] = [:]
    var allowedIssuers: [RequestorID: Set<MVPDID>] = [:]
    var device: DeviceID?
    /// The latest instant since the clock last jumped back.
    var latest: Timestamp?
    private var seen = SeenInstants()
    private var lastSerial: UInt64 = 0

    init(policy: LedgerPolicy) { self.policy = policy }

    // MARK: Time

    /// Takes note of the time, and reports a jump back.
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

    /// Whether a line has expired, by any time that was seen since it was recorded.
    func hasExpired(_ line: Line) -> Bool {
        guard line.serial > 0, let notAfter = line.period.notAfter else { return true }
        return seen.latest(since: line.serial).map { notAfter <= $0 } ?? false
    }

    // MARK: Recording

    mutating func record(
        _ entitlement: Entitlement,
        _ period: EntitlementPeriod,
        issuer: MVPDID,
        device: DeviceID?,
        at now: Timestamp
    ) throws(LedgerError) -> RecordOutcome {
        try check(entitlement, issuer, device)
        if let allowed = allowedIssuers[entitlement.requestor], !allowed.contains(issuer) { return .issuerNotAllowed }
        if let device, let own = self.device, device != own { return .otherDevice }
        if let held = lines[entitlement] {
            if let begin = period.rank, let heldBegin = held.period.rank, begin < heldBegin {
                return .superseded
            }
        } else if lines.count >= policy.capacity {
            throw .full(capacity: policy.capacity)
        }
        if let device { self.device = device }
        let line = Line(period: period, issuer: issuer, recorded: now, serial: 0)
        insert(entitlement, line, hasExpired: period.notAfter.map { $0 <= now } ?? true)
        return .recorded
    }

    mutating func insert(_ entitlement: Entitlement, _ line: Line, hasExpired: Bool) {
        var line = line
        lastSerial += 1
        line.serial = hasExpired ? 0 : lastSerial
        lines[entitlement] = line
    }

    private func check(
        _ entitlement: Entitlement,
        _ issuer: MVPDID,
        _ device: DeviceID?
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
        lines[entitlement].map { status(of: $0, margin: margin, at: now) } ?? .unknown
    }

    private func status(of line: Line, margin: TimeToLive, at now: Timestamp) -> EntitlementStatus {
        guard let notAfter = line.period.notAfter else { return .expired(since: line.recorded) }
        if hasExpired(line) { return .expired(since: notAfter) }
        if let notBefore = line.period.notBefore, now < notBefore { return .notYetValid(for: notBefore.since(now)) }
        let rest = notAfter.since(now)
        return rest <= margin ? .expiring(in: rest) : .valid(for: rest)
    }

    func entry(_ entitlement: Entitlement, _ line: Line, at now: Timestamp) -> LedgerEntry {
        LedgerEntry(
            entitlement: entitlement,
            period: line.period,
            issuer: line.issuer,
            recorded: line.recorded,
            status: status(of: line, margin: policy.refreshMargin, at: now)
        )
    }

    /// The lines that meet a condition, in the order of their entitlements.
    func entries(at now: Timestamp, where isWanted: (Line) -> Bool) -> [LedgerEntry] {
        lines.filter { isWanted($0.value) }.map { entry($0.key, $0.value, at: now) }
            .sorted { $0.entitlement < $1.entitlement }
    }

    // MARK: Erasing

    /// Erases the lines that meet a condition, and counts them.
    mutating func erase(where isErased: (Entitlement, Line) -> Bool) -> Int {
        let before = lines.count
        lines = lines.filter { !isErased($0.key, $0.value) }
        return before - lines.count
    }

    /// Another provider chosen: what the requestor had is gone.
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

    /// Another device: what the former one had is gone.
    mutating func bind(to new: DeviceID) -> Int {
        let former = device
        device = new
        guard let former, former != new else { return 0 }
        return erase { _, _ in true }
    }

    mutating func allow(issuers: Set<MVPDID>?, for requestor: RequestorID) -> Int {
        allowedIssuers[requestor] = issuers
        guard let issuers else { return 0 }
        return erase { entitlement, line in entitlement.requestor == requestor && !issuers.contains(line.issuer) }
    }

    mutating func invalidate(_ entitlement: Entitlement) -> Int {
        switch entitlement {
        case .authorization:
            return lines.removeValue(forKey: entitlement) == nil ? 0 : 1
        case .authentication(let requestor, let mvpd):
            return erase { other, _ in other.requestor == requestor && other.mvpd == mvpd }
        }
    }
}
