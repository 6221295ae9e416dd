#if Client
import EntitlementFlows
import Testing

@Suite("Events of a session")
struct SessionEventsTests {
    /// Events that can be told apart.
    private func event(_ number: Int) -> SessionEvent { .missed(-number) }

    private func numbers(_ stream: AsyncStream<SessionEvent>, _ count: Int) async -> [Int] {
        var numbers: [Int] = []
        for await case .missed(let number) in stream {
            numbers.append(number)
            if numbers.count == count { break }
        }
        return numbers
    }

    @Test func `64 events wait, and none is lost`() async {
        let events = SessionEvents()
        let stream = events.listen()
        for number in 1...64 { events.send(event(number)) }
        #expect(await numbers(stream, 64) == (1...64).map { -$0 })
    }

    @Test(arguments: [65, 100, 200])
    func `Of more, the oldest are lost, and that is told once before the next event`(count: Int) async {
        let events = SessionEvents()
        let stream = events.listen()
        for number in 1...count { events.send(event(number)) }
        #expect(await numbers(stream, 65) == [count - 64] + (count - 63...count).map { -$0 })
        events.send(event(count + 1))
        #expect(await numbers(stream, 1) == [-(count + 1)])
    }

    @Test func `Each listener has its own events from its beginning on`() async {
        let events = SessionEvents()
        let first = events.listen()
        events.send(event(1))
        let second = events.listen()
        events.send(event(2))
        #expect(await numbers(first, 2) == [-1, -2])
        #expect(await numbers(second, 1) == [-2])
    }

    @Test func `A waiting listener gets the event at once, and the end after the last one`() async throws {
        var events: SessionEvents? = SessionEvents()
        let stream = try #require(events?.listen())
        let task = Task { await numbers(stream, 10) }
        for number in 1...3 { events?.send(event(number)) }
        events = nil
        #expect(await task.value == [-1, -2, -3])
    }

    @Test func `A listener that is gone costs nothing`() async {
        let events = SessionEvents()
        var stream: AsyncStream<SessionEvent>? = events.listen()
        #expect(events.listenerCount == 1)
        _ = stream
        stream = nil
        #expect(events.listenerCount == 0)
        // Before the task listens, or while it does: which of them is not known.
        let cancelled = events.listen()
        let task = Task { await numbers(cancelled, 1) }
        await Task.yield()
        task.cancel()
        #expect(await task.value.isEmpty)
        #expect(events.listenerCount == 0)
    }
}
#endif
