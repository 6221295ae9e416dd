package import EntitlementValues
import Synchronization

/// A value made of keys, which is replaced when their files change, for as long as it exists.
package final class RotatingValue<Value: Sendable>: Sendable {
    private final class Current: Sendable {
        let value: Mutex<Value>

        init(_ value: Value) { self.value = Mutex(value) }
    }

    private let shared: Current
    private let watching: Task<Void, Never>

    /// Starts to watch, with a value that was made of the first keys.
    ///
    /// `replacing` makes the value of new keys. `report` receives each change.
    package init<Keys>(
        _ value: Value,
        following watcher: KeyWatcher<Keys>,
        every interval: Duration,
        by time: TimeSource,
        replacing: @escaping @Sendable (Value, Keys) -> Value,
        report: @escaping @Sendable (KeyRotation) -> Void
    ) {
        let shared = Current(value)
        self.shared = shared
        // It holds the shared value and not this object, whose end cancels it.
        watching = Task {
            for await change in watcher.changes(every: interval, by: time) {
                switch change {
                case .success(let keys):
                    shared.value.withLock { $0 = replacing($0, keys) }
                    report(.replaced)
                case .failure(let error): report(.refused(error))
                }
            }
        }
    }

    deinit { watching.cancel() }

    /// The value of the keys in use.
    package var current: Value { shared.value.withLock { $0 } }
}

/// What happened to the keys of a verifier or decrypter that follows their files.
@nonexhaustive
public enum KeyRotation: Sendable, Hashable {
    /// The files have changed; the new set is in use.
    case replaced
    /// A file has changed and is bad, or is missing; the set in use stays.
    ///
    /// If keys were taken away meanwhile, `replaced` came before this.
    case refused(KeyError)
}
