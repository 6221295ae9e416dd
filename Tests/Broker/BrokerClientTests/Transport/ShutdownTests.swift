#if Client
import BrokerBench
import BrokerClient
import HTTPTypes
import Testing
import TestVectors

extension TransportTests {
    @Suite("Shutting a transport down")
    struct ShutdownTests {
        @Test func `Closes its connections`() async throws {
            let server = try await RawServer { peer in
                while await peer.request() != nil { try await peer.answer() }
            }
            let transport = try AsyncHTTPTransport(.init())
            _ = try await transport.send(.get(from: server), body: [], within: .seconds(60))
            await transport.shutdown()
            try await eventually { server.openConnections == 0 }
            await server.stop()
        }

        @Test func `May be done twice, and at the same time`() async throws {
            let transport = try AsyncHTTPTransport(.init())
            await withDiscardingTaskGroup { group in
                for _ in 0..<10 { group.addTask { await transport.shutdown() } }
            }
            await transport.shutdown()
            let (result, _) = await transport.outcome(of: .get("/", "127.0.0.1:1"))
            #expect(result.failure == TransportFailure(.shutDown, mayHaveBeenSent: false))
        }

        @Test(arguments: [0, 1, 20])
        func `May be forgotten, whether it was used or not`(calls: Int) async throws {
            let server = try await RawServer { peer in
                while await peer.request() != nil { try await peer.answer() }
            }
            weak var released: AsyncHTTPTransport?
            do {
                let transport = try AsyncHTTPTransport(.init())
                released = transport
                await withDiscardingTaskGroup { group in
                    for _ in 0..<calls { group.addTask { _ = await transport.outcome(of: .get(from: server)) } }
                }
            }
            // What the last call has left behind may end a moment later.
            try await eventually { released == nil }
            try await eventually { server.openConnections == 0 }
            await server.stop()
        }

        @Test func `Ends calls that are under way`() async throws {
            let server = try await RawServer { await $0.waitForEnd() }
            let transport = try AsyncHTTPTransport(.init())
            let call = Task { await transport.outcome(of: .get(from: server), within: .seconds(600)) }
            try await eventually { server.requestCount == 1 }
            await transport.shutdown()
            let (result, time) = await call.value
            #expect(result.failure == TransportFailure(.shutDown, mayHaveBeenSent: true))
            noteTime(time, of: .seconds(10))
            await server.stop()
        }

        @Test func `Does nothing to the shared one`() async throws {
            let server = try await RawServer { peer in
                while await peer.request() != nil { try await peer.answer() }
            }
            await AsyncHTTPTransport.shared.shutdown()
            let (result, _) = await AsyncHTTPTransport.shared.outcome(of: .get(from: server))
            #expect(result.answer?.head.status == .ok)
            await server.stop()
        }
    }
}
#endif
