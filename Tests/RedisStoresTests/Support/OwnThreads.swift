#if Redis
import Foundation
import Synchronization
import Testing

/// Runs tests on threads of their own, since they wait for servers and programs: other tests need the threads of tasks.
struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing body: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(ThreadPool.shared) { try await body() }
    }
}

extension Trait where Self == OwnThreads {
    static var onOwnThreads: Self { OwnThreads() }
}

/// Threads that last as long as the process; a queue of `Dispatch` would share its threads with tasks.
private final class ThreadPool: TaskExecutor {
    static let shared = ThreadPool(threads: 16)

    private let jobs = Mutex<[UnownedJob]>([])
    private let arrivals = DispatchSemaphore(value: 0)

    private init(threads: Int) {
        for _ in 0..<threads {
            Thread.detachNewThread { [self] in
                while true { runNext() }
            }
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
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
#endif
