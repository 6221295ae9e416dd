#if Service
import BrokerMessages
import DeviceRecords
package import EntitlementFlows
package import EntitlementValues
package import Logging
import Synchronization
import TextCodecs

/// Hands the events of all devices over to a sink, after the requests that they belong to.
///
/// At most ``capacity`` events wait, of at most ``byteCapacity`` together. Of more, the newest are dropped and counted, so
/// that a sink which does not take them holds no request up. What the sink did not take comes again, in the same order, with
/// longer and longer pauses. If the sink does not want a group, it gets halves of it, so that one event that it cannot take
/// is the only one that is lost.
package final class EventQueue: Sendable {
    /// How many events wait at most.
    static let capacity = 20_000
    /// How many bytes wait at most; 20,000 events have about ten million.
    static let byteCapacity = 1 << 24
    /// How many events the sink is given at once.
    static let groupSize = 500
    /// How many bytes the sink is given at once, unless one event has more.
    package static let groupBytes = 1 << 20
    /// The pauses after the sink failed once, twice and so on.
    private static let pauses: [Duration] = [.seconds(1), .seconds(2), .seconds(5), .seconds(15), .seconds(30)]

    private struct Waiting {
        private(set) var lines: [[UInt8]] = []
        private var bytes = 0
        /// The number of the newest event.
        private(set) var number: UInt64 = 0

        /// Adds an event, unless too many bytes would wait then; returns whether it was added.
        mutating func append(_ line: [UInt8]) -> Bool {
            guard bytes + line.count <= EventQueue.byteCapacity else { return false }
            lines.append(line)
            bytes += line.count
            number += 1
            return true
        }

        /// The first events, at most so many, with at most ``EventQueue/groupBytes`` unless the first one has more.
        func group(upTo size: Int) -> [[UInt8]] {
            var bytes = 0
            let group = lines.prefix(size).prefix { line in
                bytes += line.count
                return bytes == line.count || bytes <= EventQueue.groupBytes
            }
            return Array(group)
        }

        mutating func removeFirst(_ count: Int) {
            bytes -= lines.prefix(count).reduce(0) { $0 + $1.count }
            lines.removeFirst(count)
        }
    }

    private let sink: any EventSink
    private let metrics: GatewayMetrics
    private let logger: Logger
    private let time: TimeSource
    private let capacity: Int
    /// Tells the events of this process from those of others, and of earlier ones.
    private let origin = Hex.encode((0..<8).map { _ in UInt8.random(in: 0...255) })
    private let waiting = Mutex(Waiting())
    private let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// Makes an empty queue; ``run()`` empties it.
    package init(
        to sink: any EventSink,
        capacity: Int = EventQueue.capacity,
        metrics: GatewayMetrics,
        logger: Logger,
        time: TimeSource
    ) {
        (self.sink, self.capacity, self.metrics) = (sink, capacity, metrics)
        (self.logger, self.time) = (logger, time)
    }

    /// What a session hands the events of an app's devices to.
    func observer(ofApp app: String) -> EventObserver { { [self] event in take(event, of: app) } }

    /// Takes an event in, or drops it if too many wait; it does not wait itself.
    package func take(_ event: DeviceEvent, of app: String) {
        let now = time.now
        let pseudonym = DevicePseudonym(of: event.device.deviceOfSession)
        let isTaken = waiting.withLock { waiting in
            guard waiting.lines.count < capacity else { return false }
            var object = JSONWriter()
            object.member("id", "\(origin)-\(waiting.number + 1)")
            object.member("time", now.milliseconds)
            object.member("app", app)
            if let pseudonym { object.member("device", pseudonym.text) }
            if let visitor = event.visitor { object.member("visitor", visitor.text) }
            event.event.write(to: &object)
            return waiting.append(object.line())
        }
        guard isTaken else { return metrics.count(.dropped, events: 1) }
        arrival.yield()
    }

    /// Hands events over as they come, until the task is cancelled.
    package func run() async {
        for await _ in arrivals { await deliverAll() }
    }

    /// Hands over what waits, for a limited time, before the process ends.
    package func finish(within limit: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.deliverAll() }
            group.addTask { try? await self.time.sleep(untilUptime: self.time.uptime + limit) }
            _ = await group.next()
            group.cancelAll()
        }
        let left = waiting.withLock { $0.lines.count }
        guard left > 0 else { return }
        metrics.count(.dropped, events: left)
        logger.warning("events were not handed over before the end", metadata: ["events": "\(left)"])
    }

    private func deliverAll() async {
        var failures = 0
        // How many events the next groups have, the next one last: the halves of a group that the sink did not want.
        var halves: [Int] = []
        while !Task.isCancelled {
            let group = waiting.withLock { $0.group(upTo: halves.last ?? Self.groupSize) }
            guard !group.isEmpty else { return }
            do throws(EventSinkFailure) {
                try await sink.deliver(Array(group.joined()))
                metrics.count(.sent, events: group.count)
                if failures > 0 { logger.notice("events are taken again") }
                failures = 0
            } catch {
                // Once for each outage or group, and not once for each attempt or half.
                if failures == 0, halves.isEmpty || error.remedy == .later {
                    logger.warning("events are not taken", metadata: ["reason": "\(error.reason)"])
                }
                switch error.remedy {
                case .later:
                    let pause = Self.pauses[min(failures, Self.pauses.count - 1)]
                    failures += 1
                    try? await time.sleep(untilUptime: time.uptime + pause)
                    continue
                case .smallerGroups where group.count > 1:
                    _ = halves.popLast()
                    halves += [group.count - group.count / 2, group.count / 2]
                    continue
                case .smallerGroups, .none: metrics.count(.rejected, events: group.count)
                }
            }
            _ = halves.popLast()
            waiting.withLock { $0.removeFirst(group.count) }
        }
    }
}
#endif
