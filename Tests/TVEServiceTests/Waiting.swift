#if Service
import Foundation
import Testing

/// Asks again and again until there is an answer.
///
/// Two minutes are far more than any answer takes, also on a slow machine: they only keep a test from waiting for ever.
///
/// - Parameter find: Looks for the answer; `nil` if there is none yet.
/// - Returns: The answer.
/// - Throws: What `find` throws; `POSIXError` with the code `ETIMEDOUT` if there is no answer at all.
@discardableResult
func polled<Found>(_ find: () async throws -> Found?) async throws -> Found {
    for _ in 0..<6000 {
        if let found = try await find() { return found }
        try await Task.sleep(for: .milliseconds(20))
    }
    throw POSIXError(.ETIMEDOUT)
}

/// Runs an operation that is cancelled after two minutes, so that a test which waits in vain ends.
///
/// - Parameter operation: The operation, which must end when it is cancelled.
/// - Returns: What the operation returned.
/// - Throws: What the operation throws; `POSIXError` with the code `ETIMEDOUT` if it was cancelled.
func limited<Found: Sendable>(_ operation: @escaping @Sendable () async throws -> Found) async throws -> Found {
    try await withThrowingTaskGroup(of: Found.self) { group in
        group.addTask { try await operation() }
        group.addTask {
            try await Task.sleep(for: .seconds(120))
            throw POSIXError(.ETIMEDOUT)
        }
        defer { group.cancelAll() }
        guard let found = try await group.next() else { throw POSIXError(.ETIMEDOUT) }
        return found
    }
}

/// Does what blocks on a thread of its own: the threads that run tasks are few, and others need them.
func onThread<Found: Sendable>(_ body: @escaping @Sendable () throws -> Found) async throws -> Found {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}

/// The tests that need a clock, and so tell little on a busy machine, run only on request.
let isDeep = ProcessInfo.processInfo.environment["TVE_DEEP"] != nil
#endif
