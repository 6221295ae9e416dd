#if Service
import CoreMetrics
import EntitlementValues
import Foundation
import HostSystem
import NIOCore
import NIOPosix
import Synchronization
import TVEService
import TVETesting
import TestVectors
import Testing

/// Monitoring, decryption, reloading and stopping.
@Suite struct OperationTests {
    @Test func `The internal listener reports health`() async throws {
        try await RunningService.with { service in
            _ = try await service.authorize(["X-Media-Token: \(try RunningService.token())"])
            _ = try await service.authorize(["X-Media-Token: nonsense"])
            #expect(try await service.askInternal(request("GET", "/healthz")).object["healthy"] as? Bool == true)
            #expect(try await service.askInternal(request("GET", "/readyz")).object["ready"] as? Bool == true)
            #expect(try await service.askInternal(request("HEAD", "/readyz")).status == 200)
            #expect(try await service.askInternal(request("POST", "/readyz")).status == 405)
            #expect(try await service.askInternal(request("GET", "/readyz?store=now")).status == 200)
            #expect(try await service.askInternal(request("GET", "/readyz?store=later")).status == 400)
            #expect(
                (try await service.askInternal(request("GET", "/version")).object["openssl"] as? String)?.hasPrefix(
                    "OpenSSL") == true)
            let description = try await service.askInternal(request("GET", "/openapi.yaml")).text
            #expect(description.hasPrefix("openapi: 3."))
            #expect(description.contains("\n  version: \(releaseVersion)\n"))
            let contract = try await service.askInternal(request("GET", "/openapi.json"))
            #expect(contract["Content-Type"] == "application/json")
            #expect((contract.object["info"] as? [String: Any])?["version"] as? String == releaseVersion)
            #expect(try await service.askInternal(request("HEAD", "/openapi.json")).status == 200)
            #expect(try await service.askInternal(request("POST", "/openapi.json")).status == 405)
            #expect(try await service.ask(request("GET", "/openapi.json")).status == 404)
            let metrics = try await service.askInternal(request("GET", "/metrics"))
            #expect(metrics.text.contains(#"tve_verdicts_total{code="valid",credential="token"} 1"#))
            #expect(metrics.text.contains(#"tve_verdicts_total{code="malformed",credential="token"} 1"#))
            #expect(metrics.text.contains(#"tve_requests_total{endpoint="authz",status="200"} 1"#))
            #expect(metrics.text.contains("tve_store_claim_duration_seconds_count"))
            #expect(try await service.askInternal(request("GET", "/v1/authz")).status == 404)
        }
    }

    @Test func `The document names every reason of readiness`() async throws {
        try await RunningService.with { service in
            let document = try await service.askInternal(request("GET", "/openapi.yaml")).text
            let codes = ServiceState.ReadinessCode.allCases.map(\.rawValue).joined(separator: ", ")
            #expect(document.contains("          enum: [\(codes)]\n"))
        }
    }

    @Test func `No request makes a new series`() async throws {
        try await RunningService.with { service in
            let names = { (text: String) in Set(text.split(separator: "\n").map { $0.prefix { $0 != " " } }) }
            let before = names(try await service.askInternal(request("GET", "/metrics")).text)
            for index in 0..<50 {
                _ = try await service.ask(request("GET", "/x\(index)"))
                _ = try await service.authorize(["X-Media-Token: x\(index)"], uri: "/live/\(index)")
            }
            #expect(names(try await service.askInternal(request("GET", "/metrics")).text) == before)
        }
    }

    @Test func `Batches are measured to their end`() async throws {
        try await RunningService.with { service in
            let row =
                Array(
                    #"{"token":"\#(try RunningService.token())","requestor":null,"resource":null}"#.utf8) + [0x0A]
            let rows = row + Array("no row\n".utf8)
            let head = request("POST", "/v1/media-tokens/verify-batch", fields: ["Content-Length: \(rows.count + 1)"])
            try await RawConnection.to(service.publicPort) { inbound, outbound in
                try await outbound.write(ByteBuffer(bytes: head + rows))
                try await service.until { try await $0.metrics().contains("tve_batch_rows_total 2") }
                let text = try await service.metrics()
                #expect(text.contains(#"tve_verdicts_total{code="valid",credential="token"} 1"#))
                #expect(text.contains(#"tve_verdicts_total{code="bad_row",credential="token"} 1"#))
                #expect(text.contains(#"tve_requests_total{endpoint="verify_batch",status="200"} 0"#))
                #expect(text.contains("tve_requests_in_flight 2"))
                try await outbound.write(ByteBuffer(bytes: [0x0A]))
                _ = await RawConnection.read(inbound)
            }
            try await service.until {
                try await $0.metrics().contains(#"tve_requests_total{endpoint="verify_batch",status="200"} 1"#)
            }
            #expect(try await service.metrics().contains("tve_requests_in_flight 1"))
        }
    }

    @Test func `A request that its client breaks off is not a server error`() async throws {
        try await RunningService.with { service in
            try await RawConnection.to(service.publicPort) { _, outbound in
                let head = request("POST", "/v1/media-tokens/verify", fields: ["Content-Length: 100"])
                try await outbound.write(ByteBuffer(bytes: head))
            }
            try await service.until {
                try await $0.metrics().contains(#"tve_requests_total{endpoint="verify",status="400"} 1"#)
            }
        }
    }

    @Test func `The page shows keys and refusals`() async throws {
        try await RunningService.with { service in
            let token = try RunningService.token(fault: .otherKey)
            _ = try await service.authorize(["X-Media-Token: \(token)"])
            let page = try await service.askInternal(request("GET", "/"))
            #expect(page["Content-Type"] == "text/html; charset=utf-8")
            #expect(page.text.contains("bad_signature"))
            #expect(page.text.contains("2048 bits"))
            #expect(page.text.contains("<svg id=\"verdicts\""))
            #expect(!page.text.contains(token.prefix(24)))
            // The page loads nothing else.
            #expect(!page.text.contains("src=") && !page.text.contains("href=") && !page.text.contains("<script"))
        }
    }

    @Test func `Expired keys are not ready`() async throws {
        let expired = ["keys.paths": Vectors.key("test-only-issuer-2048.cert-expired.pem")]
        try await RunningService.with(expired) { service in
            let answer = try await service.askInternal(request("GET", "/readyz"))
            #expect(answer.status == 503)
            #expect(answer.text.contains("keys_expired"))
        }
    }

    // MARK: Decryption

    @Test func `Metadata is decrypted only internally and only if configured`() async throws {
        let value = try await encrypted(#"["94105"]"#)
        let body = #"{"value":"\#(value)","attribute":"zip"}"#
        try await RunningService.with(["decryption.paths": Vectors.key("test-only-other-2048.pkcs8.pem")]) {
            service in
            #expect(try await service.post("/v1/user-metadata/decrypt", body).status == 404)
            let ask = { (body: String) in
                try await service.askInternal(decryption(body))
            }
            let answer = try await ask(body)
            #expect(answer.status == 200)
            #expect(answer.object["text"] as? String == #"["94105"]"#)
            let flipped = (value.first == "A" ? "B" : "A") + value.dropFirst()
            let bad = try await ask(#"{"value":"\#(flipped)","attribute":"zip"}"#)
            #expect(bad.status == 422)
            #expect(bad.code == "undecryptable")
            #expect(try await ask(#"{"value":"AAAA"}"#).code == "wrong_length")
            #expect(try await ask(#"{"value":1}"#).status == 400)
            #expect(try await ask(#"{"value":"AAAA","x":1}"#).status == 400)
            #expect(!service.log.text.contains("94105"))
        }
        try await RunningService.with { service in
            let answer = try await service.askInternal(decryption(body))
            #expect(answer.status == 404)
            #expect(answer.code == "not_enabled")
        }
    }

    // MARK: Reloading

    /// Stores are opened at the start only: without theirs, a token or a revoked session would pass again.
    @Test(arguments: [
        ("none", "", "sessions.keyFiles"), ("memory:", #","store":"memory:""#, "sessions.store"),
    ])
    func `Sessions do not begin without their stores`(_ store: String, _ sessions: String, _ setting: String)
        async throws
    {
        let folder = try Folder()
        let key = try folder.write(String(repeating: "5ec2e7", count: 8), to: "session.key")
        let file = try folder.write(#"{"store":{"address":"\#(store)"}}"#, to: "c.json")
        try await RunningService.with(["store.address": ""], file: file) { service in
            try folder.write(
                #"{"store":{"address":"memory:"},"sessions":{"keyFiles":["\#(key)"]\#(sessions)}}"#, to: "c.json")
            await service.service.reload()
            let refusal = try #require(service.log.events("not reloaded; the old keys and rules stay in use").first)
            #expect(refusal.values["setting"] == setting && refusal.values["code"] == "needs_restart")
            let body = #"{"token":"\#(try RunningService.token())"}"#
            #expect(try await service.post("/v1/playback-sessions", body).code == "not_enabled")
        }
    }

    @Test func `A reload takes new keys and a bad one keeps the old`() async throws {
        let folder = try Folder()
        let keys = folder.path("issuer.pem")
        let copy = { @Sendable (name: String) in
            try Data(contentsOf: URL(filePath: Vectors.key(name))).write(to: URL(filePath: keys))
        }
        try copy("test-only-other-2048.spki.pem")
        let file = try folder.write(
            #"{"keys":{"paths":["\#(keys)"]},"authz":{"resources":["/live/* DemoChannel"]}}"#, to: "c.json")
        try await RunningService.with(["keys.paths": "", "authz.resources": ""], file: file) { service in
            let ask = { (uri: String) in
                try await service.authorize(["X-Media-Token: \(try RunningService.token())"], uri: uri).status
            }
            #expect(try await ask("/live/1") == 401)
            try copy("test-only-issuer-2048.spki.pem")
            await service.service.reload()
            #expect(try await ask("/live/1") == 200)
            try folder.write(#"{"keys":{"paths":["\#(folder.path("nowhere.pem"))"]}}"#, to: "c.json")
            await service.service.reload()
            #expect(try await ask("/live/1") == 200)
            #expect(try await service.askInternal(request("GET", "/")).text.contains("failed; the old keys"))
            try copy("test-only-issuer-2048.spki.pem")
            try folder.write(
                #"{"keys":{"paths":["\#(keys)"]},"authz":{"resources":["/new/* DemoChannel"]}}"#, to: "c.json")
            await service.service.reload()
            #expect(try await ask("/live/1") == 403)
            #expect(try await ask("/new/1") == 200)
            try folder.write(#"{"keys":"#, to: "c.json")
            await service.service.reload()
            #expect(try await ask("/new/1") == 200)
            let metrics = try await service.metrics()
            #expect(metrics.contains(#"tve_reloads_total{result="bad"} 2"#))
            #expect(metrics.contains(#"tve_reloads_total{result="good"} 2"#))
        }
    }

    @Test func `A changed file is found`() async throws {
        let folder = try Folder()
        let keys = try folder.write(
            String(contentsOfFile: Vectors.key("test-only-other-2048.spki.pem"), encoding: .utf8), to: "issuer.pem")
        try await RunningService.with(["keys.paths": keys, "reload.intervalSeconds": "1"]) { service in
            try folder.write(
                String(contentsOfFile: Vectors.key("test-only-issuer-2048.spki.pem"), encoding: .utf8),
                to: "issuer.pem")
            try await service.until { try await $0.passes("/live/1") }
        }
    }

    @Test func `Files that are back, and are the very ones of before, are in use again`() async throws {
        let folder = try Folder()
        let keys = try folder.write(
            String(contentsOfFile: Vectors.key("test-only-issuer-2048.spki.pem"), encoding: .utf8), to: "issuer.pem")
        let inUse = folder.path("in-use"), away = folder.path("away")
        try FileManager.default.createDirectory(atPath: inUse, withIntermediateDirectories: true)
        try FileManager.default.moveItem(atPath: keys, toPath: "\(inUse)/issuer.pem")
        let changes = ["keys.paths": "\(inUse)/issuer.pem", "reload.intervalSeconds": "1"]
        try await RunningService.with(changes) { service in
            // The file itself does not change, not even its stamps.
            try FileManager.default.moveItem(atPath: inUse, toPath: away)
            try await service.until { try await !$0.passes("/live/1") }
            try FileManager.default.moveItem(atPath: away, toPath: inUse)
            try await service.until { try await $0.passes("/live/1") }
        }
    }

    /// It never looks by itself later.
    @Test func `What changed after it was read is in use with the first request`() async throws {
        let folder = try Folder()
        let key = { (name: String) in try String(contentsOfFile: Vectors.key(name), encoding: .utf8) }
        let keys = try folder.write(try key("test-only-other-2048.spki.pem"), to: "issuer.pem")
        try await RunningService.with(
            ["keys.paths": keys, "reload.intervalSeconds": "0"],
            beforeItListens: { try folder.write(try key("test-only-issuer-2048.spki.pem"), to: "issuer.pem") }
        ) { service in
            let passes = try await service.passes("/live/1")
            #expect(passes)
            let metrics = try await service.metrics()
            #expect(metrics.contains(#"tve_reloads_total{result="good"} 1"#))
        }
    }

    @Test func `A bad configuration is tried again`() async throws {
        let folder = try Folder()
        let key = try String(contentsOfFile: Vectors.key("test-only-issuer-2048.spki.pem"), encoding: .utf8)
        let file = try folder.write(
            Self.configuration(try folder.write(key, to: "old.pem"), "/old/*"), to: "c.json")
        let changes = ["keys.paths": "", "authz.resources": "", "reload.intervalSeconds": "1"]
        try await RunningService.with(changes, file: file) { service in
            try folder.write(Self.configuration(folder.path("new.pem"), "/new/*"), to: "c.json")
            try await service.until { $0.log.text.contains("not reloaded") }
            try folder.write(key, to: "new.pem")
            try await service.until { try await $0.passes("/new/1") }
        }
    }

    @Test func `A slow reload does not undo a later one`() async throws {
        let folder = try Folder()
        let key = Vectors.key("test-only-issuer-2048.spki.pem")
        let file = try folder.write(Self.configuration(key, "/first/*"), to: "c.json")
        // Said between the reading of the files and their use.
        let halt = Halt()
        let log = LogLines { if $0.hasPrefix("reloaded in part") { halt.reach() } }
        let changes = ["keys.paths": "", "authz.resources": ""]
        try await RunningService.with(changes, file: file, log: log) { service in
            try folder.write(Self.configuration(key, "/slow/*", rest: #","limits":{"batches":7}"#), to: "c.json")
            let slow = Task { await service.service.reload() }
            try await eventually { halt.isReached }
            let first = service.service.state.lastReload.withLock { $0 }
            try folder.write(Self.configuration(key, "/last/*"), to: "c.json")
            let last = Task { await service.service.reload() }
            try await service.until { $0.service.state.lastReload.withLock { $0 } != first }
            // Time in which the later reload must not overtake the first.
            for _ in 0..<50 { _ = try await service.metrics() }
            halt.end()
            await slow.value
            await last.value
            #expect(try await service.passes("/last/1"))
        }
    }

    /// What is missing and what is named no longer are asked of the same files.
    @Test func `A file that comes while the settings are refused takes nothing away`() async throws {
        let folder = try Folder()
        let file = try folder.write(
            Self.configuration(Vectors.key("test-only-issuer-2048.spki.pem"), "/live/*"), to: "c.json")
        let new = folder.path("new.pem")
        // Counted after the settings were refused, and before what is named no longer is looked for.
        let metrics = CountedRefusals {
            try? FileManager.default.copyItem(atPath: Vectors.key("test-only-other-2048.spki.pem"), toPath: new)
        }
        let changes = ["keys.paths": "", "authz.resources": ""]
        try await RunningService.with(changes, file: file, metrics: metrics) { service in
            #expect(try await service.passes("/live/1"))
            try folder.write(Self.configuration(new, "/live/*"), to: "c.json")
            await service.service.reload()
            #expect(FileManager.default.fileExists(atPath: new))
            let refusals = service.log.events("not reloaded; the old keys and rules stay in use")
            #expect(refusals.map { $0.values["code"] } == ["no_such_file"])
            #expect(try await service.passes("/live/1"))
            // With the file, it is as the settings say.
            await service.service.reload()
            #expect(try await service.passes("/live/1") == false)
        }
    }

    private static func configuration(_ keys: String, _ path: String, rest: String = "") -> String {
        #"{"keys":{"paths":["\#(keys)"]},"authz":{"resources":["\#(path) DemoChannel"]}\#(rest)}"#
    }

    // MARK: Stopping

    @Test func `Requests that do not end are cut off`() async throws {
        let time = ManualTime(at: .now)
        let settings = ["drain.limitSeconds": "30", "limits.batches": "1", "limits.idleSeconds": "3600"]
        try await RunningService.with(settings, time: time.source) { service in
            let head = request("POST", "/v1/media-tokens/verify-batch", fields: ["Content-Length: 100"], closes: false)
            try await RawConnection.to(service.publicPort) { inbound, outbound in
                try await outbound.write(ByteBuffer(bytes: head))
                try await service.untilABatchRuns()
                await service.stop()
                try await eventually { time.deadlines.contains(time.now + .seconds(30)) }
                #expect(try await service.metrics().contains("tve_requests_in_flight 2"))
                time.advance(by: .seconds(30))
                #expect(Answer.all(in: await RawConnection.read(inbound)).isEmpty)
            }
        }
    }

    @Test func `No connection outlives the service`() async throws {
        // In a process of its own, for which it does not matter that no task goes on for a moment.
        await #expect(processExitsWith: .success) {
            let service = try await RunningService.service(["limits.idleSeconds": "3600"])
            let running = Task { try await service.run() }
            let port = try #require(await service.addresses).publicPort
            // Accepted, and closed before a task of the server could begin to read.
            let channels = try await whileTasksStandStill {
                let channels = try (0..<10).map { _ in
                    try ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                        .connect(host: "127.0.0.1", port: port).wait()
                }
                try hold("ten connections") { service.state.publicConnections.count >= 10 }
                running.cancel()
                return channels
            }
            _ = await running.result
            for channel in channels { try await eventually { !channel.isActive } }
        }
    }

    @Test func `Stopping finishes running requests`() async throws {
        let time = ManualTime(at: .now)
        try await RunningService.with(["drain.waitSeconds": "2"], time: time.source) { service in
            let token = try RunningService.token(issued: time.now)
            let row = Array(#"{"id":1,"token":"\#(token)","requestor":null,"resource":null}"#.utf8) + [0x0A]
            let head = request(
                "POST", "/v1/media-tokens/verify-batch", fields: ["Content-Length: \(2 * row.count)"], closes: false)
            let bytes = try await RawConnection.to(service.publicPort) { inbound, outbound in
                try await outbound.write(ByteBuffer(bytes: head + row))
                try await service.untilABatchRuns()
                await service.stop()
                try await eventually { time.deadlines.contains(time.now + .seconds(2)) }
                let ready = try await service.askInternal(request("GET", "/readyz"))
                #expect(ready.status == 503)
                #expect(ready.text.contains("draining"))
                let authorized = try await service.authorize(["X-Media-Token: \(token)"])
                #expect(authorized.status == 200)
                #expect(authorized["Connection"] == "close")
                // The listeners close now, and the batch continues.
                time.advance(by: .seconds(2))
                try await eventually { (try? await service.authorize([])) == nil }
                try await outbound.write(ByteBuffer(bytes: row))
                return await RawConnection.read(inbound)
            }
            let answer = try #require(Answer.all(in: bytes).first)
            #expect(answer.objects.map { $0["code"] as? String } == ["valid", "valid"])
            await #expect(throws: (any Error).self) {
                try await service.authorize(["X-Media-Token: \(token)"])
            }
        }
    }
}

/// Runs `body` on a thread of its own while all threads that run tasks are blocked, or busy with other tests.
private func whileTasksStandStill<Found: Sendable>(
    _ body: @escaping @Sendable () throws -> Found
) async throws -> Found {
    let threads = 0..<ProcessInfo.processInfo.activeProcessorCount
    let (held, released) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let hold = { @Sendable () -> Void in
        held.signal()
        released.hold()
    }
    return try await onOwnThread {
        for _ in threads { Task.detached { hold() } }
        for _ in threads { held.hold(within: .seconds(1)) }
        defer { for _ in threads { released.signal() } }
        return try body()
    }
}

/// Stops whoever reaches it first, until it is ended.
///
/// On a machine with one core, that blocks the thread which would end it. So after some time it ends by itself.
private final class Halt: Sendable {
    private let wasReached = Atomic(false)
    private let turn = DispatchSemaphore(value: 0)

    var isReached: Bool { wasReached.load(ordering: .relaxed) }

    func reach() {
        if !wasReached.exchange(true, ordering: .relaxed) { turn.hold(within: .seconds(5)) }
    }

    func end() { turn.signal() }
}

/// Metrics that do something when a reload is counted as refused, and nothing else.
private final class CountedRefusals: MetricsFactory, CounterHandler {
    private let onRefusal: @Sendable () -> Void

    init(onRefusal: @escaping @Sendable () -> Void) { self.onRefusal = onRefusal }

    func increment(by amount: Int64) { onRefusal() }
    func reset() {}

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        let isRefusal = label == "tve_reloads_total" && dimensions.contains { $0.1 == "bad" }
        return isRefusal ? self : NOOPMetricsHandler.instance
    }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler { NOOPMetricsHandler.instance }
    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { NOOPMetricsHandler.instance }
    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        NOOPMetricsHandler.instance
    }

    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
}
#endif
