/// What was waited for did not come.
package struct WaitedInVain: Error, CustomStringConvertible {
    package let description: String
}

/// Waits until something is so, and holds no thread meanwhile.
///
/// - Parameters:
///   - what: What is waited for, for the message.
///   - limit: How long at most, which is no promise of the code under test: a busy machine takes seconds for what others
///     do in milliseconds.
///   - isSo: Is asked again and again, with pauses of a few milliseconds.
/// - Throws: `WaitedInVain`, or what `isSo` throws.
package func waitUntil(
    _ what: @autoclosure () -> String,
    within limit: Duration = .seconds(120),
    _ isSo: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + limit
    var pause = Duration.milliseconds(1)
    while try await !isSo() {
        guard .now < end else { throw WaitedInVain(description: "waited \(limit) in vain for \(what())") }
        try await Task.sleep(for: pause)
        pause = min(pause * 2, .milliseconds(8))
    }
}
