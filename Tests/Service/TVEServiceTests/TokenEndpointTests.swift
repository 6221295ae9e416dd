#if Service
import EntitlementValues
import Foundation
import NIOCore
import TVEService
import TVETesting
import TestVectors
import Testing

/// The JSON endpoints of the public listener.
@Suite struct TokenEndpointTests {
    private static func body(_ token: String, _ more: String = "") -> String {
        #"{"token":"\#(token)","requestor":"REF30","resource":"DemoChannel"\#(more)}"#
    }

    @Test func `A verdict is that of the command line`() async throws {
        try await RunningService.with { service in
            let token = try RunningService.token()
            let answer = try await service.post("/v1/media-tokens/verify", Self.body(token))
            #expect(answer.status == 200)
            #expect(answer["Content-Type"] == "application/json")
            #expect(answer.object["valid"] as? Bool == true)
            #expect(answer.object["status"] as? String == "VALID_TOKEN")
            let claims = try #require(answer.object["claims"] as? [String: Any])
            #expect(claims["mvpdId"] as? String == "TestMVPD")
            let bad = try await service.post("/v1/media-tokens/verify", Self.body("x"))
            #expect(bad.status == 200)
            #expect(bad.object["valid"] as? Bool == false)
            #expect(bad.code == "malformed")
        }
    }

