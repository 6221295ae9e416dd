#if Service
import EntitlementValues
import Foundation
import Logging
import NIOCore
import NIOEmbedded
import NIOPosix
import TVEService
import TestVectors
import TVETesting
import Testing

/// What an operator sees when there can be no more connections.
@Suite struct ConnectionLimitTests {
    private static let full = "limits.connections is reached: further connections wait until others are closed"
    private static let roomy = "connections are below their limit again"
    private static let short = "no connection can be accepted"

    @Test func `The limit is reported once`() async throws {
        let time = ManualTime(at: .now)
        try await RunningService.with(["limits.connections": "10"], time: time.source) { service in
            let clients = try await Clients.connect(10, to: service.publicPort)
            try await service.untilConnections(10)
            try await RawConnection.to(service.publicPort) { inbound, outbound in
                try await outbound.write(ByteBuffer(bytes: request("GET", "/v1/authz", closes: false)))
                try await service.until { !$0.log.events(Self.full).isEmpty }
                // One that ends makes room for the one that waits.
                try await clients.close(1)
                let bytes = await RawConnection.read(inbound) { !Answer.all(in: $0).isEmpty }
                #expect(Answer.all(in: bytes).map(\.status) == [403])
                let line = try #require(service.log.events(Self.full).first)
                #expect(line.level == .warning)
                #expect(line.values == ["code": "connection_limit", "listener": "public", "limit": "10"])
                #expect(service.log.events(Self.roomy).isEmpty)
                // While many end, others that wait take their places again and again.
                let others = try await Clients.connect(3, to: service.publicPort)
                try await clients.close(9)
                try await others.close(3)
            }
            try await service.until { $0.log.events(Self.roomy).count == 1 }
            try await service.untilConnections(0)
            #expect(service.log.events(Self.full).count == 1)
            #expect(try await service.ask(request("GET", "/v1/authz")).status == 403)
            try await service.untilConnections(0)
            // Said again, but not within ten seconds.
            time.advance(by: .milliseconds(9999))
            let again = try await Clients.connect(10, to: service.publicPort)
            try await service.untilConnections(10)
            #expect(service.log.events(Self.full).count == 1)
            try await again.close(10)
            try await service.untilConnections(0)
            time.advance(by: .milliseconds(1))
            let third = try await Clients.connect(10, to: service.publicPort)
            try await service.until { $0.log.events(Self.full).count == 2 }
            try await third.close(10)
        }
    }

    /// libdispatch ends a busy process without descriptors, so connections do not take the last ones.
    @Test func `Connections leave files for the rest`() async throws {
        let process = try await ServeProcess(["log.level": "info"], maximumFiles: 200)
        let clients = try await Clients.connect(220, to: process.publicPort)
        try await eventually { process.log.text.contains(Self.full) }
        let metrics = try await Self.metrics(of: process)
        #expect(metrics.contains(#"tve_connections_limit{listener="public"} 36"#))
        #expect(try process.openFiles() < 180)
        #expect(process.log.text.components(separatedBy: Self.full).count == 2)
        try await clients.close(220)
        #expect(try await Self.status(of: process) == 403)
        process.program.send(SIGTERM)
        let lines = try await process.log.wholeText().split(separator: "\n")
        #expect(lines.count { $0.contains("limits.connections needs more file descriptors") } == 1)
        #expect(!lines.contains { $0.contains(Self.short) })
        #expect(try await process.program.end() == 0)
    }

    /// A listener without a file descriptor for the next connection waits, and does not try again and again.
    @Test func `A process without files says so and goes on later`() async throws {
        let process = try await ServeProcess(["log.level": "info"])
        let clients = try await Self.takeAllFiles(of: process)
        try await clients.close(20)
        #expect(try await Self.status(of: process) == 403)
        process.program.send(SIGTERM)
        let lines = try await process.log.wholeText().split(separator: "\n")
        // At most once for each connection that took a file which another one had left.
        #expect((1...20).contains(lines.count { $0.contains(Self.short) }))
        #expect(lines.contains { $0.contains("connections are accepted again") })
        #expect(try await process.program.end() == 0)
    }

