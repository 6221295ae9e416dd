#if CLI && Client
import ArgumentParser
import EntitlementFlows
import EntitlementValues
import HostSystem

/// Waits until the user has signed in somewhere else, or gives up.
///
/// Signals to stop must be caught before.
struct LoginWait {
    let session: EntitlementSession
    /// When the code ends.
    let until: Timestamp

    private enum End: Sendable {
        case signedIn(SignIn)
        case interrupted(Int32)
    }

    /// Waits for the sign-in or for a signal to stop.
    ///
    /// A progress line shows how long the code is good for, if standard error is a terminal. Throws
    /// `EntitlementFlowError`; `CommandFailure` with exit code 130 or 143 for Ctrl-C or SIGTERM, after the sign-in was
    /// given up.
    func signIn() async throws -> SignIn {
        let end = try await withThrowingTaskGroup(of: End.self) { group in
            group.addTask { .signedIn(try await session.awaitAuthentication()) }
            group.addTask { .interrupted(try await stopSignal()) }
            defer { group.cancelAll() }
            return try await group.next() ?? .interrupted(0)
        }
        switch end {
        case .signedIn(let signIn): return signIn
        case .interrupted(let signal):
            _ = try? await session.setSelectedProvider(nil)
            throw CommandFailure(
                "interrupted", "the sign-in was given up, and its code does not count anymore",
                exitCode: ExitCode(128 + signal))
        }
    }

    /// Waits for a signal that asks the process to stop, and shows the progress meanwhile.
    private func stopSignal() async throws -> Int32 {
        let isShown = StandardStreams.errorIsTerminal
        var shown: Int64?
        defer { if shown != nil { StandardStreams.reportProgress("\r\u{1B}[K") } }
        while true {
            if let signal = StopSignals.received { return signal }
            let left = max(0, (until.milliseconds - Timestamp.now.milliseconds) / 1000)
            if isShown, left != shown {
                shown = left
                let seconds = left % 60 < 10 ? "0\(left % 60)" : "\(left % 60)"
                StandardStreams.reportProgress(
                    "\r\u{1B}[Kwaiting for the sign-in, \(left / 60):\(seconds) left (Ctrl-C gives it up)")
            }
            try await Task.sleep(for: .milliseconds(200))
        }
    }
}
#endif
