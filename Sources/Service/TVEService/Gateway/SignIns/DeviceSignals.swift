#if Service
import DeviceRecords
import EntitlementValues
import Synchronization

/// Wakes the requests of this process that wait for a change of their device.
///
/// Other replicas do not hear of it, so those who wait also look at the record from time to time.
final class DeviceSignals: Sendable {
    /// The wait of one request; it hears of all changes since it was made.
    final class Listener: Sendable {
        private struct State {
            var hasChanged = false
            var waiter: CheckedContinuation<Void, Never>?
        }

        private let state = Mutex(State())

        /// Waits for a change since the last one.
        ///
        /// - Parameters:
        ///   - limit: The longest wait.
        ///   - time: By which it is measured.
        func wait(atMost limit: Duration, by time: TimeSource) async {
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
                        if state.hasChanged || Task.isCancelled { return true }
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

    private let listeners = Mutex<[DeviceKey: [ObjectIdentifier: Listener]]>([:])

    /// Listens to the changes of a device while a body runs.
    ///
    /// - Parameters:
    ///   - device: The device.
    ///   - body: Waits.
    /// - Returns: What the body returned.
    /// - Throws: What the body throws.
    func listening<Answer>(
        to device: DeviceKey,
        _ body: (Listener) async throws -> Answer
    ) async throws -> Answer {
        let listener = Listener()
        let id = ObjectIdentifier(listener)
        listeners.withLock { $0[device, default: [:]][id] = listener }
        defer {
            listeners.withLock { listeners in
                listeners[device]?[id] = nil
                if listeners[device]?.isEmpty == true { listeners[device] = nil }
            }
        }
        return try await body(listener)
    }

    /// Tells that a device has changed.
    func tell(_ device: DeviceKey) {
        let waiting = listeners.withLock { Array($0[device, default: [:]].values) }
        for listener in waiting { listener.wake(isChange: true) }
    }

    /// How many requests wait.
    var count: Int { listeners.withLock { $0.values.reduce(0) { $0 + $1.count } } }
}
#endif
