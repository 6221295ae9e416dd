#if Service
import EntitlementValues
import Foundation
import HTTPTypes
import HostSystem
import Hummingbird
import Logging
import NIOCore
import TVEService
import TVETesting
import TestVectors
import Testing
import TextCodecs
import TokenRedemption

/// What the log says of requests: who asked for what, under which name, and nothing that opens a stream.
@Suite struct LogTests {
    private static let guid = RunningService.subscriber.rawValue

    // MARK: The start

    @Test func `One line says what serves`() async throws {
        let folder = try Folder()
        let file = try folder.write("{}", to: "c.json")
        try await RunningService.with(file: file) { service in
            let lines = service.log.events("serving")
            #expect(lines.count == 1)
            let values = try #require(lines.first).values
            #expect(values["version"] == releaseVersion && values["openssl"]?.hasPrefix("OpenSSL") == true)
            #expect(values["settings"] == file && values["store"] == "memory" && values["keys"] == "1")
            #expect(values["fingerprints"] == "e53325dace595c40")
            #expect(values["public"] == "127.0.0.1:\(service.publicPort)")
            #expect(values["internal"] == "127.0.0.1:\(service.internalPort)")
        }
    }

    /// It is no client's fault, and ends with what an operator does.
    @Test func `A refusal for want of keys is an error with its own code`() async throws {
        let folder = try Folder()
        let key = try String(contentsOfFile: Vectors.key("test-only-issuer-2048.spki.pem"), encoding: .utf8)
        let file = try folder.write(key, to: "issuer.pem")
        try await RunningService.with(["keys.paths": file]) { service in
            try FileManager.default.removeItem(atPath: file)
            await service.service.reload()
            #expect(try await service.authorize(["X-Media-Token: \(try RunningService.token())"]).status == 503)
            let refusal = try #require(service.log.events("refused").last)
            #expect(refusal.level == .error && refusal.values["code"] == "no_keys")
            let counted = #"tve_verdicts_total{code="no_keys",credential="token"} 1"#
            #expect(try await service.metrics().contains(counted))
        }
    }

    // MARK: Passes and refusals

    @Test func `A pass by token has a line without debug`() async throws {
        try await RunningService.with { service in
            let token = try RunningService.token(sessionGUID: RunningService.subscriber)
            #expect(try await service.authorize(["X-Media-Token: \(token)"]).status == 200)
            let line = try #require(service.log.events("passed").first)
            #expect(line.level == .info)
            let signed = try #require(Self.signedBytes(of: token))
            let digest = try #require(shortDigest(of: signed))
            #expect(line.values["token"] == digest)
            #expect(line.values["subscriber"] == shortDigest(of: Self.guid))
            let expected = [
                "requestor": "REF30", "resource": "DemoChannel", "credential": "token", "code": "valid",
                "key": "test-only-issuer-2048.spki.pem", "endpoint": "authz",
            ]
            #expect(line.values.filter { expected[$0.key] != nil } == expected)
            #expect(line.values["mvpd"]?.isEmpty == false && line.values["request"]?.count == 32)
            #expect(!service.log.text.contains(token.prefix(24)) && !service.log.text.contains(Self.guid))
        }
    }

    /// The bytes that are signed, as the article tells operators to find them.
    private static func signedBytes(of token: String) -> String? {
        guard let plain = Base64.decode(Array(token.utf8), options: []) else { return nil }
        return String(decoding: plain, as: UTF8.self).components(separatedBy: "<signatureInfo>").last
    }

    /// Each spelling of a token has the same digest, also if the token is refused.
    @Test func `The digest is that of the signed bytes`() async throws {
        try await RunningService.with { service in
            let once = try RunningService.token()
            let twice = Base64.encode(Array(once.utf8))
            #expect(try await service.authorize(["X-Media-Token: \(once)"]).status == 200)
            #expect(try await service.authorize(["X-Media-Token: \(twice)"]).status == 403)
            #expect(try await service.authorize(["X-Media-Token: \(twice)"], uri: "/unknown").status == 403)
            let forged = try RunningService.token(sessionGUID: "another", fault: .otherKey)
            for spelling in [forged, Base64.encode(Array(forged.utf8))] {
                #expect(try await service.authorize(["X-Media-Token: \(spelling)"]).status == 401)
            }
            #expect(try await service.authorize(["X-Media-Token: nonsense"]).status == 401)
            let passed = try #require(service.log.events("passed").first?.values["token"])
            let refused = service.log.events("refused")
            let digests = { (code: String) in refused.filter { $0.values["code"] == code }.map { $0.values["token"] } }
            #expect(digests("replayed") == [passed])
            let forgeries = digests("bad_signature")
            #expect(forgeries.count == 2 && Set(forgeries).count == 1 && forgeries.first != passed)
            // Nothing in it is signed.
            #expect(digests("malformed") == [shortDigest(of: "nonsense")])
        }
    }

