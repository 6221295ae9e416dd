#if Service
import BrokerClient
import CoreMetrics
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import HTTPTypes
import Logging
import Synchronization
import TVEService
import TestVectors
import TVETesting
import Testing

@Suite("Events on their way out")
struct EventQueueTests {
    /// Takes events, or does not.
    private final class Receiver: EventSink {
        let isAway = Mutex(false)
        let rejects = Mutex(false)
        let lines = Mutex<[String]>([])
        /// How many bytes were taken at once.
        let groups = Mutex<[Int]>([])
        let attempts = Mutex(0)
        /// The number of the one attempt at which it is away; 0 for none.
        private let absence: Int
        /// Which groups it takes only in parts.
        private let dislikes: @Sendable ([String]) -> Bool

        init(awayAt absence: Int, disliking dislikes: @escaping @Sendable ([String]) -> Bool) {
            (self.absence, self.dislikes) = (absence, dislikes)
        }

        func deliver(_ bytes: [UInt8]) async throws(EventSinkFailure) {
            let attempt = attempts.withLock { attempts in
                attempts += 1
                return attempts
            }
            if attempt == absence || isAway.withLock({ $0 }) { throw EventSinkFailure(.later, reason: "away") }
            if rejects.withLock({ $0 }) { throw EventSinkFailure(.none, reason: "not wanted") }
            let new = bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
            if dislikes(new) { throw EventSinkFailure(.smallerGroups, reason: "not together") }
            lines.withLock { $0 += new }
            groups.withLock { $0.append(bytes.count) }
        }

        /// The numbers of the events that were taken, in their order.
        var numbers: [Int] {
            lines.withLock { lines in
                lines.compactMap { $0.split(separator: "\"")[3].split(separator: "-").last.flatMap { Int($0) } }
            }
        }
    }

    private struct Bench {
        let receiver: Receiver
        let registry = MetricsRegistry()
        let log = LogLines()
        let events: EventQueue
        /// Stands still unless a test moves it.
        let time = ManualTime(at: Timestamp(milliseconds: 1_780_000_000_000))

        init(
            capacity: Int,
            awayAt absence: Int = 0,
            disliking dislikes: @escaping @Sendable ([String]) -> Bool = { _ in false }
        ) {
            receiver = Receiver(awayAt: absence, disliking: dislikes)
            events = EventQueue(
                to: receiver, capacity: capacity, metrics: GatewayMetrics(registry),
                logger: Logger(label: "test") { [log] _ in log }, time: time.source)
        }

        /// Takes an event that names a resource.
        func take(_ resource: String) {
            events.take(DeviceEvent(.preauthorized([ResourceID(resource)]), of: "device", visitor: nil), of: "tv")
        }

        func take(_ count: Int) {
            for _ in 0..<count {
                events.take(DeviceEvent(.requestorComplete(true), of: "device", visitor: nil), of: "tv")
            }
        }

        /// How many events were sent, or given up because they are not wanted.
        var settled: Int { (count("sent") ?? 0) + (count("rejected") ?? 0) }

        func count(_ fate: String) -> Int? {
            let start = "tve_gateway_events_total{fate=\"\(fate)\"} "
            return registry.text().split(separator: "\n").first { $0.hasPrefix(start) }
                .flatMap { Int($0.dropFirst(start.count)) }
        }
    }

    @Test func `More than fit are dropped and counted, and the caller does not wait`() async {
        let bench = Bench(capacity: 100)
        bench.take(250)
        #expect(bench.count("dropped") == 150)
        await bench.events.finish(within: .seconds(5))
        #expect(bench.receiver.lines.withLock { $0.count } == 100)
        #expect(bench.count("sent") == 100)
    }

    @Test func `What was not taken comes again, in its order, each once`() async throws {
        let bench = Bench(capacity: 2000)
        bench.receiver.isAway.withLock { $0 = true }
        bench.take(1200)
        let task = Task { await bench.events.run() }
        try await eventually { bench.time.sleepers == 1 }
        #expect(bench.receiver.attempts.withLock { $0 } == 1)
        bench.receiver.isAway.withLock { $0 = false }
        bench.time.advance(by: .seconds(1))
        try await eventually { bench.count("sent") == 1200 }
        task.cancel()
        #expect(bench.receiver.numbers == Array(1...1200))
        #expect(bench.count("dropped") == 0)
    }