    /// Of four seconds, a process that rests takes a small part.
    @Test(.enabled(if: DeepRun.isAsked, "processor time tells little on a busy machine"))
    func `How a process without files rests`() async throws {
        let process = try await ServeProcess(["log.level": "info"])
        let clients = try await Self.takeAllFiles(of: process)
        try await Task.sleep(for: .seconds(2))
        let before = try process.processorTime()
        try await Task.sleep(for: .seconds(4))
        DeepRun.note("a service without files for 4 s", try process.processorTime() - before, "s of processor time")
        DeepRun.note(
            "a service without files", process.log.text.components(separatedBy: Self.short).count - 1, "lines of log")
        try await clients.close(20)
    }

    /// Opens connections until the process has no file left for another one, and waits until it says so.
    private static func takeAllFiles(of process: ServeProcess) async throws -> Clients {
        try await process.limitOpenFiles(to: try process.openFiles() + 4)
        let clients = try await Clients.connect(20, to: process.publicPort)
        try await eventually { process.log.text.contains(short) }
        return clients
    }

    @Test(arguments: [EMFILE, ENFILE, ENOBUFS, ENOMEM])
    func `A listener that cannot accept pauses for a second`(_ code: Int32) throws {
        let log = LogLines()
        let channel = EmbeddedChannel(
            handler: AcceptPause(.public, logger: Logger(label: "test") { _ in log }))
        for round in 1...3 {
            channel.pipeline.fireErrorCaught(IOError(errnoCode: code, reason: "accept"))
            #expect(Self.reads(channel) == false)
            channel.embeddedEventLoop.advanceTime(by: .milliseconds(999))
            #expect(Self.reads(channel) == false, "round \(round)")
            channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
            #expect(Self.reads(channel) == true, "round \(round)")
        }
        // Once for the whole shortage.
        #expect(log.text.components(separatedBy: Self.short).count == 2)
        try channel.writeInbound(EmbeddedChannel())
        #expect(log.events("connections are accepted again").count == 1)
        _ = try? channel.finish()
    }

    @Test func `Other failures of a listener pause nothing`() throws {
        let channel = EmbeddedChannel(handler: AcceptPause(.public, logger: Logger(label: "test") { _ in LogLines() }))
        channel.pipeline.fireErrorCaught(IOError(errnoCode: ECONNABORTED, reason: "accept"))
        #expect(Self.reads(channel) == nil)
        #expect(throws: IOError.self) { try channel.throwIfErrorCaught() }
        _ = try? channel.finish()
    }

    /// What was last said about reading from a channel.
    private static func reads(_ channel: EmbeddedChannel) -> Bool? {
        channel.options.last { $0.option is ChannelOptions.Types.AutoReadOption }?.value as? Bool
    }

    private static func metrics(of process: ServeProcess) async throws -> String {
        let bytes = try await RawConnection.exchange(process.internalPort, request("GET", "/metrics"))
        return try #require(Answer.all(in: bytes).first).text
    }

    /// The status of the first answer of the public listener, which may need some time to come back.
    private static func status(of process: ServeProcess) async throws -> Int? {
        try await polled {
            let bytes = try? await RawConnection.exchange(process.publicPort, request("GET", "/v1/authz"))
            return bytes.flatMap { Answer.all(in: $0).first?.status }
        }
    }
}

extension RunningService {
    /// Waits until the public listener has so many connections.
    func untilConnections(_ count: Int) async throws {
        try await until { try await $0.metrics().contains("tve_connections{listener=\"public\"} \(count)\n") }
    }
}

/// Connections that are open and say nothing, or no more than the beginning of a request.
final class Clients: @unchecked Sendable {
    private var channels: [any Channel] = []

    static func connect(_ count: Int, to port: Int, saying beginning: String = "") async throws -> Clients {
        let clients = Clients()
        for _ in 0..<count {
            let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connect(host: "127.0.0.1", port: port).get()
            clients.channels.append(channel)
            if !beginning.isEmpty { try await channel.writeAndFlush(ByteBuffer(string: beginning)) }
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