    @Test(arguments: [("", 0), ("tokens", 0), ("all", 3), ("none", 0)])
    func `Segments have lines only if the settings want them`(_ passes: String, _ lines: Int) async throws {
        let folder = try Folder()
        let settings = try SessionTests.settings(folder, "a").merging(["log.passes": passes]) { $1 }
        try await RunningService.with(settings) { service in
            let session = try await SessionTests.start(service)
            for _ in 0..<3 {
                #expect(try await service.authorize(["Cookie: \(SessionTests.cookie)=\(session)"]).status == 200)
            }
            let passed = service.log.events("passed").filter { $0.level == .info }
            let plays = passed.filter { $0.values["credential"] == "token" }
            let segments = passed.filter { $0.values["credential"] == "session" }
            #expect(plays.count == (passes == "none" ? 0 : 1) && segments.count == lines)
            // The line of the play names the session that its segments have.
            if passes == "all" { #expect(Set(passed.map { $0.values["session"] }).count == 1) }
            #expect(plays.allSatisfy { $0.values["session"]?.count == 22 })
            #expect(!service.log.text.contains(session.prefix(40)))
        }
    }

    @Test func `A flood of refusals is sampled by code`() async throws {
        let sampling = RefusalSampling(perSecond: 3)
        let found = { (code: String, uptime: Duration) in sampling.place(for: code, at: uptime) }
        #expect(
            (0..<10).map { _ in found("expired", .milliseconds(5)) } == [0, 0, 0] + Array(repeating: nil, count: 7))
        #expect(found("replayed", .milliseconds(6)) == 0)
        #expect(found("expired", .seconds(1)) == 7)
        #expect(found("expired", .seconds(1)) == 0)
        #expect((0..<1000).allSatisfy { _ in RefusalSampling(perSecond: nil).place(for: "expired", at: .zero) == 0 })
        try await RunningService.with(["log.refusalsPerSecond": "2"], time: ManualTime(at: .now).source) { service in
            for _ in 0..<5 { _ = try await service.authorize(["X-Media-Token: nonsense"]) }
            _ = try await service.authorize([])
            #expect(
                service.log.events("refused").map { $0.values["code"] } == ["malformed", "malformed", "no_credential"])
            #expect(try await service.metrics().contains(#"tve_verdicts_total{code="malformed",credential="token"} 5"#))
        }
    }

    // MARK: Names of requests

    @Test func `Request and trace are named in answer and log`() async throws {
        let trace = "0af7651916cd43dd8448eb211c80319c"
        try await RunningService.with { service in
            let fields = ["X-Request-ID: edge-7/42", "traceparent: 00-\(trace)-b7ad6b7169203331-01"]
            let answer = try await service.authorize(fields + ["X-Media-Token: nonsense"])
            #expect(answer["X-Request-ID"] == "edge-7/42")
            #expect(answer["traceparent"] == "00-\(trace)-b7ad6b7169203331-01")
            let line = try #require(service.log.events("refused").first)
            #expect(line.values["request"] == "edge-7/42" && line.values["trace"] == trace)
            #expect(line.values["endpoint"] == "authz")
            let internalAnswer = try await service.askInternal(request("GET", "/healthz", fields: fields))
            #expect(internalAnswer["X-Request-ID"] == "edge-7/42")
            let first = try await service.authorize([])["X-Request-ID"]
            let second = try await service.authorize([])["X-Request-ID"]
            #expect(first?.count == 32 && second?.count == 32 && first != second)
            #expect(service.log.events("refused").suffix(2).map { $0.values["request"] } == [first, second])
        }
    }

    @Test(arguments: [
        [], [""], ["two words"], ["a\u{1B}[31m"], ["\"quoted\""], [String(repeating: "a", count: 65)], ["a", "a"],
    ])
    func `Other request IDs are replaced`(_ ids: [String]) {
        var fields = HTTPFields()
        for id in ids { fields.append(HTTPField(name: .requestID, value: id)) }
        let identity = RequestIdentity(fields, at: .authz)
        #expect(identity.id.count == 32 && !ids.contains(identity.id))
    }

    @Test(arguments: [
        "", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
        "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-x",
    ])
    func `Other trace parents are ignored`(_ text: String) {
        let identity = RequestIdentity([.traceParent: text], at: .authz)
        #expect(identity.traceParent == nil)
        var fields = HTTPFields()
        identity.mark(&fields)
        #expect(fields[.traceParent] == nil)
    }

    /// What it says of itself may hold anything; a fault of ours is not silent all the same.
    @Test func `An error that has no answer is told by its type, once for its request`() async throws {
        struct Unexpected: Error, CustomStringConvertible {
            let description = "with a 5ec2e7"
        }
        try await RunningService.with { service in
            let asked = Request(
                head: HTTPRequest(
                    method: .post, scheme: "http", authority: "localhost", path: "/v1/media-tokens/verify",
                    headerFields: [.requestID: "edge-7/42"]),
                body: RequestBody(buffer: ByteBuffer()))
            let answer = try await service.service.state.measured(.verify, asked) { throw Unexpected() }
            #expect(answer.status == .internalServerError && answer.headers[.requestID] == "edge-7/42")
            #expect(answer.headers[.contentType] == "application/json")
            let lines = service.log.events("a request failed with an unexpected error")
            #expect(lines.map(\.level) == [.error])
            #expect(lines.first?.values["type"] == "Unexpected" && lines.first?.values["request"] == "edge-7/42")
            #expect(lines.first?.values["endpoint"] == "verify")
            #expect(!service.log.text.contains("5ec2e7"))
            let counted = #"tve_requests_total{endpoint="verify",status="500"} 1"#
            #expect(try await service.metrics().contains(counted))
            // A request that is over is no fault of ours.
            await #expect(throws: CancellationError.self) {
                try await service.service.state.measured(.verify, asked) { throw CancellationError() }
            }
            #expect(service.log.events("a request failed with an unexpected error").count == 1)
        }
    }

    // MARK: The end

    @Test func `The last line says that the service has stopped`() async throws {
        let log = try await RunningService.with { service in service.log }
        #expect(log.events("stopping").count == 1)
        let stopped = log.events("stopped")
        #expect(stopped.map(\.level) == [.notice] && stopped.first?.values["after"] != nil)
    }
}
#endif
