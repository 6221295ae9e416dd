#if Client
import EntitlementValues
import TestVectors
package import TVETesting

extension ManualTime {
    /// How many tasks pause: they wait for less than half a day.
    ///
    /// A longer wait is a time limit of a bench, which other work is expected to outrun.
    package var pauses: Int {
        let horizon = now + .hours(12)
        return deadlines.count { $0 < horizon }
    }

    /// Whether so many tasks pause, and nothing is under way that has a time limit of a bench.
    package func rests(with count: Int) -> Bool { pauses == count && sleepers == count }

    /// Lets time pass up to the end of the wait that ends first.
    package func moveToNextDeadline() {
        guard let next = deadlines.min() else { return }
        // The end may be a part of a millisecond later.
        advance(by: max(next.since(now), .milliseconds(1)))
    }

    /// Runs a body, and lets time pass in its pauses.
    ///
    /// Time moves only when nothing else is left to do, and then to the end of the wait that ends first. So waits end in
    /// their order, and however slow a machine is, no time passes while something is under way.
    ///
    /// - Parameters:
    ///   - isAtRest: Whether all that is under way waits for time. To know it, count those that wait.
    ///   - body: What to run. If it is given up, its task is cancelled.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws; `WaitedInVain` if nothing came to rest for two minutes, or there was no end of it.
    package func flowing<Value: Sendable>(
        once isAtRest: @escaping @Sendable () async -> Bool,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await repeating(
            {
                try await eventually { await isAtRest() }
                self.moveToNextDeadline()
            }, while: body)
    }
}

/// Runs a body, and does something else again and again until the body has ended.
///
/// - Parameters:
///   - step: What to do again and again, a hundred thousand times at most. If it fails, the body is given up, and its
///     task is cancelled.
///   - body: What to run.
/// - Returns: What the body returns.
/// - Throws: What the body or the step throws; `WaitedInVain` if there was no end of it.
package func repeating<Value: Sendable>(
    _ step: @escaping @Sendable () async throws -> Void,
    while body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let (outcomes, teller) = AsyncStream<Result<Value, any Error>>.makeStream()
    let work = Task {
        do {
            teller.yield(.success(try await body()))
        } catch {
            teller.yield(.failure(error))
        }
    }
    let stepper = Task {
        do {
            for _ in 0..<100_000 {
                try Task.checkCancellation()
                try await step()
            }
            teller.yield(.failure(WaitedInVain(for: "the end of what was run")))
        } catch {
            teller.yield(.failure(error))
        }
    }
    let outcome = await outcomes.first { _ in true }
    work.cancel()
    stepper.cancel()
    // Else its last step might come in the middle of what the caller does next.
    await stepper.value
    guard let outcome else { throw CancellationError() }
    return try outcome.get()
}
#endif
