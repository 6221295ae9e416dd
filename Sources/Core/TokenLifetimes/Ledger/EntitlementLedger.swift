public import EntitlementValues
import Synchronization

/// Keeps what one device may do, and until when: authentications and authorizations, each with its lifetime.
///
/// ```swift
/// let ledger = EntitlementLedger()
/// let resource = Entitlement.authorization(requestor: "REF30", mvpd: "TestMVPD", resource: "TestChannel")
/// try ledger.record(resource, EntitlementPeriod(notBefore: begin, notAfter: end))
/// if ledger.status(of: resource).isGood { print("play") }
/// ```
///
/// One ledger is the storage of one device, or of one subscriber; a back end keeps one for each. All threads may use
/// it. Media tokens are not kept in a ledger, since they are used once, at once.
///
/// Everything is calculated from the ledger's time and the absolute ends that were recorded. An entitlement that has
/// expired once stays expired until it is recorded anew, even if the clock is set back. A jump back is reported.
public final class EntitlementLedger: Sendable {
    let state: Mutex<LedgerState>
    let changes = LedgerChanges()
    let time: TimeSource
    private let report: @Sendable (LedgerReport) -> Void
    /// The margins and the size.
    public let policy: LedgerPolicy

    /// Makes an empty ledger.
    ///
    /// - Parameters:
    ///   - policy: Margins and size.
    ///   - time: The time by which the ledger goes.
    ///   - report: Receives what an operator should look at: a clock that jumped back, or an odd period. It is called
    ///     by the thread that noticed, outside the ledger's lock.
    public convenience init(
        policy: LedgerPolicy = .standard,
        time: TimeSource = .system,
        report: @escaping @Sendable (LedgerReport) -> Void = { _ in }
    ) {
        self.init(state: LedgerState(policy: policy), time: time, report: report)
    }

    init(state: LedgerState, time: TimeSource, report: @escaping @Sendable (LedgerReport) -> Void) {
        policy = state.policy
        self.state = Mutex(state)
        self.time = time
        self.report = report
    }

    // MARK: Recording

    /// Records what the server granted.
    ///
    /// There is one entry for each entitlement, and the newer grant wins. If both grants have a first instant, the
    /// newer one is the one that begins later; otherwise it is the one that is recorded later. The newer one may well
    /// end earlier. A first instant does not count if it lies at or after the end, or cannot be milliseconds since
    /// 1970.
    ///
    /// - Parameters:
    ///   - entitlement: What was granted.
    ///   - period: When it is good, as absolute instants.
    ///   - issuer: The provider that vouches for it, if it is not the entitlement's own.
    ///   - device: The device that the grant names; `nil` if it names none. A ledger without a device takes it over.
    /// - Returns: What the ledger did. After any other answer than `.recorded` the ledger is unchanged.
    /// - Throws: `LedgerError.emptyIdentifier` or `.full`. The ledger is then unchanged.
    @discardableResult
    public func record(
        _ entitlement: Entitlement,
        _ period: EntitlementPeriod,
        issuer: MVPDID? = nil,
        device: DeviceID? = nil
    ) throws(LedgerError) -> RecordOutcome {
        let issuer = issuer ?? entitlement.mvpd
        let outcome = try change { state, now throws(LedgerError) in
            try state.record(entitlement, for: period, issuer: issuer, device: device, at: now)
        }
        for fault in period.faults { report(.oddPeriod(entitlement, fault)) }
        return outcome
    }

    // MARK: Questions

    /// Finds out whether an entitlement is good now.
    ///
    /// An authorization is judged by itself: an expired authentication does not end it.
    ///
    /// - Parameters:
    ///   - entitlement: The entitlement.
    ///   - margin: How long before its end it counts as expiring; the policy's margin if `nil`.
    /// - Returns: Its status; `.unknown` if it is not in the ledger.
    public func status(of entitlement: Entitlement, margin: TimeToLive? = nil) -> EntitlementStatus {
        let margin = margin ?? policy.refreshMargin
        return read { $0.status(of: entitlement, margin: margin, at: $1) }
    }

