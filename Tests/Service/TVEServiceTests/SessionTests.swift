#if Service
import EntitlementValues
import Foundation
import TVEService
import TVETesting
import TestVectors
import Testing

/// Playback sessions: one token for many segments.
@Suite struct SessionTests {
    static func settings(_ folder: Folder, _ keys: String...) throws -> [String: String] {
        for key in keys { try folder.write(String(repeating: "\(key)-5ec2e7", count: 8), to: key) }
        return [
            "sessions.keyFiles": keys.map(folder.path).joined(separator: ","), "sessions.parameter": "session",
            "authz.resources": "/live/* DemoChannel,/other/* Other",
        ]
    }

    private static func boundSettings(_ folder: Folder) throws -> [String: String] {
        try settings(folder, "a").merging(["sessions.clientAddressHeader": "X-Forwarded-For"]) { $1 }
    }

    private static func body(_ token: String) -> String {
        #"{"token":"\#(token)","requestor":null,"resource":null}"#
    }

    /// The name of the cookie for DemoChannel: with the start of the SHA-256 of the resource.
    static let cookie = "__Host-tve_session-dcb6b10ef9a4"

    /// Starts a session.
    static func start(
        _ service: RunningService, _ fields: [String] = [], at now: Timestamp = .now
    ) async throws -> String {
        let token = try RunningService.token(issued: now)
        let answer = try await service.post("/v1/playback-sessions", body(token), fields: fields)
        #expect(answer.status == 200)
        let session = try #require(answer.object["session"] as? String)
        let set = "\(cookie)=\(session); Path=/; Max-Age=14400; Secure; HttpOnly; SameSite=Lax"
        #expect(answer["Set-Cookie"] == set)
        #expect(answer.object["sessionExpires"] as? Int64 ?? 0 > now.milliseconds)
        return session
    }

    @Test func `A session is good for many segments of its resource`() async throws {
        let folder = try Folder()
        try await RunningService.with(try Self.settings(folder, "a")) { service in
            let session = try await Self.start(service)
            for segment in 0..<20 {
                let answer = try await service.authorize(
                    ["Cookie: x=y; \(Self.cookie)=\(session)"], uri: "/live/\(segment).ts")
                #expect(answer.status == 200)
                #expect(answer["X-TVE-MVPD"] == "TestMVPD")
            }
            #expect(try await service.authorize([], uri: "/live/1.ts?session=\(session)").status == 200)
            let other = try await service.authorize([], uri: "/other/1.ts?session=\(session)")
            #expect(other.status == 403)
            #expect(other["X-TVE-Status"] == "INVALID_RESOURCE_ID")
            let brand = try await service.authorize(["Cookie: \(Self.cookie)=x; \(Self.cookie)=\(session)"])
            #expect(brand.status == 200)
            #expect(!service.log.text.contains(session.prefix(40)))
        }
    }

    @Test func `A token starts one session only`() async throws {
        let folder = try Folder()
        try await RunningService.with(try Self.settings(folder, "a")) { service in
            let token = try RunningService.token()
            #expect(try await service.post("/v1/playback-sessions", Self.body(token)).status == 200)
            let again = try await service.post("/v1/playback-sessions", Self.body(token))
            #expect(again.status == 403)
            #expect(again.code == "replayed")
            #expect(again.object["session"] == nil)
            #expect(again["Set-Cookie"] == nil)
            #expect(try await service.authorize(["X-Media-Token: \(token)"]).status == 403)
            let expired = try RunningService.token(issued: .now - .hours(2))
            #expect(try await service.post("/v1/playback-sessions", Self.body(expired)).status == 401)
        }
    }

    @Test func `An altered session is refused`() async throws {
        let folder = try Folder()
        try await RunningService.with(try Self.settings(folder, "a")) { service in
            let session = try await Self.start(service)
            var parts = session.split(separator: ".").map(String.init)
            parts[1] = "T3RoZXI"
            for altered in [
                parts.joined(separator: "."), String(session.dropLast()), session + "A", "1.2.3", "",
                "1." + session,
                session + String(repeating: "A", count: 60_000),
            ] {
                let answer = try await service.authorize(["Cookie: \(Self.cookie)=\(altered)"])
                #expect(answer["X-TVE-Status"] != "VALID_TOKEN")
                #expect(answer.status == 401, "\(altered.prefix(100))")
            }
            // If the session is bad, a good token still passes.
            let fields = ["Cookie: \(Self.cookie)=\(session)A", "X-Media-Token: \(try RunningService.token())"]
            #expect(try await service.authorize(fields).status == 200)
        }
    }

    @Test func `A session ends`() async throws {
        let folder = try Folder()
        let time = ManualTime(at: .now)
        try await RunningService.with(try Self.settings(folder, "a"), time: time.source) { service in
            let session = try await Self.start(service, at: time.now)
            time.advance(by: .seconds(4 * 3600 - 5))
            #expect(try await service.authorize(["Cookie: \(Self.cookie)=\(session)"]).status == 200)
            time.advance(by: .seconds(5))
            let over = try await service.authorize(["Cookie: \(Self.cookie)=\(session)"])
            #expect(over.status == 401)
            #expect(over["X-TVE-Status"] == "TOKEN_EXPIRED")
        }
    }

    @Test func `Keys rotate with overlap`() async throws {
        let folder = try Folder()
        let both = try Self.settings(folder, "new", "old")
        let old = try await RunningService.with(try Self.settings(folder, "old")) { try await Self.start($0) }
        let new = try await RunningService.with(both) { service in
            #expect(try await service.authorize(["Cookie: \(Self.cookie)=\(old)"]).status == 200)
            return try await Self.start(service)
        }
        try await RunningService.with(try Self.settings(folder, "new")) { service async throws in
            #expect(try await service.authorize(["Cookie: \(Self.cookie)=\(new)"]).status == 200)
            #expect(try await service.authorize(["Cookie: \(Self.cookie)=\(old)"]).status == 401)
            #expect(service.log.text.contains("retired_session_key"))
        }
    }