    @Test func `A token is redeemed only on request`() async throws {
        try await RunningService.with { service in
            let token = try RunningService.token()
            let redeeming = Self.body(token, #","redeem":true"#)
            for expected in ["valid", "valid"] {
                #expect(try await service.post("/v1/media-tokens/verify", Self.body(token)).code == expected)
            }
            for expected in ["valid", "replayed"] {
                #expect(try await service.post("/v1/media-tokens/verify", redeeming).code == expected)
            }
            // In the query, where a batch has it, it would do nothing.
            for query in ["redeem=true", "%72edeem=true", "x=%&r%65de%65m"] {
                let answer = try await service.post("/v1/media-tokens/verify?\(query)", Self.body(token))
                #expect(answer.status == 400 && answer.code == "bad_request", "\(query)")
            }
        }
        try await RunningService.with(["store.address": "none"]) { service in
            let redeeming = Self.body(try RunningService.token(), #","redeem":true"#)
            #expect(try await service.post("/v1/media-tokens/verify", redeeming).status == 400)
        }
    }

    @Test func `A full store is no verdict`() async throws {
        try await RunningService.with(["store.address": "memory:1"]) { service in
            let first = Self.body(try RunningService.token(), #","redeem":true"#)
            #expect(try await service.post("/v1/media-tokens/verify", first).status == 200)
            let next = Self.body(try RunningService.token(), #","redeem":true"#)
            let answer = try await service.post("/v1/media-tokens/verify", next)
            #expect(answer.status == 503)
            #expect(answer.code == "store_unavailable")
        }
    }

    @Test func `Bad bodies say what is wrong`() async throws {
        let deep = String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
        let bodies: [(body: String, status: Int)] = [
            ("", 400), ("token", 400), ("[]", 400), ("{}", 400),
            (#"{"token":1,"requestor":null,"resource":null}"#, 400),
            (#"{"token":"x","requestor":null}"#, 400), (#"{"token":"x","requestor":"","resource":null}"#, 400),
            (#"{"token":"x","requestor":null,"resource":null,"reedem":true}"#, 400),
            (#"{"token":"x","requestor":null,"resource":null,"redeem":"yes"}"#, 400),
            (#"{"token":"x","token":"y","requestor":null,"resource":null}"#, 400),
            (#"{"token":"x","requestor":null,"resource":null,"at":0}"#, 400),
            (#"{"token":"x","requestor":null,"resource":null,"redeem":\#(deep)}"#, 400),
            (#"{"token":"x","requestor":null,"resource":null} {}"#, 400), (deep, 400),
            (String(repeating: " ", count: 10 << 20), 413),
        ]
        try await RunningService.with { service in
            for (body, status) in bodies {
                let answer = try await service.post("/v1/media-tokens/verify", body)
                #expect(answer.status == status, "\(body.prefix(60))")
                #expect(answer.code == (status == 413 ? "too_large" : "bad_request"), "\(body.prefix(60))")
            }
        }
    }

    /// Half a surrogate pair is a fault of a token whose escapes are resolved, and of no other.
    @Test func `Escapes of a token that is too large are not resolved`() async throws {
        let escape = #"\u0041"#
        let token = String(repeating: escape, count: 65_536) + #"\ud800"#
        let folder = try Folder()
        try await RunningService.with(try SessionLifeTests.settings(folder)) { service in
            let verdict = try await service.post("/v1/media-tokens/verify", Self.body(token))
            #expect(verdict.status == 200 && verdict.code == "too_large")
            let session = try await service.post("/v1/playback-sessions", Self.body(token))
            #expect(session.status == 401 && session.code == "too_large")
            let shorter = Self.body(String(token.dropFirst(escape.count)))
            #expect(try await service.post("/v1/media-tokens/verify", shorter).status == 400)
        }
    }

    @Test func `Other methods and addresses are refused`() async throws {
        try await RunningService.with { service async throws in
            #expect(try await service.ask(request("GET", "/v1/media-tokens/verify")).status == 405)
            #expect(try await service.ask(request("GET", "/v1/nothing")).status == 404)
            #expect(try await service.ask(request("GET", "/metrics")).status == 404)
            #expect(try await service.ask(request("GET", "/healthz")).status == 404)
        }
    }

    // MARK: Batches

    @Test func `Rows are answered in order`() async throws {
        try await RunningService.with { service in
            let token = try RunningService.token()
            let row = #"{"id":ID,"token":"\#(token)","requestor":"REF30","resource":"DemoChannel"}"#
            let rows = (0..<500).map { $0 == 7 ? "no row" : row.replacing("ID", with: "\($0)") }.joined(
                separator: "\n")
            let answer = try await service.post("/v1/media-tokens/verify-batch", rows)
            #expect(answer.status == 200)
            let objects = answer.objects
            #expect(objects.count == 500)
            for (index, object) in objects.enumerated() {
                #expect(object["code"] as? String == (index == 7 ? "bad_row" : "valid"))
                #expect(object["id"] as? Int == (index == 7 ? nil : index))
            }
        }
    }

    @Test func `A batch redeems tokens on request`() async throws {
        try await RunningService.with { service in
            let token = try RunningService.token()
            let row = #"{"id":1,"token":"\#(token)","requestor":null,"resource":null}"#
            let answer = try await service.post("/v1/media-tokens/verify-batch?redeem=true", "\(row)\n\(row)\n")
            #expect(answer.objects.map { $0["code"] as? String } == ["valid", "replayed"])
            #expect(try await service.post("/v1/media-tokens/verify-batch?redeem=1", row).status == 400)
        }
    }

    @Test func `The first rows have the last places of a full store`() async throws {
        try await RunningService.with(["store.address": "memory:2"]) { service in
            let rows = try (0..<64).map { _ in
                #"{"token":"\#(try RunningService.token())","requestor":null,"resource":null}"#
            }
            let answer = try await service.post(
                "/v1/media-tokens/verify-batch?redeem=true", rows.joined(separator: "\n"))
            let codes = answer.objects.map { $0["code"] as? String }
            #expect(codes == ["valid", "valid"] + Array(repeating: "store_unavailable", count: 62))
        }
    }

    @Test func `Batches are limited`() async throws {
        try await RunningService.with(["limits.batches": "1"]) { service in
            let head = request("POST", "/v1/media-tokens/verify-batch", fields: ["Content-Length: 100"])
            try await RawConnection.to(service.publicPort) { _, outbound in
                try await outbound.write(.init(bytes: head))
                // The first one takes its place as soon as its head has arrived.
                try await service.untilABatchRuns()
                #expect(try await service.post("/v1/media-tokens/verify-batch", "x").status == 503)
            }
            let last = try await polled {
                let status = try await service.post("/v1/media-tokens/verify-batch", "x").status
                return status == 503 ? nil : status
            }
            #expect(last == 200)
        }
    }

    @Test func `A batch goes on with the keys in use`() async throws {
        let folder = try Folder()
        let take = { @Sendable (name: String) in
            try folder.write(String(contentsOfFile: Vectors.key(name), encoding: .utf8), to: "issuer.pem")
        }
        let keys = try take("test-only-issuer-2048.spki.pem")
        // Long after now, so that a token of now is expired by the wall clock alone.
        let later = Timestamp.now + .hours(5)
        try await RunningService.with(["keys.paths": keys], time: .fixed(at: later)) { service in
            let token = try RunningService.token(issued: later)
            let row = Array(#"{"token":"\#(token)","requestor":null,"resource":null}"#.utf8) + [0x0A]
            let head = request("POST", "/v1/media-tokens/verify-batch", fields: ["Content-Length: \(2 * row.count)"])
            let bytes = try await RawConnection.to(service.publicPort) { inbound, outbound in
                try await outbound.write(ByteBuffer(bytes: head + row))
                try await service.until { try await $0.metrics().contains("tve_batch_rows_total 1") }
                _ = try take("test-only-other-2048.spki.pem")
                await service.service.reload()
                try await outbound.write(ByteBuffer(bytes: row))
                return await RawConnection.read(inbound)
            }
            let answer = try #require(Answer.all(in: bytes).first)
            #expect(answer.objects.map { $0["code"] as? String } == ["valid", "bad_signature"])
        }
    }

    // MARK: Responses of the entitlement service

    @Test func `A positive decision without token has its own code`() async throws {
        try await RunningService.with { service in
            let body = #"{"decisions":[{"resource":"R","serviceProvider":"REF30","mvpd":"M","authorized":true}]}"#
            let answer = try await service.post("/v1/decisions/verify?requestor=REF30", body)
            let decisions = try #require(answer.object["decisions"] as? [[String: Any]])
            #expect(decisions.map { $0["code"] as? String } == ["no_token"])
            #expect(
                try await service.metrics().contains(#"tve_verdicts_total{code="no_token",credential="token"} 1"#))
        }
    }

    @Test func `Decisions are verified`() async throws {
        try await RunningService.with { service in
            let now = Timestamp.now
            let token = try RunningService.token(issued: now)
            let body = """
                {"decisions":[{"resource":"DemoChannel","serviceProvider":"REF30","mvpd":"TestMVPD","authorized":true,
                "token":{"notBefore":\(now.milliseconds),"notAfter":\((now + .minutes(7)).milliseconds),
                "serializedToken":"\(token)"}},
                {"resource":"Other","serviceProvider":"REF30","mvpd":"TestMVPD","authorized":false}]}
                """
            let answer = try await service.post("/v1/decisions/verify?requestor=REF30", body)
            #expect(answer.status == 200)
            let decisions = try #require(answer.object["decisions"] as? [[String: Any]])
            #expect(decisions.map { $0["code"] as? String } == ["valid", "not_authorized"])
            let metrics = try await service.metrics()
            #expect(metrics.contains(#"tve_verdicts_total{code="valid",credential="token"} 1"#))
            #expect(metrics.contains(#"tve_verdicts_total{code="not_authorized",credential="token"} 1"#))
            let other = try await service.post("/v1/decisions/verify?requestor=OTHER", body)
            #expect(
                (other.object["decisions"] as? [[String: Any]])?.first?["code"] as? String == "requestor_mismatch")
            #expect(try await service.post("/v1/decisions/verify", body).status == 400)
            #expect(try await service.post("/v1/decisions/verify?requestor=", body).status == 400)
            #expect(try await service.post("/v1/decisions/verify?requestor=REF30", "[]").status == 400)
        }
    }

    @Test(arguments: [
        ("Canal%2B+1", "valid"), ("Canal%2B%201", "valid"), ("Canal++1", "requestor_mismatch"),
        ("Canal%2B1", "requestor_mismatch"),
    ])
    func `A query is read as a form`(_ query: String, _ code: String) async throws {
        try await RunningService.with { service in
            let now = Timestamp.now
            let token = try RunningService.token(requestor: "Canal+ 1", issued: now)
            let body = """
                {"decisions":[{"resource":"DemoChannel","serviceProvider":"Canal+ 1","mvpd":"TestMVPD",
                "authorized":true,"token":{"notBefore":\(now.milliseconds),"notAfter":\((now + .minutes(7)).milliseconds),
                "serializedToken":"\(token)"}}]}
                """
            let answer = try await service.post("/v1/decisions/verify?requestor=\(query)", body)
            let decisions = try #require(answer.object["decisions"] as? [[String: Any]], "\(answer.text)")
            #expect(decisions.map { $0["code"] as? String } == [code])
        }
    }

    @Test func `A large or long decisions response is refused in few bytes`() async throws {
        let elements = { @Sendable (count: Int) in
            #"{"decisions":["# + String(repeating: "{},", count: count - 1) + "{}]}"
        }
        try await RunningService.with { service in
            let target = "/v1/decisions/verify?requestor=REF30"
            let large = try await service.post(target, elements(349_000))
            #expect(large.status == 413)
            #expect(large.body.count < 1024)
            for count in [1001, 43_000] {
                let long = try await service.post(target, elements(count))
                #expect(long.status == 400)
                #expect(long.code == "too_many")
                #expect(long.body.count < 1024)
            }
            let answer = try await service.post(target, elements(1000))
            #expect(answer.status == 200)
            #expect(answer.body.count < 64 << 10)
            #expect((answer.object["faults"] as? [Any])?.count == 100)
            #expect(answer.object["faultCount"] as? Int == 1000)
        }
        // Also if the operator allows larger bodies.
        try await RunningService.with(["limits.decisionsBytes": "\(8 << 20)"]) { service in
            let answer = try await service.post("/v1/decisions/verify?requestor=REF30", elements(349_000))
            #expect(answer.code == "too_many")
            #expect(answer.body.count < 1024)
        }
    }

    @Test func `Many decisions take the place of a batch`() async throws {
        let decision = #"{"resource":"R","serviceProvider":"REF30","mvpd":"M","authorized":true}"#
        let body = { @Sendable (count: Int) in
            #"{"decisions":["# + Array(repeating: decision, count: count).joined(separator: ",") + "]}"
        }
        try await RunningService.with(["limits.batches": "1"]) { service in
            let target = "/v1/decisions/verify?requestor=REF30"
            let head = request("POST", "/v1/media-tokens/verify-batch", fields: ["Content-Length: 100"])
            try await RawConnection.to(service.publicPort) { _, outbound in
                try await outbound.write(.init(bytes: head))
                try await service.untilABatchRuns()
                #expect(try await service.post(target, body(64)).status == 200)
                let many = try await service.post(target, body(65))
                #expect(many.status == 503)
                #expect(many.code == "busy")
            }
            try await service.until { try await $0.post(target, body(1000)).status == 200 }
            // The place is free again, and was not counted as a batch.
            #expect(try await service.post(target, body(1000)).status == 200)
            #expect(try await service.metrics().contains(#"tve_requests_total{endpoint="decisions",status="200"} 3"#))
        }
    }
}
#endif
