import Foundation
import Synchronization

/// Threads for tasks that block them, as long as the process lasts.
///
/// A queue of `Dispatch` would share its threads with other tasks.
package final class BlockedThreads: TaskExecutor {
    package static let shared = BlockedThreads(count: 16)

    private let jobs = Mutex<[UnownedJob]>([])
    private let arrivals = DispatchSemaphore(value: 0)

    private init(count: Int) {
        for _ in 0..<count {
            Thread.detachNewThread { [self] in
                while true { runNext() }
            }
        }
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        arrivals.signal()
    }

    private func runNext() {
        arrivals.wait()
        let job = jobs.withLock { $0.removeFirst() }
        unsafe job.runSynchronously(on: asUnownedTaskExecutor())
    }
}
