#if Redis
import TestVectors
import Testing

/// Runs tests on threads of their own, since they wait for servers and programs: other tests need the threads of tasks.
struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing body: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(BlockedThreads.shared) { try await body() }
    }
}

extension Trait where Self == OwnThreads {
    static var onOwnThreads: Self { OwnThreads() }
}
#endif
