#if Service
import TestVectors

/// Runs an operation that is cancelled when its time is over, so that a test which waits in vain ends.
///
/// - Parameter operation: The operation, which must end when it is cancelled.
/// - Returns: What the operation returned.
/// - Throws: What the operation throws; `WaitedInVain` if it was cancelled.
func limited<Found: Sendable>(_ operation: @escaping @Sendable () async throws -> Found) async throws -> Found {
    try await withThrowingTaskGroup(of: Found.self) { group in
        group.addTask { try await operation() }
        group.addTask {
            try await Task.sleep(for: patience)
            throw WaitedInVain(for: "the end of an operation")
        }
        defer { group.cancelAll() }
        guard let found = try await group.next() else { throw WaitedInVain(for: "the end of an operation") }
        return found
    }
}
#endif
