#if Client
import BrokerClient
import Synchronization
import Testing
import TestVectors

struct SingleFlightTests {
    /// A job that ends when the test says so, and knows how often it was started and cancelled.
    private final class Job: Sendable {
        private struct State {
            var started = 0
            var cancelled = 0
            var waiting: [CheckedContinuation<Void, Never>] = []
        }

        private let state = Mutex(State())

        var started: Int { state.withLock { $0.started } }
        var cancelled: Int { state.withLock { $0.cancelled } }

        func run() async -> Result<Int, BrokerError> {
            let number = state.withLock { state in
                state.started += 1
                return state.started
            }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    state.withLock { $0.waiting.append(continuation) }
                }
            } onCancel: {
                state.withLock { $0.cancelled += 1 }
            }
            return .success(number)
        }

        func end() {
            let waiting = state.withLock { state in
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }

        var waiting: Int { state.withLock { $0.waiting.count } }
    }

    private let flight = SingleFlight<Int, BrokerError>()
    private let job = Job()

    private func waiters(_ count: Int) async throws -> [Task<Result<Int, BrokerError>?, Never>] {
        let (flight, job) = (flight, job)
        let tasks = (0..<count).map { _ in Task { await flight.result { await job.run() } } }
        try await eventually("\(count) wait") { flight.count == count && job.waiting == 1 }
        return tasks
    }

    @Test func `A hundred tasks share one run`() async throws {
        let tasks = try await waiters(100)
        job.end()
        for task in tasks { #expect(await task.value == .success(1)) }
        #expect(job.started == 1)
        #expect(flight.count == 0)
    }

    @Test(arguments: [0, 1, 50, 99])
    func `A cancelled task leaves alone`(cancelled: Int) async throws {
        var tasks = try await waiters(100)
        tasks[cancelled].cancel()
        #expect(await tasks[cancelled].value == nil)
        tasks.remove(at: cancelled)
        #expect(job.cancelled == 0)
        job.end()
        for task in tasks { #expect(await task.value == .success(1)) }
        #expect(job.started == 1)
    }

    @Test func `The last task that leaves cancels the run`() async throws {
        let tasks = try await waiters(3)
        for task in tasks.dropLast() {
            task.cancel()
            #expect(await task.value == nil)
        }
        #expect(job.cancelled == 0)
        tasks[2].cancel()
        #expect(await tasks[2].value == nil)
        try await eventually("the run is cancelled") { job.cancelled == 1 }
    }

    @Test func `A run that was given up does not answer those who come later`() async throws {
        let first = try await waiters(1)
        first[0].cancel()
        #expect(await first[0].value == nil)
        let (flight, job) = (flight, job)
        let second = Task { await flight.result { await job.run() } }
        try await eventually("a second run has started") { job.waiting == 2 }
        // Ends both: the first one ends with 1, which is for no task.
        job.end()
        #expect(await second.value == .success(2))
    }

    @Test func `A task that was cancelled before does not start a run`() async {
        let (flight, job) = (flight, job)
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return await flight.result { await job.run() }
        }
        task.cancel()
        #expect(await task.value == nil)
        #expect(job.started == 0)
        #expect(flight.count == 0)
    }

    @Test func `An error is shared, and the next task starts again`() async {
        let flight = flight
        let failing = await flight.result { .failure(.cancelled) }
        #expect(failing == .failure(.cancelled))
        let next = await flight.result { .success(7) }
        #expect(next == .success(7))
    }

    @Test func `Tasks that come, leave and end at once each have their answer`() async {
        let flight = flight
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<2000 {
                group.addTask {
                    let task = Task { await flight.result { .success(number) } }
                    if number % 3 == 0 { task.cancel() }
                    let result = await task.value
                    if number % 3 != 0 { #expect(result != nil) }
                }
            }
        }
        #expect(flight.count == 0)
    }
}
#endif