    /// Finds the end that was recorded, whether it has passed or not.
    ///
    /// For an authentication and an authorization, these are the two expiries that players ask for as static metadata.
    ///
    /// - Parameter entitlement: The entitlement.
    /// - Returns: The absolute instant; `nil` if nothing is recorded, or the date could not be read.
    public func expiry(of entitlement: Entitlement) -> Timestamp? {
        entry(of: entitlement)?.period.notAfter
    }

    /// Finds everything that is known of an entitlement.
    ///
    /// - Parameter entitlement: The entitlement.
    /// - Returns: Its entry; `nil` if it is not in the ledger.
    public func entry(of entitlement: Entitlement) -> LedgerEntry? {
        read { state, now in state.ledgerEntry(of: entitlement, at: now) }
    }

    /// All entries, ordered by requestor, provider and resource.
    public var entries: [LedgerEntry] {
        read { state, now in state.ledgerEntries(at: now) { _ in true } }
    }

    /// The number of entries.
    public var count: Int { read { state, _ in state.entries.count } }

    /// The next instant at which an entry expires; `nil` if none is left that can.
    ///
    /// Looks at every entry.
    public var nextExpiry: Timestamp? {
        read { state, _ in
            state.entries.values.reduce(nil) { next, entry in
                guard !state.isExpired(entry), let notAfter = entry.period.notAfter else { return next }
                return min(next ?? notAfter, notAfter)
            }
        }
    }

    /// The entries that have expired.
    public var expired: [LedgerEntry] {
        read { state, now in state.ledgerEntries(at: now) { state.isExpired($0) } }
    }

    /// Erases the entries that have expired.
    ///
    /// Nothing else erases an entry for its age, so a clock that is wrong for a moment loses none. Sweep when the clock
    /// can be trusted.
    ///
    /// - Returns: The entries that were erased.
    public func sweep() -> [LedgerEntry] {
        change { state, now in
            let swept = state.ledgerEntries(at: now) { state.isExpired($0) }
            for entry in swept { state.entries[entry.entitlement] = nil }
            return swept
        }
    }

    // MARK: Steps

    /// Runs a question under the lock, with the time.
    func read<Answer>(_ body: (inout LedgerState, Timestamp) -> Answer) -> Answer {
        let now = time.now
        let (answer, jump) = state.withLock { state in
            let jump = state.see(now)
            return (body(&state, now), jump)
        }
        if let jump { report(jump) }
        return answer
    }

    /// Runs a change under the lock, with the time, and wakes the tasks that wait for changes.
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

/// Wakes tasks when a ledger changes.
final class LedgerChanges: Sendable {
    private struct Waiters: Sendable {
        var number: UInt64 = 0
        var lastID: UInt64 = 0
        var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
    }

    private let waiters = Mutex(Waiters())

    /// The number of changes so far.
    var number: UInt64 { waiters.withLock { $0.number } }

    /// Counts a change, and wakes all waiting tasks.
    func announce() {
        let woken = waiters.withLock { waiters in
            waiters.number += 1
            defer { waiters.waiting = [:] }
            return waiters.waiting.values
        }
        for continuation in woken { continuation.resume() }
    }

    /// Waits until there are more changes than a number, or the task is cancelled.
    func wait(beyond number: UInt64) async {
        let id = waiters.withLock { waiters in
            waiters.lastID += 1
            return waiters.lastID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDone = waiters.withLock { waiters in
                    // Under the lock: a cancellation from here on finds the continuation.
                    if waiters.number > number || Task.isCancelled { return true }
                    waiters.waiting[id] = continuation
                    return false
                }
                if isDone { continuation.resume() }
            }
        } onCancel: {
            waiters.withLock { $0.waiting.removeValue(forKey: id) }?.resume()
        }
    }
}
