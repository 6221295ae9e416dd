#if Client
import EntitlementValues

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
