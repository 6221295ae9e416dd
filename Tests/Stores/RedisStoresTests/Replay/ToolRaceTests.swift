#if Redis
import EntitlementKeys
import EntitlementValues
import Foundation
import TVETesting
import TestServers
import TestVectors
import Testing

/// Three runs of `tve verify --batch` that are given the same tokens at the same time.
@Suite(
    .enabled(if: RedisServer.executable != nil, "redis-server is not installed (Debian: apt install redis-server)"),
    .onOwnThreads)
struct ToolRaceTests {
    /// More on request, since signing them takes longest.
    private static let tokens = Int(ProcessInfo.processInfo.environment["TVE_RACE_TOKENS"] ?? "") ?? 1000

    @Test func `Each token passes once and the other runs say replayed`() async throws {
        let server = try RedisServer("--requirepass", "geheim")
        let password = server.folder.appending(path: "password")
        try Data("geheim\n".utf8).write(to: password)
        let verdicts = try await race(
            on: server,
            [
                "--redeem", "redis+unix://\(server.socketPath)?db=1", "--redeem-password-file", password.path,
                "--redeem-timeout", "60000",
            ])
        #expect(verdicts.values.allSatisfy { $0.count == 3 })
        // Connecting has a limit of two seconds, and may take longer on a machine that is busy with other things; then the token
        // passes in no run.
        let answered = verdicts.values.filter { !$0.contains("store_unavailable") }.map { $0.sorted() }
        #expect(Set(answered) == [["replayed", "replayed", "valid"]])
        #expect(!answered.isEmpty)
        #expect(verdicts.values.allSatisfy { codes in codes.count { $0 == "valid" } <= 1 })
    }

    @Test func `Where the server is away no token passes`() async throws {
        let server = try RedisServer()
        server.kill(SIGKILL)
        // A run without a single verdict has failed.
        let verdicts = try await race(on: server, ["--redeem", "redis+unix://\(server.socketPath)"], endingWith: 2)
        #expect(
            verdicts.values.allSatisfy { $0 == ["store_unavailable", "store_unavailable", "store_unavailable"] })
    }

    /// Verifies the same tokens in three processes.
    ///
    /// - Returns: The code of each process for each token.
    private func race(
        on server: RedisServer,
        _ arguments: [String],
        endingWith exitCode: Int32 = 0
    ) async throws -> [Int: [String]] {
        let rows = server.folder.appending(path: "rows.ndjson")
        try Self.rows().write(to: rows)
        let outputs = (0..<3).map { server.folder.appending(path: "verdicts-\($0).ndjson") }
        let runs = try outputs.map { output in
            try StartedProgram(
                Program.built("tve"),
                ["verify", "--batch", "--keys", Vectors.key("test-only-issuer-2048.spki.pem")] + arguments,
                input: .file(rows), output: .file(output))
        }
        var codes: [Int: [String]] = [:]
        for (run, output) in zip(runs, outputs) {
            // A run has 1000 signatures to verify, or as many as were asked for.
            #expect(try await run.end() == exitCode)
            for line in try Data(contentsOf: output).split(separator: UInt8(ascii: "\n")) {
                let verdict = try JSONDecoder().decode(Verdict.self, from: line)
                codes[verdict.id, default: []].append(verdict.code)
            }
        }
        #expect(codes.count == Self.tokens)
        return codes
    }

    private struct Verdict: Decodable {
        let id: Int
        let code: String
    }

    private static func rows() throws -> Data {
        let keyFile = Vectors.key("test-only-issuer-2048.pkcs8.pem")
        let issuer = TestMediaTokenIssuer(key: try SigningKey(contentsOfFile: keyFile))
        var rows = Data()
        for number in 0..<tokens {
            var claims = TestTokenClaims(requestor: "REF30", resource: "DemoChannel", issued: noon)
            claims.sessionGUID = SessionGUID("session-\(number)")
            let token = try issuer.issueText(claims)
            let row: [String: Any] = [
                "id": number, "token": token, "requestor": "REF30", "resource": "DemoChannel",
                "at": noon.milliseconds,
            ]
            rows += try JSONSerialization.data(withJSONObject: row) + Data("\n".utf8)
        }
        return rows
    }
}
#endif
