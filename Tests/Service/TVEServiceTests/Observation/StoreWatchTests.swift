#if Service
import EntitlementValues
import Foundation
import Logging
import Synchronization
import TVEService
import TVETesting
import TestServers
import Testing
import TokenRedemption

/// What the log and the metrics say of a store that fails.
@Suite struct StoreWatchTests {
    private let log = LogLines()
    private let time = ManualTime(at: .now)

    private var watch: StoreWatch {
        StoreWatch(.redemptions, logger: Logger(label: "test") { [log] _ in log }, time: time.source)
    }

    @Test func `An outage is logged at its beginning and at its end`() {
        let watch = watch
        for _ in 0..<100 { watch.noteAnswer() }
        for _ in 0..<3 {
            watch.note(ReplayStoreError.unavailable(reason: "nobody listens"))
            time.advance(by: .seconds(10))
        }
        #expect(watch.isFailing)
        let failure = log.events("a store fails")
        #expect(failure.map(\.level) == [.error])
        #expect(
            failure.first?.values == [
                "store": "redemptions", "setting": "store.address", "code": "store_unavailable",
                "cause": "nobody listens",
            ])
        for _ in 0..<3 { watch.noteAnswer() }
        #expect(!watch.isFailing)
        let answers = log.events("a store answers again")
        #expect(answers.map(\.level) == [.notice])
        #expect(answers.first?.values["seconds"] == "30" && answers.first?.values["failures"] == "3")
        watch.note(ReplayStoreError.full(capacity: 1))
        #expect(log.events("a store fails").map { $0.values["code"] } == ["store_unavailable", "store_full"])
    }

    /// Under load some calls of a slow store come back in time, and others do not.
    @Test func `A store that fails now and then has one outage`() {
        let watch = watch
        for _ in 0..<1000 {
            watch.note(ReplayStoreError.unavailable(reason: "too late"))
            watch.noteAnswer()
            time.advance(by: TimeToLive(milliseconds: 10))
        }
        #expect(log.events("a store fails").count == 1 && log.events("a store answers again").isEmpty)
        time.advance(by: .seconds(2))
        watch.noteAnswer()
        #expect(log.events("a store answers again").count == 1)
    }

    @Test func `A token that the store has forgotten is no outage`() {
        let watch = watch
        watch.note(ReplayStoreError.forgotten(until: time.now, forgottenThrough: time.now))
        #expect(!watch.isFailing && log.text.isEmpty)
    }

    #if Redis
    @Test(
        .enabled(if: RedisServer.executable != nil, "redis-server is not installed (Debian: apt install redis-server)"),
        .onOwnThreads)
    func `A server that is away is in log and metrics`() async throws {
        let server = try RedisServer()
        let folder = try Folder()
        let settings = RunningService.settings(of: server, try SessionTests.settings(folder, "a")).merging([
            "sessions.store": "redis+unix://\(server.socketPath)", "sessions.streams": "2",
        ]) { $1 }
        try await RunningService.with(settings) { service in
            _ = try await SessionTests.start(service)
            var metrics = try await service.metrics()
            #expect(metrics.contains(#"tve_store_up{store="redemptions"} 1"#))
            #expect(metrics.contains(#"tve_store_up{store="sessions"} 1"#))
            #expect(!metrics.contains(#"tve_store_up{store="devices"}"#))
            server.kill(SIGSTOP)
            try await withThrowingTaskGroup(of: Answer.self) { group in
                for _ in 0..<3 {
                    let token = try RunningService.token()
                    let body = #"{"token":"\#(token)","requestor":null,"resource":null}"#
                    let verification = #"{"token":"\#(token)","requestor":null,"resource":null,"redeem":true}"#
                    group.addTask { try await service.authorize(["X-Media-Token: \(token)"]) }
                    group.addTask { try await service.post("/v1/playback-sessions", body) }
                    group.addTask { try await service.post("/v1/media-tokens/verify", verification) }
                }
                for try await answer in group {
                    #expect(answer.status == 503 || answer.code == "store_unavailable", "\(answer.text)")
                    // Where the stores are, and how they fail, is for the log.
                    #expect(!answer.text.contains(server.socketPath), "\(answer.text)")
                    #expect(!answer.text.contains("in time"), "\(answer.text)")
                }
            }
            metrics = try await service.metrics()
            #expect(metrics.contains(#"tve_store_up{store="redemptions"} 0"#))
            #expect(metrics.contains(#"tve_store_up{store="sessions"} 0"#))
            let failures = service.log.events("a store fails")
            #expect(failures.compactMap { $0.values["store"] }.sorted() == ["redemptions", "sessions"])
            #expect(failures.allSatisfy { $0.values["cause"]?.contains(server.socketPath) == true })
            server.kill(SIGCONT)
            try await service.until {
                _ = try await $0.askInternal(request("GET", "/readyz?store=now"))
                return $0.log.events("a store answers again").contains { $0.values["store"] == "redemptions" }
            }
            #expect(try await service.metrics().contains(#"tve_store_up{store="redemptions"} 1"#))
        }
    }

    /// What uses the store has been refused, and may not ask again for long.
    @Test(
        .enabled(if: RedisServer.executable != nil, "redis-server is not installed (Debian: apt install redis-server)"),
        .onOwnThreads)
    func `The end of an outage is noticed without requests`() async throws {
        let server = try RedisServer()
        let folder = try Folder()
        let settings = RunningService.settings(of: server, try SessionTests.settings(folder, "a")).merging([
            "store.address": "memory:", "sessions.store": "redis+unix://\(server.socketPath)", "sessions.streams": "2",
        ]) { $1 }
        let time = ManualTime(at: .now)
        try await RunningService.with(settings, time: time.source) { service in
            server.kill(SIGKILL)
            let body = #"{"token":"\#(try RunningService.token(issued: time.now))","requestor":null,"resource":null}"#
            #expect(try await service.post("/v1/playback-sessions", body).status == 503)
            #expect(service.log.events("a store fails").map { $0.values["setting"] } == ["sessions.store"])
            try server.start()
            try await service.until(passing: .seconds(10), of: time) {
                $0.log.events("a store answers again").count == 1
            }
            #expect(try await service.metrics().contains(#"tve_store_up{store="sessions"} 1"#))
        }
    }

    /// Else an outage at night would be found by the first viewer of the morning.
    @Test(
        .enabled(if: RedisServer.executable != nil, "redis-server is not installed (Debian: apt install redis-server)"),
        .onOwnThreads)
    func `A server that is away is noticed without requests`() async throws {
        let server = try RedisServer()
        let time = ManualTime(at: .now)
        try await RunningService.with(RunningService.settings(of: server), time: time.source) { service in
            server.kill(SIGKILL)
            try await service.until(passing: .seconds(10), of: time) {
                $0.log.events("a store fails").count == 1
            }
            #expect(try await service.metrics().contains(#"tve_store_up{store="redemptions"} 0"#))
        }
    }
    #endif
}
#endif
