public import EntitlementValues
import Synchronization

/// Keeps what one device may do, and until when: authentications and authorizations, each with its lifetime.
///
/// ```swift
/// let ledger = EntitlementLedger()
/// let resource = Entitlement.authorization(requestor: "REF30", mvpd: "TestMVPD", resource: "TestChannel")
/// try ledger.record(resource, EntitlementPeriod(notBefore: begin, notAfter: end))
/// if ledger.status(of: resource).isGood { … }
/// ```
///
/// One ledger is the storage of one device, or of one subscriber; a back end keeps one for each. All threads may use
/// it. Media tokens have no place in it: they are used once, at once.
///
/// Everything is reckoned from the ledger's clock and the absolute ends that were recorded. What has expired once stays
/// so until it is recorded anew, also where the clock is set back; a jump back is reported.
public final class EntitlementLedger: Sendable {
    let state: Mutex<LedgerState>
    let changes = LedgerChanges()
    let clock: any WallClock
    private let report: @Sendable (LedgerReport) -> Void
    /// The margins and the size.
    public let policy: LedgerPolicy

    /// Makes an empty ledger.
    ///
    /// - Parameters:
    ///   - policy: Margins and size.
    ///   - clock: Tells the time.
    ///   - report: Is told what somebody should look at: a clock that jumps back, periods that no server can mean. The
    ///     thread that noticed calls it, and may ask the ledger meanwhile.
    public convenience init(
        policy: LedgerPolicy = .standard,
        clock: any WallClock = SystemWallClock(),
        report: @escaping @Sendable (LedgerReport) -> Void = { _ in }
    ) {
        self.init(state: LedgerState(policy: policy), clock: clock, report: report)
    }

    init(state: LedgerState, clock: any WallClock, report: @escaping @Sendable (LedgerReport) -> Void) {
        policy = state.policy
        self.state = Mutex(state)
        self.clock = clock
        self.report = report
    }

    // MARK: Recording

    /// Records what the server granted.
    ///
    /// There is one line for each entitlement, and the newer grant wins: where both have a first instant, the one that
    /// begins later, else the one that is recorded later. The newer may well end earlier. A first instant that lies not
    /// before the end, or cannot be milliseconds since 1970, does not count.
    ///
    /// - Parameters:
    ///   - entitlement: What was granted.
    ///   - period: When it is good, as absolute instants.
    ///   - issuer: Who vouches for it, where it is not the provider itself.
    ///   - device: The device that the grant names; the ledger's where it names none. A ledger without a device takes
    ///     it over.
    /// - Returns: What became of it; other than `.recorded`, the ledger is unchanged.
    /// - Throws: `LedgerError`: `.emptyIdentifier` or `.full`. The ledger is then unchanged.
    @discardableResult
    public func record(
        _ entitlement: Entitlement,
        _ period: EntitlementPeriod,
        issuer: MVPDID? = nil,
        device: DeviceID? = nil
    ) throws(LedgerError) -> RecordOutcome {
        let issuer = issuer ?? entitlement.mvpd
        let outcome = try change { state, now throws(LedgerError) in
            try state.record(entitlement, period, issuer: issuer, device: device, at: now)
        }
        for fault in period.faults { report(.oddPeriod(entitlement, fault)) }
        return outcome
    }

    // MARK: Questions

    /// Says how an entitlement stands now.
    ///
    /// An authorization is judged by itself: that its authentication has expired does not end it.
    ///
    /// - Parameters:
    ///   - entitlement: What is asked about.
    ///   - margin: How long before the end it counts as expiring; the policy's where none is given.
    /// - Returns: How it stands.
    public func status(of entitlement: Entitlement, margin: TimeToLive? = nil) -> EntitlementStatus {
        let margin = margin ?? policy.refreshMargin
        return read { $0.status(of: entitlement, margin: margin, at: $1) }
    }

    /// The end that was recorded, as an absolute instant, passed or not.
    ///
    /// With an authentication and an authorization, these are the two expiries that players ask for as static metadata.
    ///
    /// - Returns: `nil` where nothing is recorded, or its date could not be read.
    public func expiry(of entitlement: Entitlement) -> Timestamp? {
        entry(of: entitlement)?.period.notAfter
    }

    /// Everything that is known of an entitlement.
    public func entry(of entitlement: Entitlement) -> LedgerEntry? {
        read { state, now in state.lines[entitlement].map { state.entry(entitlement, $0, at: now) } }
    }

    /// All lines, ordered by requestor, provider and resource.
    public var entries: [LedgerEntry] {
        read { state, now in state.entries(at: now) { _ in true } }
    }

    /// How many lines there are.
    public var count: Int { read { state, _ in state.lines.count } }

    /// The next instant at which something expires; `nil` where nothing is left that can.
    ///
    /// Looks at every line.
    public var nextExpiry: Timestamp? {
        read { state, _ in
            state.lines.values.reduce(nil) { next, line in
                guard !state.hasExpired(line), let notAfter = line.period.notAfter else { return next }
                return min(next ?? notAfter, notAfter)
            }
        }
    }

    /// The lines that have expired.
    public var expired: [LedgerEntry] {
        read { state, now in state.entries(at: now) { state.hasExpired($0) } }
    }

    /// Erases the lines that have expired, and returns them.
    ///
    /// Nothing else erases a line for its age, so that a clock that is wrong for a moment loses none. Sweep when the
    /// clock can be trusted.
    public func sweep() -> [LedgerEntry] {
        change { state, now in
            let swept = state.entries(at: now) { state.hasExpired($0) }
            for entry in swept { state.lines[entry.entitlement] = nil }
            return swept
        }
    }

    // MARK: Steps

    /// Runs a question under the lock, with the time.
    func read<Answer>(_ body: (inout LedgerState, Timestamp) -> Answer) -> Answer {
        let now = clock.now
        let (answer, jump) = state.withLock { state in
            let jump = state.see(now)
            return (body(&state, now), jump)
        }
        if let jump { report(jump) }
        return answer
    }

    /// Runs a change under the lock, with the time, and wakes who waits for one.
    @discardableResult
    func change<Answer, Failure: Error>(
        _ body: (inout LedgerState, Timestamp) throws(Failure) -> Answer
    ) throws(Failure) -> Answer {
        let result: Result<Answer, Failure> = read { state, now in
            do throws(Failure) {
                return .success(try body(&state, now))
            } catch {
                return .failure(error)
            }
        }
        changes.announce()
        return try result.get()
    }
}
