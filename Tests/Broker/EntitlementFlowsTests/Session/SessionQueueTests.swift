#if Client
import EntitlementFlows
import Testing
import TestVectors

struct SessionQueueTests {
    @Test func `The next command waits for the one before`() async throws {
        let queue = SessionQueue()
        #expect(await queue.enter())
        let second = Task { await queue.enter() }
        try await eventually { queue.waitingCount > 0 }
        queue.leave()
        #expect(await second.value)
        queue.leave()
        #expect(!queue.isBusy)
    }

    @Test func `A command that waits is cancelled alone`() async throws {
        let queue = SessionQueue()
        #expect(await queue.enter())
        let second = Task { await queue.enter() }
        try await eventually { queue.waitingCount > 0 }
        second.cancel()
        #expect(await !second.value)
        #expect(queue.isBusy)
        queue.leave()
        #expect(!queue.isBusy)
    }
}
#endif