    @Test func `What is not wanted is given up, and what follows is not`() async {
        let bench = Bench(capacity: 100)
        bench.receiver.rejects.withLock { $0 = true }
        bench.take(3)
        await bench.events.finish(within: .seconds(5))
        #expect(bench.count("rejected") == 3)
        bench.receiver.rejects.withLock { $0 = false }
        bench.take(2)
        await bench.events.finish(within: .seconds(5))
        #expect(bench.count("sent") == 2)
    }

    @Test func `An event that is not wanted is lost alone, also if the receiver is away in between`() async throws {
        let bench = Bench(capacity: 100, awayAt: 2) { lines in
            lines.contains { $0.contains("unwanted") }
        }
        for number in 1...20 { bench.take(number == 14 ? "unwanted" : "wanted") }
        let task = Task { await bench.events.run() }
        try await eventually { bench.time.sleepers == 1 }
        #expect(bench.receiver.numbers.isEmpty)
        bench.time.advance(by: .seconds(1))
        try await eventually { bench.settled >= 20 }
        task.cancel()
        #expect(bench.receiver.numbers == Array(1...13) + Array(15...20))
        #expect(bench.count("rejected") == 1 && bench.count("dropped") == 0)
        // Once for the group and once for the outage, and not for each half.
        #expect(bench.log.text.ranges(of: "events are not taken").count == 2)
    }

    @Test func `A group that is too large arrives in halves, and nothing of it is lost`() async {
        let bench = Bench(capacity: 100) { $0.count > 3 }
        for _ in 1...20 { bench.take("wanted") }
        await bench.events.finish(within: .seconds(60))
        #expect(bench.receiver.numbers == Array(1...20))
        #expect(bench.count("sent") == 20 && bench.count("rejected") == 0)
    }

    @Test func `What waits has so many bytes at most, and so has what is sent at once`() async throws {
        let bench = Bench(capacity: 1000)
        let half = String(repeating: "a", count: 500_000)
        for _ in 0..<40 { bench.take(half) }
        // With its other members, 33 events of that size have less than 16 MiB, and 34 have more.
        #expect(bench.count("dropped") == 7)
        await bench.events.finish(within: .seconds(60))
        #expect(bench.count("sent") == 33)
        let groups = bench.receiver.groups.withLock { $0 }
        #expect(groups.count == 17 && groups.allSatisfy { $0 <= EventQueue.groupBytes }, "\(groups)")
        // There is room again. An event that is larger than a group goes alone.
        for text in ["b", half + half + half, "c"] { bench.take(text) }
        await bench.events.finish(within: .seconds(60))
        #expect(bench.count("sent") == 36 && bench.count("dropped") == 7)
        #expect(bench.receiver.groups.withLock { $0.count } == 20)
    }

    @Test(
        arguments: [
            (400, .smallerGroups), (413, .smallerGroups), (422, .smallerGroups), (409, .none), (410, .none),
            (415, .none),
            (401, .later), (403, .later), (404, .later), (408, .later), (429, .later), (302, .later), (503, .later),
        ] as [(Int, EventSinkFailure.Remedy)])
    func `A webhook's status says what helps`(status: Int, remedy: EventSinkFailure.Remedy) async throws {
        struct Answering: HTTPTransport {
            let status: Int

            func send(
                _ request: HTTPRequest, body: [UInt8], within timeLimit: Duration
            ) async throws(TransportFailure) -> HTTPAnswer {
                HTTPAnswer(HTTPResponse(status: HTTPResponse.Status(code: status)))
            }
        }
        let address = try #require(GatewayAddress("https://events.example.com/"))
        let failure = await #expect(throws: EventSinkFailure.self) {
            try await EventWebhook(to: address, over: Answering(status: status)).deliver([])
        }
        #expect(failure?.remedy == remedy)
    }

    @Test func `At the end it does not wait for ever`() async throws {
        let bench = Bench(capacity: 100)
        bench.receiver.isAway.withLock { $0 = true }
        bench.take(7)
        let task = Task { await bench.events.finish(within: .milliseconds(200)) }
        // The limit, and the pause after the first attempt.
        try await eventually { bench.time.sleepers == 2 }
        bench.time.advance(by: .milliseconds(200))
        await task.value
        #expect(bench.count("dropped") == 7)
    }

    @Test func `A device has one name in all events, and another device has another`() {
        #expect(DevicePseudonym(of: "a") == DevicePseudonym(of: "a"))
        #expect(DevicePseudonym(of: "a") != DevicePseudonym(of: "b"))
        #expect(DevicePseudonym(of: "a")?.text.count == 32)
    }
}
#endif
