import Dispatch
public import EntitlementValues
import Synchronization
import TextCodecs
public import TokenRedemption

/// Remembers redeemed tokens in a file, for all processes of one host.
///
/// ```swift
/// let store = try SQLiteReplayStore(path: "/var/lib/player/used-tokens.sqlite")
/// let token = try await verifier.verify(text, expecting: expectations, redeemingIn: store)
/// ```
///
/// A redemption is answered after it is written to the file, so it survives the process, even one that is killed.
/// Redemptions that come at the same time share a transaction. Each transaction also drops a few expired redemptions,
/// so the file does not grow beyond the redemptions of a busy hour. After a clock was set forward, they are dropped up to
/// two hours later: it may have leapt, and a store that drops what still counts has to refuse good tokens.
///
/// A redemption throws if the file does not answer in time, the disk is full, or the file was moved away; the
/// verification then ends in `.storeUnavailable`. A thread of the store does the work, so waiting blocks no thread of a
/// task.
///
/// Only the owner may read the file and the two files that SQLite keeps beside it; leave the three together. The file
/// must be on a disk of this host, since SQLite's log does not work over a network. After `fork`, a child needs a store
/// of its own.
public final class SQLiteReplayStore: ReplayStore, ProbedReplayStore {
    private let file: RedemptionFile
    private let time: TimeSource
    private let clock: StoreClock
    private let maximumWait: Duration
    private let process = ProcessGuard(isInUse: true)
    private let waiting = Mutex(Waiting())
    private let queue = DispatchQueue(label: "SQLiteReplayStore")

    /// One more redemption is refused at once: it could not be answered in time.
    private static let maximumWaiting = 10_000
    /// The maximum number of redemptions that share a transaction.
    private static let maximumInGroup = 500

    private struct Waiting {
        var redemptions: [WaitingRedemption] = []
        var isWorking = false

        /// Takes out the next redemptions to answer, and before them those whose deadline has passed.
        ///
        /// `uptime` is that by which deadlines are judged; `nil` if none counts.
        mutating func next(lateAt uptime: Duration?) -> (
            late: [WaitingRedemption], group: [WaitingRedemption]
        ) {
            let late = uptime.map { uptime in Array(redemptions.prefix { $0.deadline < uptime }) } ?? []
            let group = Array(redemptions.dropFirst(late.count).prefix(SQLiteReplayStore.maximumInGroup))
            redemptions.removeFirst(late.count + group.count)
            isWorking = !group.isEmpty
            return (late, group)
        }
    }

    /// Opens a file, and creates it if it is missing.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - survivesPowerLoss: Whether a redemption is answered only after it has reached the disk. If not, a machine
    ///     that loses power may forget the redemptions of its last moments, whose tokens can then be used once more. A
    ///     process that stops forgets nothing either way.
    ///   - patience: How long a transaction waits for other processes. After one that waited in vain, waiting
    ///     redemptions are refused if they have waited as long, or for a second if that is longer.
    ///   - time: Says which redemptions have expired and can be dropped.
    /// - Throws: `SQLiteStoreError` if the file cannot be used, or is not a file of this store.
    public init(
        path: String,
        survivesPowerLoss: Bool = false,
        patience: TimeToLive = .seconds(1),
        time: TimeSource = .system
    ) throws(SQLiteStoreError) {
        self.time = time
        clock = StoreClock(time)
        // Even with little patience, a redemption may wait for those that came before.
        maximumWait = .milliseconds(max(patience, .seconds(1)).milliseconds)
        file = try RedemptionFile(path, patience: patience, survivesPowerLoss: survivesPowerLoss)
    }

    /// Redeems an ID: of all callers in all processes, one is the first.
    ///
    /// - Parameters:
    ///   - id: The ID of the token.
    ///   - expiry: The instant until which the redemption must be remembered at least.
    ///   - now: The instant of the redemption, by the clock of the verification.
    /// - Returns: Whether this was the first redemption of the ID.
    /// - Throws: `.forgotten` if the redemption may be one that was dropped; `.unavailable` if the file does not
    ///   answer, or this process was forked from the one that opened it.
    public func redeem(
        _ id: ReplayID,
        until expiry: Timestamp,
        at now: Timestamp
    ) async throws(ReplayStoreError) -> Redemption {
        try process.check()
        let end = RedemptionLifetime.end(until: expiry, at: now, clock: time.now)
        return try await answer(to: .redemption(until: expiry, end: end), of: id)
    }

    /// Finds out whether the file can be written, by a row that is removed in the same transaction.
    ///
    /// Throws `.unavailable`, as a redemption would.
    package func probe() async throws(ReplayStoreError) {
        try process.check()
        _ = try await answer(to: .probe, of: try .random())
    }

    private func answer(
        to purpose: WaitingRedemption.Purpose,
        of id: ReplayID
    ) async throws(ReplayStoreError) -> Redemption {
        try await withCheckedContinuation { continuation in
            let deadline = time.uptime + maximumWait
            take(WaitingRedemption(id: id, purpose: purpose, deadline: deadline, answer: continuation))
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
            return refuse(
                redemption,
                because: "too many redemptions are waiting; start fewer at once, or use a faster disk or redis://")
        }
        if isFirst { queue.async { self.answerAll() } }
    }

    private func answerAll() {
        // If only this process's own load delays redemptions, they are answered late rather than refused.
        var isHeldUp = false
        while true {
            let (late, group) = waiting.withLock { $0.next(lateAt: isHeldUp ? time.uptime : nil) }
            for redemption in late {
                refuse(
                    redemption,
                    because:
                        "the redemptions before this one waited in vain; check the disk and other processes on the file"
                )
            }
            guard !group.isEmpty else { return }
            let answers = file.answers(to: group, at: clock.read().sure)
            isHeldUp = answers.contains { if case .failure(.unavailable) = $0 { true } else { false } }
            for (redemption, answer) in zip(group, answers) { redemption.answer.resume(returning: answer) }
        }
    }

    private func refuse(_ redemption: WaitingRedemption, because reason: String) {
        redemption.answer.resume(returning: .failure(.unavailable(reason: "\(file.path.printable): \(reason)")))
    }
}

/// A redemption whose caller is waiting for the answer.
struct WaitingRedemption: Sendable {
    /// What is asked of the file.
    enum Purpose: Sendable {
        /// Whether the ID is new, to be remembered until it has ended by both clocks.
        case redemption(until: Timestamp, end: Timestamp)
        /// Whether the file can be written.
        case probe
    }

    let id: ReplayID
    let purpose: Purpose
    /// The uptime at which it is refused unless its turn has come.
    let deadline: Duration
    let answer: CheckedContinuation<Result<Redemption, ReplayStoreError>, Never>
}
