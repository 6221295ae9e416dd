import TextCodecs
public import TokenRedemption
import Dispatch
public import EntitlementValues
import Synchronization

/// Remembers used tokens in a file, for all processes of one host.
///
/// ```swift
/// let store = try SQLiteReplayStore(path: "/var/lib/player/used-tokens.sqlite")
/// let token = try await verifier.verify(text, expecting: expectations, redeemingIn: store)
/// ```
///
/// A redemption that was answered is in the file, and outlives the process, however it ends. Redemptions that come at the same time
/// share a transaction. Redemptions that are over are dropped along with new ones, a few each time, so the file does not grow
/// beyond the redemptions of a busy hour.
///
/// Where the file does not answer within the time, the disk is full, or the file was moved away, the redemption throws, and the
/// verification ends in `.storeUnavailable`. Redemptions are worked off by a thread of their own; tasks wait without blocking
/// theirs.
///
/// The file is made for its owner alone, and so are the two that SQLite keeps beside it; leave the three together. It must
/// be on a disk of this host, since SQLite's log does not work over a network. After `fork`, a child needs a store of its
/// own.
public final class SQLiteReplayStore: ReplayStore {
    private let file: RedemptionFile
    private let clock: @Sendable () -> Timestamp
    private let maximumWait: Duration
    private let process = ProcessGuard(isInUse: true)
    private let waiting = Mutex(Waiting())
    private let queue = DispatchQueue(label: "SQLiteReplayStore")

    /// More than can be worked off in time are refused at once.
    private static let maximumWaiting = 10_000
    /// So many share a transaction at most, and nobody waits for more than that.
    private static let maximumInGroup = 500

    private struct Waiting {
        var redemptions: [WaitingRedemption] = []
        var isWorking = false

        /// Takes out the next redemptions to work off, and before them those that are late at an instant.
        mutating func next(lateAt now: ContinuousClock.Instant?) -> (
            late: [WaitingRedemption], group: [WaitingRedemption]
        ) {
            let late = now.map { now in Array(redemptions.prefix { $0.deadline < now }) } ?? []
            let group = Array(redemptions.dropFirst(late.count).prefix(SQLiteReplayStore.maximumInGroup))
            redemptions.removeFirst(late.count + group.count)
            isWorking = !group.isEmpty
            return (late, group)
        }
    }

    /// Opens a file, or makes it.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - survivesPowerLoss: Whether a redemption is answered only when it is on the disk itself. Without, a machine that
    ///     stops all of a sudden may forget the redemptions of its last moments, which can then pass once more; a process that
    ///     stops forgets nothing either way.
    ///   - patience: How long a transaction waits for other processes. Where one waited in vain, the redemptions behind it are
    ///     refused that have waited for as long, or for a second.
    ///   - clock: What time it is, to drop redemptions that are over.
    /// - Throws: `SQLiteStoreError` where the file cannot be used, or is something else.
    public init(
        path: String,
        survivesPowerLoss: Bool = false,
        patience: TimeToLive = .seconds(1),
        clock: @escaping @Sendable () -> Timestamp = { .now }
    ) throws(SQLiteStoreError) {
        self.clock = clock
        // With little patience, too, a redemption may wait for those that came before.
        maximumWait = .milliseconds(max(patience, .seconds(1)).milliseconds)
        file = try RedemptionFile(path, patience: patience, survivesPowerLoss: survivesPowerLoss)
    }

    /// Redeems an ID: of all callers in all processes, one is the first.
    ///
    /// - Throws: `.forgotten` where the redemption may be one that was dropped, `.unavailable` where the file does not answer, or
    ///   this process was forked from the one that opened it.
    public func redeem(
        _ id: ReplayID,
        until expiry: Timestamp,
        at now: Timestamp
    ) async throws(ReplayStoreError) -> Redemption {
        try process.check()
        return try await withCheckedContinuation { continuation in
            let end = RedemptionLifetime.end(until: expiry, at: now, clock: clock())
            let deadline = ContinuousClock.now + maximumWait
            take(WaitingRedemption(id: id, until: expiry, end: end, deadline: deadline, answer: continuation))
        }.get()
    }

    private func take(_ redemption: WaitingRedemption) {
        let (isTaken, isFirst) = waiting.withLock { waiting in
            guard waiting.redemptions.count < Self.maximumWaiting else { return (false, false) }
            waiting.redemptions.append(redemption)
            defer { waiting.isWorking = true }
            return (true, !waiting.isWorking)
        }
        guard isTaken else {
            return refuse(redemption, "too many redemptions wait; use fewer at once, a faster disk or redis://")
        }
        if isFirst { queue.async { self.workOff() } }
    }

    private func workOff() {
        // What only this process's own load delays is answered late rather than refused.
        var isHeldUp = false
        while true {
            let (late, group) = waiting.withLock { $0.next(lateAt: isHeldUp ? .now : nil) }
            for redemption in late {
                refuse(
                    redemption,
                    "the redemptions before this one waited in vain; look at the disk and the processes that use the file"
                )
            }
            guard !group.isEmpty else { return }
            let answers = file.answers(to: group, clock: clock())
            isHeldUp = answers.contains { if case .failure(.unavailable) = $0 { true } else { false } }
            for (redemption, answer) in zip(group, answers) { redemption.answer.resume(returning: answer) }
        }
    }

    private func refuse(_ redemption: WaitingRedemption, _ reason: String) {
        redemption.answer.resume(returning: .failure(.unavailable(reason: "\(printable(file.path)): \(reason)")))
    }
}

/// A redemption whose caller waits for the answer.
struct WaitingRedemption: Sendable {
    let id: ReplayID
    let until: Timestamp
    let end: Timestamp
    /// When it is refused unless its turn has come.
    let deadline: ContinuousClock.Instant
    let answer: CheckedContinuation<Result<Redemption, ReplayStoreError>, Never>
}
