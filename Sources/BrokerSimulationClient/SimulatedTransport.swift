#if Client
package import BrokerClient
package import BrokerSimulation
package import EntitlementValues
package import HTTPTypes

/// Joins client and simulator in one process, and carries the faults of the network out.
package struct SimulatedTransport: BenchTransport {
    private let simulator: BrokerSimulator
    private let time: TimeSource

    package init(to simulator: BrokerSimulator, time: TimeSource) { (self.simulator, self.time) = (simulator, time) }

    /// Never: a call takes none of the time of a bench.
    package var isCarrying: Bool { false }

    package func send(
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
        do {
            try await time.sleep(untilUptime: time.uptime + answer.delay.duration)
        } catch {
            throw TransportFailure(.cancelled, mayHaveBeenSent: true)
        }
        return HTTPAnswer(answer.head, body: answer.body)
    }
}
#endif
