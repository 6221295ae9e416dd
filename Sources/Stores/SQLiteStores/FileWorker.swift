import Dispatch
import EntitlementValues
import Synchronization

/// Runs work on a file in a thread of its own, all that waits at the same time in one transaction.
///
/// So many callers share one wait for the disk, and none blocks a thread of a task. What waits for nothing can be run by
/// its caller instead: to wake another thread and be woken costs several times as much as the work.
final class FileWorker: Sendable {
    /// One more piece of work is refused at once: it could not be done in time.
    private static let maximumWaiting = 10_000
    /// The most pieces of work that share a transaction.
    private static let maximumInGroup = 500
    /// How often a thread looks whether another one is done with the file: for a tenth of a millisecond.
    ///
    /// A change that waits for nothing takes a tenth of that, unless its thread was taken off the processor.
    static let maximumLooks = 100_000
    /// How many looks a try takes that comes too early: it is a call of the system.
    private static let looksOfTry = 1000

    private let file: StoreFile
    private let time: TimeSource
    private let maximumWait: Duration
    private let transaction: @Sendable ([WaitingWork]) throws(SQLiteStoreError) -> [Resumption]
    private let waiting = Mutex(Waiting())
    /// Whether the worker's thread has work, or is about to; changed under the lock of `waiting`.
    private let isWorking = Atomic(false)
    /// Held by the thread that uses the file.
    private let use = Mutex(())
    /// Whether `use` is held: to try a mutex that is held is a call of the system each time.
    private let isInUse = Atomic(false)
    private let queue: DispatchQueue

    /// Makes a worker, which alone begins transactions in the file.
    ///
    /// Work waits at most `maximumWait` while other processes hold the file. `transaction` runs a group in a
    /// transaction, and answers how each caller goes on.
    init(
        _ file: StoreFile,
        named name: String,
        maximumWait: Duration,
        time: TimeSource,
        transaction: @escaping @Sendable ([WaitingWork]) throws(SQLiteStoreError) -> [Resumption]
    ) {
        (self.file, self.maximumWait, self.time, self.transaction) = (file, maximumWait, time, transaction)
        queue = DispatchQueue(label: name)
    }

    /// Waits for the turn of some work, and for the end of its transaction.
    ///
    /// If the work throws, the whole group is undone. `survivesPowerLoss` says whether the work must have reached the
    /// disk. Throws what the work or its transaction threw, and `.unavailable` if its turn did not come.
    func run<Answer: Sendable>(
        survivingPowerLoss survivesPowerLoss: Bool = false,
        _ work: @escaping @Sendable () throws(SQLiteStoreError) -> Answer
    ) async throws(SQLiteStoreError) -> Answer {
        let result = await withCheckedContinuation { (continuation: Waiter<Answer>) in
            take(
                WaitingWork(
                    deadline: time.uptime + maximumWait,
                    survivesPowerLoss: survivesPowerLoss,
                    run: { () throws(SQLiteStoreError) in
                        let answer = try work()
                        return { continuation.resume(returning: .success(answer)) }
                    },
                    refuse: { continuation.resume(returning: .failure($0)) }))
        }
        return try result.get()
    }

    /// Runs work on the calling thread if the file is free, or will be within a tenth of a millisecond.
    ///
    /// It has the file for itself, and must not wait for the disk or for other processes. Work that waits for its turn
    /// comes first.
    ///
    /// `looks` is how often to look whether the file is free. `nil` if the work was not run.
    func runAtOnce<Answer: Sendable>(
        looking looks: Int = maximumLooks,
        _ work: () throws(SQLiteStoreError) -> Answer?
    ) throws(SQLiteStoreError) -> Answer? {
        var left = looks
        while left > 0, !isWorking.load(ordering: .relaxed) {
            left -= 1
            guard !isInUse.load(ordering: .relaxed) else { continue }
            let answer = try use.withLockIfAvailable { _ throws(SQLiteStoreError) in try using(work) }
            if let answer { return answer }
            left -= Self.looksOfTry
        }
        return nil
    }

    /// Runs work on the calling thread, which waits until the file is free.
    ///
    /// The work has the file for itself, and begins and ends its own transaction.
    func runBlocking<Answer: Sendable>(
        _ work: () throws(SQLiteStoreError) -> Answer
    ) throws(SQLiteStoreError) -> Answer {
        try use.withLock { _ throws(SQLiteStoreError) in try using(work) }
    }

    /// Runs work on this thread, which holds `use`.
    private func using<Answer>(_ work: () throws(SQLiteStoreError) -> Answer) throws(SQLiteStoreError) -> Answer {
        isInUse.store(true, ordering: .relaxed)
        defer { isInUse.store(false, ordering: .relaxed) }
        return try work()
    }

    private func take(_ work: WaitingWork) {
        let (isTaken, isFirst) = waiting.withLock { waiting in
            guard waiting.work.count < Self.maximumWaiting else { return (false, false) }
            waiting.work.append(work)
            return (true, !isWorking.exchange(true, ordering: .relaxed))
        }
        guard isTaken else {
            return refuse(work, because: "too many changes are waiting; start fewer at once, or use a faster disk")
        }
        if isFirst { queue.async { self.workOff() } }
    }

    private func workOff() {
        // If only this process's own load delays work, it is done late rather than refused.
        var isHeldUp = false
        while true {
            let (late, group) = waiting.withLock { waiting in
                let next = waiting.next(atMost: Self.maximumInGroup, lateAt: isHeldUp ? time.uptime : nil)
                isWorking.store(!next.group.isEmpty, ordering: .relaxed)
                return next
            }
            for work in late {
                refuse(work, because: "what came before this waited in vain; check the disk and other processes on it")
            }
            guard !group.isEmpty else { return }
            do throws(SQLiteStoreError) {
                for resume in try runBlocking({ () throws(SQLiteStoreError) in try transaction(group) }) { resume() }
                isHeldUp = false
            } catch {
                for work in group { work.refuse(error) }
                isHeldUp = true
            }
        }
    }

    private func refuse(_ work: WaitingWork, because reason: String) {
        work.refuse(.unavailable(path: file.path, reason: reason))
    }
}

/// The caller of some work.
private typealias Waiter<Answer> = CheckedContinuation<Result<Answer, SQLiteStoreError>, Never>

/// Lets a caller go on with its answer.
typealias Resumption = @Sendable () -> Void

/// Work whose caller is waiting for it.
struct WaitingWork: Sendable {
    /// The uptime at which it is refused unless its turn has come.
    let deadline: Duration
    let survivesPowerLoss: Bool
    /// Does the work, and says how the caller goes on after the transaction.
    let run: @Sendable () throws(SQLiteStoreError) -> Resumption
    let refuse: @Sendable (SQLiteStoreError) -> Void
}

/// The work that waits.
private struct Waiting {
    var work: [WaitingWork] = []

    /// Takes out the next group, and before it the work whose deadline has passed.
    ///
    /// `uptime` is that by which deadlines are judged; `nil` if none counts. `maximum` is how many pieces of work the
    /// group may have.
    mutating func next(atMost maximum: Int, lateAt uptime: Duration?) -> (late: [WaitingWork], group: [WaitingWork]) {
        let late = uptime.map { uptime in Array(work.prefix { $0.deadline < uptime }) } ?? []
        let group = Array(work.dropFirst(late.count).prefix(maximum))
        work.removeFirst(late.count + group.count)
        return (late, group)
    }
}
