#if Redis
import EntitlementValues
import Foundation
import TVETesting
import TestVectors

extension ManualTime {
    /// Lets time pass, again and again, until some work is done; then the time stands still once more.
    ///
    /// For redemptions at a server that cannot say that it was asked, since it was stopped.
    func pass<Value, Failure: Error>(
        during work: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let mover = Task {
            let end = ContinuousClock.now + patience
            while !Task.isCancelled, ContinuousClock.now < end {
                advance(by: .milliseconds(100))
                try? await Task.sleep(for: .milliseconds(5))
            }
        }
        let result: Result<Value, Failure>
        do throws(Failure) {
            result = .success(try await work())
        } catch {
            result = .failure(error)
        }
        mover.cancel()
        await mover.value
        return try result.get()
    }
}
#endif
