#if Service
import EntitlementValues
import Synchronization

/// Does later what has to be done about sign-ins: ends those that are not proved, and logs out what came of them.
///
/// Each process does it for the sign-ins that it has seen. If the process stops before, the device's next request does it;
/// a sign-in that no request asks for does no harm, since its session is used for nothing else.
final class SignInKeeper: Sendable {
    /// The most things that are kept in mind.
    static let capacity = 65_536

    private struct State {
        weak var gateway: Gateway?
        var tasks: [String: (number: UInt64, task: Task<Void, Never>)] = [:]
        var last: UInt64 = 0
    }

    private let state = Mutex(State())

    deinit { for entry in state.withLock({ $0.tasks.values }) { entry.task.cancel() } }

    /// The gateway that is in use: a reload puts another one in its place, and ends the sessions of the one before.
    var gateway: Gateway? {
        get { state.withLock { $0.gateway } }
        set { state.withLock { $0.gateway = newValue } }
    }

    /// Does something later.
    ///
    /// - Parameters:
    ///   - name: What is done; if something of that name is to be done already, nothing changes.
    ///   - instant: When; at once if it has passed.
    ///   - time: By which the instant is told.
    ///   - capacity: With how many other things it is still worth its place.
    ///   - job: Does it.
    func schedule(
        _ name: String,
        at instant: Timestamp,
        by time: TimeSource,
        upTo capacity: Int = SignInKeeper.capacity,
        _ job: @escaping @Sendable () async -> Void
    ) {
        state.withLock { state in
            guard state.tasks[name] == nil, state.tasks.count < capacity else { return }
            state.last += 1
            let number = state.last
            let task = Task { [weak self] in
                guard (try? await time.sleep(until: instant)) != nil else { return }
                await job()
                self?.end(name, number)
            }
            state.tasks[name] = (number, task)
        }
    }

    /// Gives up something that was to be done.
    func cancel(_ name: String) {
        state.withLock { $0.tasks.removeValue(forKey: name) }?.task.cancel()
    }

    /// How many things are to be done.
    var count: Int { state.withLock(\.tasks.count) }

    private func end(_ name: String, _ number: UInt64) {
        state.withLock { state in
            if state.tasks[name]?.number == number { state.tasks[name] = nil }
        }
    }
}
#endif
