#if Client

/// Nothing else has made so what a test waits for.
package struct NeverSo: Error {
    package init() {}
}

/// Waits until something is so that other tasks or processes bring about.
///
/// - Parameters:
///   - patience: How much real time it may take: a busy machine may take long, and a test that cannot go on must not
///     hang.
///   - isSo: Looks.
/// - Throws: ``NeverSo``; `CancellationError`; what the look throws.
package func eventually(within patience: Duration = .seconds(120), _ isSo: () async throws -> Bool) async throws {
    let end = ContinuousClock.now + patience
    var looks = 0
    while try await !isSo() {
        guard ContinuousClock.now < end else { throw NeverSo() }
        looks += 1
        // Most of what is waited for comes at once, and some tests wait thousands of times.
        if looks < 100 { await Task.yield() } else { try await Task.sleep(for: .milliseconds(1)) }
    }
}
#endif