    @Test func `Keys rotate by reload`() async throws {
        let folder = try Folder()
        let write = { @Sendable (key: String, file: String) in
            _ = try folder.write(String(repeating: "\(key)-5ec2e7", count: 8), to: file)
        }
        try await RunningService.with(try Self.settings(folder, "first", "second")) { service in
            let asks = { @Sendable (session: String) in
                try await service.authorize(["Cookie: \(Self.cookie)=\(session)"]).status
            }
            let old = try await Self.start(service)
            try write("new", "first")
            try write("first", "second")
            await service.service.reload()
            #expect(try await asks(old) == 200)
            let new = try await Self.start(service)
            try write("unknown", "second")
            await service.service.reload()
            #expect(try await asks(old) == 401)
            #expect(try await asks(new) == 200)
        }
    }

    @Test func `A session may be bound to the client`() async throws {
        let folder = try Folder()
        let settings = try Self.settings(folder, "a").merging(["sessions.clientAddressHeader": "X-Real-IP"]) { $1 }
        try await RunningService.with(settings) { service in
            let session = try await Self.start(service, ["X-Real-IP: 192.0.2.1"])
            let cookie = "Cookie: \(Self.cookie)=\(session)"
            #expect(try await service.authorize([cookie, "X-Real-IP: 192.0.2.1"]).status == 200)
            #expect(try await service.authorize([cookie, "X-Real-IP: 192.0.2.2"]).status == 401)
            #expect(try await service.authorize([cookie]).status == 401)
            let forwarded = "X-Real-IP: 192.0.2.9, 192.0.2.1"
            #expect(try await service.authorize([cookie, forwarded]).status == 200)
            #expect(try await service.authorize([cookie, "X-Real-IP: 192.0.2.1, 192.0.2.9"]).status == 401)
            #expect(
                try await service.authorize([cookie, "X-Real-IP: 192.0.2.1", "X-Real-IP: 192.0.2.2"]).status == 401)
            let token = Self.body(try RunningService.token())
            #expect(try await service.post("/v1/playback-sessions", token).status == 400)
            // The request without an address did not redeem the token.
            #expect(
                try await service.post("/v1/playback-sessions", token, fields: ["X-Real-IP: 192.0.2.1"]).status == 200)
        }
    }

    /// Azure's gateway and IIS add the port, which is another one for each connection.
    @Test(arguments: [
        (
            "198.51.100.7:51008",
            ["198.51.100.7:51009", "198.51.100.7", "::ffff:198.51.100.7", "[::FFFF:c633:6407]:1", "198.51.100.7\t"]
        ),
        ("2001:DB8:0:0::7", ["2001:db8::7", "[2001:db8::7]", "[2001:0db8::7]:51009"]),
    ])
    func `Every spelling of an address is the same client`(_ first: String, _ others: [String]) async throws {
        let folder = try Folder()
        try await RunningService.with(try Self.boundSettings(folder)) { service in
            let session = try await Self.start(service, ["X-Forwarded-For: \(first)"])
            let cookie = "Cookie: \(Self.cookie)=\(session)"
            for other in others + others.map({ "unknown, \($0)" }) {
                let answer = try await service.authorize([cookie, "X-Forwarded-For: \(other)"])
                #expect(answer.status == 200, "\(first), then \(other)")
            }
            for other in ["198.51.100.8:51008", "2001:db8::8", "\(others[0]), unknown"] {
                let answer = try await service.authorize([cookie, "X-Forwarded-For: \(other)"])
                #expect(answer.status == 401, "\(first), then \(other)")
            }
        }
    }

    @Test(arguments: [
        "unknown", "_hidden", "198.51.100.7:x", "198.51.100.07", "198.51.100.7 198.51.100.8", "198.51.100.7,",
        "2001:db8::7:51008", "fe80::1%eth0", "for=198.51.100.7", "host.example:51008",
    ])
    func `To what is not an address no session is bound`(_ value: String) async throws {
        let folder = try Folder()
        try await RunningService.with(try Self.boundSettings(folder)) { service in
            let token = Self.body(try RunningService.token())
            let refused = try await service.post("/v1/playback-sessions", token, fields: ["X-Forwarded-For: \(value)"])
            #expect(refused.status == 400 && refused.code == "bad_request", "\(refused.text)")
            #expect(refused.text.contains("is not an address"))
            let good = ["X-Forwarded-For: 198.51.100.7"]
            // The refusal did not redeem the token.
            let answer = try await service.post("/v1/playback-sessions", token, fields: good)
            #expect(answer.status == 200)
            let session = try #require(answer.object["session"] as? String)
            let cookie = "Cookie: \(Self.cookie)=\(session)"
            #expect(try await service.authorize([cookie, "X-Forwarded-For: \(value)"]).status == 401)
            #expect(service.log.text.contains("session_client_mismatch"))
            #expect(try await service.authorize([cookie] + good).status == 200)
        }
    }

    @Test func `Without keys there are no sessions`() async throws {
        try await RunningService.with { service in
            let answer = try await service.post("/v1/playback-sessions", Self.body(try RunningService.token()))
            #expect(answer.status == 404)
            #expect(answer.code == "not_enabled")
            #expect(try await service.authorize(["Cookie: \(Self.cookie)=x"]).status == 401)
        }
    }
}
#endif
