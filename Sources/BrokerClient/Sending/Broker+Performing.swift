#if Client
import BrokerMessages
import EntitlementValues

extension Broker {
    /// Makes a call with the caller's access token, and repeats what is safe to repeat.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - caller: Whose access token authorizes it.
    ///   - priority: Whether it may wait for its turn.
    ///   - timeLimit: How long it may take in all; the limit of the settings if none is given.
    /// - Returns: What the call read from the answer.
    /// - Throws: `BrokerError`.
    func perform<Answer: Sendable>(
        _ call: BrokerCall<Answer>,
        as caller: Caller,
        priority: RequestPriority = .foreground,
        timeLimit: Duration? = nil
    ) async throws(BrokerError) -> Answer {
        let (device, registered) = (caller.device, caller.registration.device)
        guard caller.registration.broker.environment == environment else { throw .request(.registeredElsewhere) }
        // Logins belong to the credentials and the identifier together.
        guard device.key == registered.key, device.identifier == registered.identifier else {
            throw .request(.otherDevice)
        }
        let deadline = time.uptime + (timeLimit ?? settings.timeLimit)
        return try await observer.measuring(call.endpoint, by: time) { () throws(BrokerError) in
            var run = CallRun(of: call.endpoint, at: self, priority, before: deadline)
            var answer = try await run.answer(to: call, as: caller)
            while let next = call.callForFailedItems(answer), try await run.pauseForItems() {
                do throws(BrokerError) {
                    answer = try await run.answer(to: next, as: caller)
                } catch {
                    if case .cancelled = error { throw error }
                    // The other items have their answer, and these keep the error that they have.
                    break
                }
            }
            return answer
        }
    }
}
#endif
