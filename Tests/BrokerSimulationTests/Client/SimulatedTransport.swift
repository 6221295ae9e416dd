#if Client
import BrokerClient
import BrokerSimulation
import EntitlementValues
import HTTPTypes

/// Joins client and simulator in one process, and carries the faults of the network out.
struct SimulatedTransport: HTTPTransport {
    let simulator: BrokerSimulator
    let time: TimeSource

    func send(
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
