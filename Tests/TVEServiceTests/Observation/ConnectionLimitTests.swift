#if Service
import Foundation
import Logging
import NIOCore
import NIOPosix
import Testing

/// What an operator sees when there can be no more connections.
@Suite struct ConnectionLimitTests {
    @Test func theLimitIsReportedOnce() async throws {
        try await RunningService.with(["limits.connections": "10"]) { service in
            let clients = try await Clients.connect(14, to: service.publicPort)
            try await service.until {
                try await $0.metrics().contains(#"tve_connections{listener="public"} 10"#)
                    && $0.log.text.contains("limits.connections is reached")
            }
            // One that ends makes room for one of those that wait.
            try await clients.close(1)
            try await Task.sleep(for: .milliseconds(200))
            let message = "limits.connections is reached: further connections wait until others are closed"
            let line = try #require(service.log.events(message).first)
            #expect(line.level == .warning)
            #expect(line.values == ["code": "connection_limit", "listener": "public", "limit": "10"])
            #expect(service.log.events("connections are below their limit again").isEmpty)
            try await clients.close(13)
            try await service.until { $0.log.events("connections are below their limit again").count == 1 }
            #expect(service.log.text.components(separatedBy: "limits.connections is reached").count == 2)
            #expect(try await service.ask(request("GET", "/v1/authz")).status == 403)
            #expect(try await service.metrics().contains(#"tve_connections{listener="public"} 0"#))
        }
    }

    /// libdispatch ends a busy process without descriptors, so connections do not take the last ones.
    @Test func connectionsLeaveFilesForTheRest() async throws {
        let log = Pipe()
        let process = try await ServeProcess(["log.level": "info"], maximumFiles: 200, standardError: log)
        let text = Self.text(of: log)
        let clients = try await Clients.connect(220, to: process.publicPort)
        let metrics = try await Self.metrics(of: process)
        #expect(metrics.contains(#"tve_connections_limit{listener="public"} 36"#))
        #expect(try process.openFiles() < 180)
        try await clients.close(220)
        #expect(try await Self.status(of: process) == 403)
        process.kill(SIGTERM)
        let lines = try #require(await text.value).split(separator: "\n")
        #expect(lines.count { $0.contains("limits.connections needs more file descriptors") } == 1)
        // On a slow machine once more after ten seconds: those that wait take the places of those that close.
        #expect((1...3).contains(lines.count { $0.contains("limits.connections is reached") }))
        #expect(!lines.contains { $0.contains("no connection can be accepted") })
        #expect(process.exitCode() == 0)
    }

    /// A listener without a file descriptor for the next connection waits, and does not try again and again.
    @Test func aProcessWithoutFilesSaysSoAndRests() async throws {
        let log = Pipe()
        let process = try await ServeProcess(["log.level": "info"], standardError: log)
        let text = Self.text(of: log)
        try process.limitOpenFiles(to: try process.openFiles() + 4)
        let clients = try await Clients.connect(20, to: process.publicPort)
        try await Task.sleep(for: .seconds(2))
        let before = try process.processorTime()
        try await Task.sleep(for: .seconds(4))
        let used = try process.processorTime() - before
        #expect(used < 1, "\(used) s of processor time within 4 s of waiting")
        try await clients.close(20)
        #expect(try await Self.status(of: process) == 403)
        process.kill(SIGTERM)
        let lines = try #require(await text.value).split(separator: "\n")
        #expect(lines.count { $0.contains("no connection can be accepted") } >= 1)
        #expect(lines.count { $0.contains("no connection can be accepted") } < 5)
        #expect(lines.contains { $0.contains("connections are accepted again") })
        #expect(process.exitCode() == 0)
    }

    private static func text(of log: Pipe) -> Task<String?, Never> {
        Task.detached { try? log.fileHandleForReading.readToEnd().map { String(decoding: $0, as: UTF8.self) } }
    }

    private static func metrics(of process: ServeProcess) async throws -> String {
        let bytes = try await RawConnection.exchange(process.internalPort, request("GET", "/metrics"))
        return try #require(Answer.all(in: bytes).first).text
    }

    /// The status of the first answer of the public listener, which may need some time to come back.
    private static func status(of process: ServeProcess) async throws -> Int? {
        for _ in 0..<100 {
            let bytes = try? await RawConnection.exchange(process.publicPort, request("GET", "/v1/authz"))
            if let status = bytes.flatMap({ Answer.all(in: $0).first?.status }) { return status }
            try await Task.sleep(for: .milliseconds(100))
        }
        return nil
    }
}

/// Connections that are open and say nothing.
private final class Clients: @unchecked Sendable {
    private var channels: [any Channel] = []

    static func connect(_ count: Int, to port: Int) async throws -> Clients {
        let clients = Clients()
        for _ in 0..<count {
            clients.channels.append(
                try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .connect(host: "127.0.0.1", port: port).get())
        }
        return clients
    }

    /// Closes the first ones.
    func close(_ count: Int) async throws {
        // One that the server has not accepted may be closed by it.
        for channel in channels.prefix(count) { try? await channel.close() }
        channels.removeFirst(count)
    }
}
#endif
