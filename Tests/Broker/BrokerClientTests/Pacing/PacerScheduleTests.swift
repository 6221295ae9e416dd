#if Client
import BrokerClient
import EntitlementValues
import Synchronization
import TestVectors
import TVETesting
import Testing

struct PacerScheduleTests {
    /// A request of a schedule: when it comes, and when it is given up.
    private struct Asking: Sendable {
        let address: Int
        let step: Int
        let priority: RequestPriority
        let patience: Duration
        let cancellation: Int?
    }

    private struct Grant: Sendable {
        let asked: Duration
        let sent: Duration
    }

    private struct Log: Sendable {
        var grants: [Int: [Grant]] = [:]
        var ended = 0
    }

    private final class Journal: Sendable {
        let log = Mutex(Log())
    }

    private static let stepMilliseconds: Int64 = 50
    /// More steps than the longest schedule and the longest patience have.
    private static let maximumSteps = 1000
    private static let schedules = 500

    @Test(arguments: 0..<20)
    func `No random schedule of many callers exceeds what the broker takes`(batch: Int) async throws {
        var random = Noise(seed: UInt64(batch))
        let askings = (0..<Self.schedules).flatMap { Self.schedule(of: $0, with: &random) }.sorted { $0.step < $1.step }
        let log = try await run(askings)
        #expect(log.ended == askings.count)
        for (address, grants) in log.grants { check(grants, of: address) }
        #expect(log.grants.count == Self.schedules)
        #expect(log.grants.values.contains { $0.contains { $0.sent > $0.asked } })
    }

    /// Up to 25 requests in up to five seconds.
    private static func schedule(of address: Int, with random: inout Noise) -> [Asking] {
        let span = Int.random(in: 1...100, using: &random)
        return (0..<Int.random(in: 1...25, using: &random)).map { number in
            Asking(
                address: address, step: number == 0 ? 0 : Int.random(in: 0..<span, using: &random),
                priority: number > 0 && Int.random(in: 0..<5, using: &random) == 0 ? .polling : .foreground,
                patience: .milliseconds(Int.random(in: 100...9000, using: &random)),
                cancellation: Int.random(in: 0..<8, using: &random) == 0
                    ? Int.random(in: 1..<60, using: &random) : nil)
        }
    }

    private func run(_ askings: [Asking]) async throws -> Log {
        let time = ManualTime(at: Timestamp(milliseconds: 1_768_480_200_000))
        let source = time.source
        let pacer = RequestPacer(time: source)
        let journal = Journal()
        var cancellations: [Int: [Task<Void, Never>]] = [:]
        var rest = askings[...]
        var step = 0
        var started = 0
        while !rest.isEmpty || journal.log.withLock({ $0.ended }) < started {
            try #require(step < Self.maximumSteps, "a request outlasts its patience")
            while let asking = rest.first, asking.step == step {
                rest.removeFirst()
                started += 1
                let task = Task { await Self.ask(asking, pacer, source, journal) }
                if let after = asking.cancellation { cancellations[step + after, default: []].append(task) }
            }
            // Whoever was just awake has looked before others are cancelled.
            try await eventually("all requests have looked") {
                journal.log.withLock { $0.ended } + time.sleepers == started
            }
            for task in cancellations.removeValue(forKey: step) ?? [] { task.cancel() }
            // Time goes on once each request has its answer or waits.
            try await eventually("all requests wait or have ended") {
                journal.log.withLock { $0.ended } + time.sleepers == started
            }
            time.advance(by: TimeToLive(milliseconds: Self.stepMilliseconds))
            step += 1
        }
        return journal.log.withLock { $0 }
    }

    private static func ask(
        _ asking: Asking,
        _ pacer: RequestPacer,
        _ time: TimeSource,
        _ journal: Journal
    ) async {
        let asked = time.uptime
        let turn = await pacer.turn(for: "address-\(asking.address)", asking.priority, within: asking.patience)
        journal.log.withLock { log in
            log.ended += 1
            guard case .granted(let waited) = turn else { return }
            // A poll never waits, and patience is never exceeded by more than a step of this test.
            #expect(asking.priority == .foreground || waited == .zero)
            #expect(waited <= asking.patience + .milliseconds(stepMilliseconds))
            log.grants[asking.address, default: []].append(Grant(asked: asked, sent: asked + waited))
        }
    }

    /// What the broker does: one in each second from the first on, and ten more in all.
    private func check(_ grants: [Grant], of address: Int) {
        let origin = grants.map(\.sent).min() ?? .zero
        var windows: [Int64: Int] = [:]
        for grant in grants { windows[(grant.sent - origin).components.seconds, default: 0] += 1 }
        let extra = windows.values.reduce(0) { $0 + $1 - 1 }
        #expect(extra <= 10, "address \(address)")
        // No second passes unused while a request waits.
        for grant in grants where grant.sent > grant.asked {
            let (first, last) = ((grant.asked - origin).components.seconds, (grant.sent - origin).components.seconds)
            for window in first..<max(first, last) { #expect(windows[window] != nil, "address \(address)") }
        }
    }
}
#endif
