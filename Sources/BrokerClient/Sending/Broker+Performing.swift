#if Client
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
        throw .cancelled
    }
}
#endif
