package import Foundation

/// How long tests wait at most for what others bring about: a server, another task, a program.
///
/// It is no promise of the code under test: a busy machine takes seconds for what others do in milliseconds. It only
/// keeps a test that cannot go on from waiting for ever.
package let patience = Duration.seconds(120)

/// What was waited for did not come.
package struct WaitedInVain: Error, CustomStringConvertible {
    package let description: String

    /// - Parameter what: What was waited for.
    package init(for what: String) { description = "waited in vain for \(what)" }
}

/// Waits until something is so that other tasks or programs bring about, and holds no thread meanwhile.
///
/// - Parameters:
///   - what: What is waited for, for the message.
///   - limit: How long at most.
///   - fileID: The file that the message names.
///   - line: The line that it names.
///   - isSo: Looks, again and again.
/// - Throws: ``WaitedInVain``; `CancellationError`; what `isSo` throws.
package func eventually(
    _ what: @autoclosure () -> String = "what was expected",
    within limit: Duration = patience,
    fileID: String = #fileID,
    line: Int = #line,
    _ isSo: () async throws -> Bool
) async throws {
    try await polled(what(), within: limit, fileID: fileID, line: line) { try await isSo() ? () : nil }
}

/// Waits until something is there that other tasks or programs make, and holds no thread meanwhile.
///
/// - Parameters:
///   - what: What is waited for, for the message.
///   - limit: How long at most.
///   - fileID: The file that the message names.
///   - line: The line that it names.
///   - find: Looks for it, again and again; `nil` if it is not there yet.
/// - Returns: What was found.
/// - Throws: ``WaitedInVain``; `CancellationError`; what `find` throws.
package func polled<Found>(
    _ what: @autoclosure () -> String = "what was expected",
    within limit: Duration = patience,
    fileID: String = #fileID,
    line: Int = #line,
    _ find: () async throws -> Found?
) async throws -> Found {
    var pauses = Pauses(within: limit)
    while true {
        if let found = try await find() { return found }
        guard let pause = pauses.next() else { throw WaitedInVain(for: "\(what()) (\(fileID):\(line))") }
        if pause == .zero { await Task.yield() } else { try await Task.sleep(for: pause) }
    }
}

/// Keeps this thread, which must be none of those that run tasks, until something is so.
///
/// - Parameters:
///   - what: What is waited for, for the message.
///   - limit: How long at most.
///   - fileID: The file that the message names.
///   - line: The line that it names.
///   - isSo: Looks, again and again.
/// - Throws: ``WaitedInVain``, or what `isSo` throws.
package func hold(
    _ what: @autoclosure () -> String = "what was expected",
    within limit: Duration = patience,
    fileID: String = #fileID,
    line: Int = #line,
    until isSo: () throws -> Bool
) throws {
    var pauses = Pauses(within: limit)
    while try !isSo() {
        guard let pause = pauses.next() else { throw WaitedInVain(for: "\(what()) (\(fileID):\(line))") }
        Thread.sleep(forTimeInterval: pause / .seconds(1))
    }
}

extension DispatchSemaphore {
    /// Keeps this thread, which must be none of those that run tasks, until a signal comes.
    ///
    /// - Parameter limit: How long at most.
    /// - Returns: Whether it came.
    @discardableResult
    package func hold(within limit: Duration = patience) -> Bool {
        wait(timeout: .now() + limit / .seconds(1)) == .success
    }
}

/// The pauses between one look and the next.
private struct Pauses {
    private let start = ContinuousClock.now
    private let limit: Duration
    private var count = 0

    init(within limit: Duration) { self.limit = limit }

    /// The next pause; `nil` when the limit is over.
    mutating func next() -> Duration? {
        let waited = start.duration(to: .now)
        guard waited < limit else { return nil }
        count += 1
        // Most of what is waited for comes at once, and some tests wait thousands of times.
        if count < 100, waited < .milliseconds(5) { return .zero }
        // Whoever waits long looks less often, and still loses little time.
        return min(max(waited / 10, .milliseconds(1)), .milliseconds(20))
    }
}
