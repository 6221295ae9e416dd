#if Client && os(Linux)
import BrokerBench
import BrokerClient
import Foundation
import HTTPTypes
import Testing
import TestVectors

extension TransportTests {
    /// Counts this process's open files and memory, in a process that runs nothing else.
    @Suite(
        "After 1,000 rounds of a hostile server", .enabled(if: Program.openSSL != nil, "openssl is not installed"))
    struct LeakTests {
        @Test func `No file descriptor stays open, and the memory is noted`() async throws {
            let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
                let mix =
                    HostileAnswer.all.filter { !$0.testDescription.contains("100 MB in") } + [
                        HostileAnswer("waits", .timeout) { await $0.waitForEnd() },
                        HostileAnswer("waits for a call that is cancelled", .cancelled) { await $0.waitForEnd() },
                    ] + SlowServer.all.map { HostileAnswer($0.testDescription, .timeout, $0.script) }
                let servers = try await mix.asyncMap { try await RawServer($0.script) }
                let certificates = try await TestCertificates.shared.value
                let trusted = try await TLSServer("good", certificates)
                let untrusted = try await TLSServer("unknown", certificates)
                let ports = (trusted: trusted.port, untrusted: untrusted.port)
                var settings = AsyncHTTPTransport.Settings.patient
                settings.authorities = .file(certificates.path("authority.pem"))
                // The first rounds make what stays: threads, pools, caches.
                try await rounds(200, mix: mix, servers: servers, overTLS: ports, settings)
                let (files, bytes) = (try openFiles(), try residentBytes())
                try await rounds(1000, mix: mix, servers: servers, overTLS: ports, settings)
                try await eventually { ((try? openFiles()) ?? .max) <= files + 2 }
                withExtendedLifetime((trusted, untrusted)) {}
                let grown = try residentBytes() - bytes
                // What a process holds is not what is in use: it depends on how threads took turns. It should be less than
                // 24 MiB.
                DeepRun.note("memory after 1,000 rounds with hostile servers", grown / 1024, "KiB more")
            }
            if let result { print(String(decoding: result.standardOutputContent, as: UTF8.self)) }
        }
    }
}

/// Sends requests to hostile and slow servers in turn, some at a time; each transport serves 50 of them, and one to each of
/// the servers with TLS.
private func rounds(
    _ count: Int,
    mix: [HostileAnswer],
    servers: [RawServer],
    overTLS ports: (trusted: Int, untrusted: Int),
    _ settings: AsyncHTTPTransport.Settings
) async throws {
    for start in stride(from: 0, to: count, by: 50) {
        try await withTransport(settings) { transport in
            let (good, _) = await transport.outcome(of: .get("/", "localhost:\(ports.trusted)", scheme: "https"))
            #expect(good.answer?.head.status == .ok, "\(good)")
            let (bad, _) = await transport.outcome(of: .get("/", "localhost:\(ports.untrusted)", scheme: "https"))
            #expect(bad.failure?.reason == .tls, "\(bad)")
            try await withThrowingDiscardingTaskGroup { group in
                for round in start..<(start + 50) {
                    let index = round % mix.count
                    group.addTask {
                        let isPatient = mix[index].reason != .timeout
                        let call = Task {
                            await transport.outcome(
                                of: .get(from: servers[index]), within: isPatient ? .seconds(60) : .milliseconds(50))
                        }
                        if mix[index].reason == .cancelled {
                            // Some are cancelled at once, and some when the server may have them.
                            if (round / mix.count).isMultiple(of: 2) {
                                try await eventually { servers[index].openConnections > 0 }
                            }
                            call.cancel()
                        }
                        let (result, _) = await call.value
                        #expect(result.failure?.reason == mix[index].reason, "\(mix[index]) \(result)")
                    }
                }
            }
        }
    }
    try await eventually { servers.allSatisfy { $0.openConnections == 0 } }
}

private func openFiles() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }

private func residentBytes() throws -> Int {
    let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    return (Int(fields[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
}

extension Array {
    fileprivate func asyncMap<Value>(_ body: (Element) async throws -> Value) async rethrows -> [Value] {
        var result: [Value] = []
        for element in self { result.append(try await body(element)) }
        return result
    }
}
#endif
