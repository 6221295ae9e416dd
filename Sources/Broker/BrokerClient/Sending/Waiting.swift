#if Client
import EntitlementValues

/// The waits before the repeats of one call: each is twice as long as the one before, and up to a quarter longer by
/// chance, so that clients that failed together do not come back together.
struct Backoff: Sendable {
    /// After an answer that there are too many requests: 1, 2 and 4 s.
    static let throttled = Backoff(first: .seconds(1))
    /// After a failure: 250 and 500 ms.
    static let failed = Backoff(first: .milliseconds(250))

    /// The shortest first wait.
    let first: Duration

    /// The wait before a repeat: up to a quarter more than the shortest wait, at random.
    ///
    /// `repeats` is how many there were before; for the first one it is 0.
    func wait(after repeats: Int) -> Duration {
        let shortest = first * (1 << min(repeats, 16))
        return shortest + .nanoseconds(Int64.random(in: 0...(shortest / 4).nanoseconds))
    }
}

extension Duration {
    /// The whole nanoseconds of a duration that is known to be shorter than a century.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds.multipliedReportingOverflow(by: 1_000_000_000).partialValue &+ attoseconds / 1_000_000_000
    }
}

extension TimeSource {
    /// Runs an operation that ends at once when it is cancelled, and cancels it at a deadline, an ``uptime``.
    ///
    /// `nil` if the deadline came first, also before the operation began.
    func running<Value: Sendable>(
        untilUptime deadline: Duration,
        _ operation: @escaping @Sendable () async -> Value
    ) async -> Value? {
        guard deadline > uptime else { return nil }
        return await withTaskGroup(of: Value?.self) { group in
            group.addTask { await operation() }
            group.addTask {
                try? await sleep(untilUptime: deadline)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
    }
}
#endif
