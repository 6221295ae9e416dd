#if Client
import Testing

@testable import EntitlementFlows

struct SessionQueueTests {
    @Test func `The next command waits for the one before`() async {
        let queue = SessionQueue()
        #expect(await queue.enter())
        let second = Task { await queue.enter() }
        while queue.waitingCount == 0 { await Task.yield() }
        queue.leave()
        #expect(await second.value)
        queue.leave()
        #expect(!queue.isBusy)
    }

    @Test func `A command that waits is cancelled alone`() async {
        let queue = SessionQueue()
        #expect(await queue.enter())
        let second = Task { await queue.enter() }
        while queue.waitingCount == 0 { await Task.yield() }
        second.cancel()
        #expect(await !second.value)
        #expect(queue.isBusy)
        queue.leave()
        #expect(!queue.isBusy)
    }
}
#endif
