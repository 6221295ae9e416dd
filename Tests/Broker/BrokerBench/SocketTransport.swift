#if Client
package import BrokerClient
package import BrokerSimulation
package import EntitlementValues
package import HTTPTypes
import Synchronization

/// Joins client and simulator by HTTP: the client's own transport, and a server that starts with the first request.
package final class SocketTransport: BenchTransport {
    private struct State {
        var server: Task<SimulatorServer, any Error>?
        /// How many requests have no answer yet.
        var openCount = 0
        /// The paths of requests that the simulator says it did not get, and whose clients do not know yet.
        var dropped: [String] = []
    }

    private let simulator: BrokerSimulator
    private let time: TimeSource
    private let state = Mutex(State())
    private let heldBack = HeldBackAnswers()

    package init(to simulator: BrokerSimulator, time: TimeSource) { (self.simulator, self.time) = (simulator, time) }

    deinit {
        let server = state.withLock(\.server)
        Task { try await server?.value.stop() }
    }

    /// How long a request may take at least: a bench's limit is one of its own time, and the network takes real time.
    private static let patience = Duration.seconds(5)

    package var isCarrying: Bool { state.withLock(\.openCount) > heldBack.count }

    package func send(
        _ request: HTTPRequest,
        body: [UInt8],
        within timeLimit: Duration
    ) async throws(TransportFailure) -> HTTPAnswer {
        state.withLock { $0.openCount += 1 }
        defer { state.withLock { $0.openCount -= 1 } }
        let server: SimulatorServer
        do {
            server = try await self.server.value
        } catch {
            throw TransportFailure(.connecting, mayHaveBeenSent: false)
        }
        var request = request
        (request.scheme, request.authority) = ("http", server.authority)
        let limit = max(timeLimit, Self.patience)
        do throws(TransportFailure) {
            return try await AsyncHTTPTransport.shared.send(request, body: body, within: limit)
        } catch {
            guard takeDropped(request.path ?? "") else { throw error }
        }
        // The simulator says that it never got the request. To the client that is a server that cannot be reached.
        request.authority = Self.closedPort
        return try await AsyncHTTPTransport.shared.send(request, body: body, within: limit)
    }

    /// A port at which no server listens.
    private static let closedPort = "127.0.0.1:1"

    private var server: Task<SimulatorServer, any Error> {
        state.withLock { state in
            if let server = state.server { return server }
            let server = Task { [weak self, simulator, time, heldBack] in
                try await SimulatorServer(simulator, time: time, holdingBack: heldBack) { request, _, answer in
                    guard answer.fault == .dropRequest else { return }
                    self?.state.withLock { $0.dropped.append(request.path ?? "") }
                }
            }
            state.server = server
            return server
        }
    }

    private func takeDropped(_ path: String) -> Bool {
        state.withLock { state in
            guard let place = state.dropped.firstIndex(of: path) else { return false }
            state.dropped.remove(at: place)
            return true
        }
    }
}
#endif
