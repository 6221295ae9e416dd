#if Client
package import DeviceRecords
package import EntitlementValues

/// What a session remembers, as a value without I/O and clock.
///
/// What happens between two steps of a command may have changed it. So a step names the wait that it means, and what it
/// hands out is to be ended by the one who gets it.
package struct SessionState: Sendable {
    /// The wait for the sign-in that is under way here.
    package private(set) var wait: SignInWait?
    /// Counts the waits.
    private var lastWait: UInt64 = 0

    package init() {}

    // MARK: The wait for a sign-in

    /// Begins to wait for a sign-in, in the place of the one before.
    ///
    /// - Returns: The number of the wait, and the one before; `nil` if a later code is waited for already.
    package mutating func beginWait(
        for code: PendingCode,
        of requestor: RequestorID,
        asking asks: Bool,
        every interval: Duration,
        at moment: Moment
    ) -> (number: UInt64, before: SignInWait?)? {
        if let wait, wait.requestor == requestor, wait.code.isLater(than: code) { return nil }
        lastWait += 1
        let before = endWait()
        wait = SignInWait(
            number: lastWait, for: code, of: requestor, asking: asks, every: interval, at: moment)
        return (lastWait, before)
    }

    /// The wait of a number; `nil` if it is another one by now, or none.
    package func wait(_ number: UInt64) -> SignInWait? { wait?.number == number ? wait : nil }

    /// Changes the wait of a number; `nil` if it is another one by now, or none.
    @discardableResult
    package mutating func wait<Answer>(_ number: UInt64, _ change: (inout SignInWait) -> Answer) -> Answer? {
        guard var changed = wait(number) else { return nil }
        defer { wait = changed }
        return change(&changed)
    }

    /// Waits for the end of the wait that is under way; `nil` if there is none.
    package mutating func joinWait() -> SignInWait? {
        wait?.join()
        return wait
    }

    /// Ends the wait that is under way, or that of a number.
    package mutating func endWait(_ number: UInt64? = nil) -> SignInWait? {
        guard let ended = wait, number == nil || number == ended.number else { return nil }
        wait = nil
        return ended
    }

    /// Leaves the wait of a number.
    ///
    /// - Returns: The wait, if it ends because no task wants to know any more.
    package mutating func leaveWait(_ number: UInt64) -> SignInWait? {
        wait(number) { $0.leave() } == true ? endWait() : nil
    }
}
#endif
