#if Client
package import BrokerSimulation
package import EntitlementValues
package import HTTPTypes
import CLibrary
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization
import TestVectors

/// Serves a simulator over plain HTTP on a free port of the loopback interface, and does to connections what its
/// scenarios ask for.
package final class SimulatorServer: Sendable {
    /// Sees each request with its answer, before it is sent.
    package typealias Observer = @Sendable (HTTPRequest, _ body: [UInt8], SimulatedAnswer) -> Void
    /// Changes the body of the answer to a path, as no scenario of the simulator does.
    package typealias Rewriter = @Sendable (_ path: String, _ body: [UInt8]) -> [UInt8]

    package let simulator: BrokerSimulator
    /// Held until the server is released, so that nothing else answers at its port once it has stopped.
    private let port: HeldPort
    private let channel: any Channel
    private let connections: Connections

    /// The server's address and port.
    package var authority: String { port.authority }
    package var origin: String { "http://\(authority)" }

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - simulator: What answers.
    ///   - time: The time by which answers are held back.
    ///   - heldBack: Counts those that are.
    ///   - observer: Sees each request with its answer.
    ///   - rewriter: Changes the bodies of answers.
    /// - Throws: An error of the system.
    package init(
        _ simulator: BrokerSimulator,
        time: TimeSource = .system,
        holdingBack heldBack: HeldBackAnswers = HeldBackAnswers(),
        observing observer: @escaping Observer = { _, _, _ in },
        rewritingBy rewriter: @escaping Rewriter = { $1 }
    ) async throws {
        self.simulator = simulator
        let connections = Connections()
        self.connections = connections
        port = try HeldPort()
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(ChannelOptions.socketOption(NIOBSDSocket.Option(rawValue: SO_REUSEPORT)), value: 1)
            .childChannelInitializer { channel in
                connections.add(channel)
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(
                        SimulatorResponder(
                            simulator, time: time, holdingBack: heldBack, rewritingBy: rewriter, observer))
                }
            }
            .bind(host: "127.0.0.1", port: port.number).get()
    }

    deinit {
        channel.close(promise: nil)
        for connection in connections.all { connection.close(promise: nil) }
    }

    /// Closes all connections, and refuses further ones.
    package func stop() async {
        try? await channel.close()
        for connection in connections.all { try? await connection.close() }
    }

    /// The connections that are open.
    private final class Connections: Sendable {
        private let channels = Mutex<[ObjectIdentifier: any Channel]>([:])

        var all: [any Channel] { channels.withLock { Array($0.values) } }

        func add(_ channel: any Channel) {
            let id = ObjectIdentifier(channel)
            channels.withLock { $0[id] = channel }
            channel.closeFuture.whenComplete { [self] _ in channels.withLock { $0[id] = nil } }
        }
    }
}
#endif
