#if Service
import EntitlementValues
import Foundation
import TestVectors
import Testing

/// `tve serve` as a process: its signals, its log and its exit codes.
@Suite struct ProcessTests {
    @Test func `A blocked log delays no request`() async throws {
        let process = try await ServeProcess(
            ["log.level": "info", "log.refusalsPerSecond": "0"], readingLog: false)
        let one = request("GET", "/v1/authz", fields: ["X-Original-URI: /live/1", "X-Media-Token: x"], closes: false)
        let last = request("GET", "/v1/authz", fields: ["X-Original-URI: /live/1", "X-Media-Token: x"])
        // One line is logged for each: more than the pipe and the queue can hold. A connection may send 16 at once.
        for _ in 0..<300 {
            let bytes = try await RawConnection.exchange(
                process.publicPort, [UInt8](repeatElement(one, count: 15).joined()) + last)
            #expect(Answer.all(in: bytes).count == 16)
        }
        process.log.start()
        process.program.send(SIGTERM)
        let lines = try await process.log.wholeText().split(separator: "\n")
        #expect(lines.count { $0.contains("refused") } > 4000)
        #expect(lines.contains { $0.contains("lines were dropped") })
        #expect(try await process.program.end() == 0)
    }

    @Test func `SIGHUP reloads`() async throws {
        let folder = try Folder()
        let take = { (name: String) throws -> String in
            try folder.write(String(contentsOfFile: Vectors.key(name), encoding: .utf8), to: "issuer.pem")
        }
        let keys = try take("test-only-other-2048.spki.pem")
        let process = try await ServeProcess(["keys.paths": keys])
        #expect(try await Self.status(process) == 401)
        _ = try take("test-only-issuer-2048.spki.pem")
        process.program.send(SIGHUP)
        try await eventually { try await Self.status(process) == 200 }
        process.program.send(SIGTERM)
        #expect(try await process.log.wholeText().contains(#""message":"reloaded""#))
        #expect(try await process.program.end() == 0)
    }

    private static func status(_ process: ServeProcess) async throws -> Int? {
        let token = try RunningService.token()
        let bytes = try await RawConnection.exchange(
            process.publicPort,
            request("GET", "/v1/authz", fields: ["X-Original-URI: /live/1", "X-Media-Token: \(token)"]))
        return Answer.all(in: bytes).first?.status
    }

    @Test func `A check reports all faults and serves nothing`() async throws {
        let good = try await ServeProcess.check([:])
        #expect(good.exitCode == 0)
        #expect(good.output == "nothing is wrong with configuration, keys and store\n")
        let bad = try await ServeProcess.check(["limits.batches": "0", "keys.paths": "/nowhere"])
        #expect(bad.exitCode == 78)
        #expect(bad.output.isEmpty)
        #expect(bad.error.contains("limits.batches") && bad.error.contains("keys.paths"))
    }

    @Test func `The doctor asks what settings name`() async throws {
        let folder = try Folder()
        let key = Vectors.key("test-only-issuer-2048.spki.pem")
        let write = { (store: String) in
            try folder.write(
                """
                {"keys":{"paths":["\(key)"],"acceptPublishedTestKeys":true},"store":{"address":"\(store)"},
                "authz":{"requestors":["A"],"resources":["/live/* B"],"uri":"x-original-uri"}}
                """, to: "c.json")
        }
        let doctor = { (file: String) in
            try await Program.run(ServeProcess.tool, ["doctor", "--config", file])
        }
        let good = try await doctor(try write("sqlite:\(folder.path("used"))"))
        #expect(good.exitCode == 0, "\(good.output)")
        #expect(good.output.contains("the store of store.address answers"), "\(good.output)")
        let bad = try await doctor(try write("sqlite:/nowhere/at/all"))
        #expect(bad.exitCode == 78 && bad.output.contains("[cannot_open]"), "\(bad.output)")
        #if Redis
        // No server listens there.
        let silent = try await doctor(try write("redis+unix:///nowhere/redis.sock"))
        #expect(silent.exitCode == 78, "\(silent.output)")
        #expect(silent.output.contains("the store of store.address does not answer"), "\(silent.output)")
        #endif
    }

    #if Redis
    @Test func `A check says that no server was contacted`() async throws {
        // No server listens there.
        let check = try await ServeProcess.check(["store.address": "redis+unix:///nowhere/redis.sock"])
        #expect(check.exitCode == 0)
        #expect(
            check.output.contains("the server of store.address was not contacted: tve doctor --config FILE asks it"))
    }
    #endif
}
#endif
