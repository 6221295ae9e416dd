#if Service
package import DeviceRecords
package import EntitlementValues
import Synchronization

/// The requests of this process that wait for a change of their device: places for them, so that they never take the
/// service away from players, and what wakes them.
///
/// Other replicas do not hear of a change, so those who wait also look at the record from time to time.
package final class LongPolls: Sendable {
    /// How many places a device may have, so that one does not take those of all others.
    static let placesOfDevice = 4

    private struct State {
        var count = 0
        /// The waits of each device that has any.
        var waits: [DeviceKey: [ObjectIdentifier: Wait]] = [:]
    }

    private let capacity: Int
    private let state = Mutex(State())

    /// Makes places: of the connections that the service takes, a quarter may wait.
    package init(connections: Int) { capacity = max(1, connections / 4) }

    /// How many requests wait.
    package var count: Int { state.withLock(\.count) }

    /// Gives the request of a device a place, in which the body waits.
    ///
    /// Returns `nil` at once if all places are taken, or all that the device may have.
    package func with<Answer>(for device: DeviceKey, _ body: (Wait) async throws -> Answer) async throws -> Answer? {
        let wait = Wait()
        guard add(wait, of: device) else { return nil }
        defer { remove(wait, of: device) }
        return try await body(wait)
    }

    /// Wakes the requests of a device that has changed.
    package func wake(_ device: DeviceKey) {
        let waiting = state.withLock { Array($0.waits[device, default: [:]].values) }
        for wait in waiting { wait.wake(isChange: true) }
    }

    private func add(_ wait: Wait, of device: DeviceKey) -> Bool {
        state.withLock { state in
            let own = state.waits[device]?.count ?? 0
            guard state.count < capacity, own < Self.placesOfDevice else { return false }
            state.count += 1
            state.waits[device, default: [:]][ObjectIdentifier(wait)] = wait
            return true
        }
    }

    private func remove(_ wait: Wait, of device: DeviceKey) {
        state.withLock { state in
            state.count -= 1
            state.waits[device]?[ObjectIdentifier(wait)] = nil
            if state.waits[device]?.isEmpty == true { state.waits[device] = nil }
        }
    }
}

extension LongPolls {
    /// The wait of one request; it hears of all changes since it was made.
    package final class Wait: Sendable {
        private struct State {
            var hasChanged = false
            /// Whether nothing is waited for any more.
            var hasEnded = false
            var waiter: CheckedContinuation<Void, Never>?
        }

        private let state = Mutex(State())

        /// Whether it was ended before its time.
        package var hasEnded: Bool { state.withLock(\.hasEnded) }

        /// Ends it for good, because its client sends nothing more; a look that is under way is finished first.
        package func end() {
            state.withLock { $0.hasEnded = true }
            wake(isChange: false)
        }

        /// Waits for a change since the last one, at most as long as the limit; not at all once it has ended.
        package func change(within limit: Duration, by time: TimeSource) async {
            let end = time.uptime + limit
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await self.change() }
                group.addTask { try? await time.sleep(untilUptime: end) }
                await group.next()
                group.cancelAll()
            }
            state.withLock { $0.hasChanged = false }
        }

        private func change() async {
            await withTaskCancellationHandler {
                await withCheckedContinuation { waiter in
                    let isOver = state.withLock { state in
                        if state.hasChanged || state.hasEnded || Task.isCancelled { return true }
                        state.waiter = waiter
                        return false
                    }
                    if isOver { waiter.resume() }
                }
            } onCancel: {
                wake(isChange: false)
            }
        }

        fileprivate func wake(isChange: Bool) {
            let waiter = state.withLock { state in
                if isChange { state.hasChanged = true }
                defer { state.waiter = nil }
                return state.waiter
            }
            waiter?.resume()
        }
    }
}
#endif
