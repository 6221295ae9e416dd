#if Client
package import BrokerSimulation
package import EntitlementValues
import Foundation

/// How benches join a client with a simulated broker.
package enum Wire: String, Sendable, CaseIterable {
    /// By a call: no socket is involved.
    case call
    /// By HTTP over a socket of the loopback interface, with the client's own transport.
    case socket

    /// What the variable `TVE_WIRE` says; by a call without it.
    ///
    /// Every test is the same over both. `.ci/run` goes by a call; `make deep CHECK=released` runs the tests of the flows a
    /// second time with sockets.
    package static let current = Wire(named: ProcessInfo.processInfo.environment["TVE_WIRE"])

    private init(named name: String?) {
        guard let wire = name.map({ Wire(rawValue: $0) }) ?? .call else {
            preconditionFailure("TVE_WIRE is neither call nor socket")
        }
        self = wire
    }

    /// Joins a client with a simulator; faults of the network that a scenario asks for are carried out.
    ///
    /// - Parameters:
    ///   - simulator: The simulator.
    ///   - time: The time by which answers are held back.
    /// - Returns: The client's transport.
    package func transport(to simulator: BrokerSimulator, time: TimeSource) -> any BenchTransport {
        switch self {
        case .call: SimulatedTransport(to: simulator, time: time)
        case .socket: SocketTransport(to: simulator, time: time)
        }
    }
}
#endif
