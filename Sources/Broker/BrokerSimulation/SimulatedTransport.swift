#if Client
public import BrokerClient
public import EntitlementValues
public import HTTPTypes

/// Joins `BrokerClient` with a simulated broker in one process, without a socket.
///
/// It carries out what a scenario asks for: a lost request or answer fails as one of the network would, and a late answer is
/// waited for, or fails at once if it comes after the client's time limit.
public struct SimulatedTransport: HTTPTransport {
    private let simulator: BrokerSimulator
    private let time: TimeSource

    /// Joins a client with a simulator.
    ///
    /// - Parameters:
    ///   - simulator: The simulator.
    ///   - time: By which late answers are waited for; the client's, if a test moves that by hand.
    public init(to simulator: BrokerSimulator, time: TimeSource = .system) {
        (self.simulator, self.time) = (simulator, time)
    }

    /// Has the simulator answer a request.
    ///
    /// - Parameters:
    ///   - request: The request; scheme and authority are not looked at.
    ///   - body: The body; empty for none.
    ///   - timeLimit: How late the answer may be.
    /// - Returns: The answer.
    /// - Throws: `TransportFailure` if a scenario breaks the connection or delays the answer beyond the time limit, and
    ///   if the task is cancelled while the answer is waited for.
    public func send(
        _ request: HTTPRequest,
        body: [UInt8],
        within timeLimit: Duration
    ) async throws(TransportFailure) -> HTTPAnswer {
        let answer = simulator.answer(to: request, body: body)
        if answer.delay.duration >= timeLimit { throw TransportFailure(.timeout, mayHaveBeenSent: true) }
        switch answer.fault {
        case .dropRequest: throw TransportFailure(.connecting, mayHaveBeenSent: false)
        case .dropAnswer, .resetAfterHead: throw TransportFailure(.reset, mayHaveBeenSent: true)
        case .delay, nil: break
        }
        try await rethrowing(awaiting: await time.sleep(untilUptime: time.uptime + answer.delay.duration)) {
            (_: CancellationError) in TransportFailure(.cancelled, mayHaveBeenSent: true)
        }
        return HTTPAnswer(answer.head, body: answer.body)
    }
}
#endif
