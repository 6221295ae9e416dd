#if Service
import EntitlementValues
import Foundation
import TVETesting
import Testing

/// Renewal, revocation and streams over HTTP.
@Suite struct SessionLifeTests {
    static func settings(_ folder: Folder, _ changes: [String: String] = [:]) throws -> [String: String] {
        try SessionTests.settings(folder, "a").merging([
            "sessions.store": "memory:", "sessions.streams": "2", "sessions.lifetimeSeconds": "300",
            "sessions.ceilingSeconds": "1000",
        ]) { $1 }.merging(changes) { $1 }
    }

    /// Starts a session for another token of the same subscriber each time.
    static func start(
        _ service: RunningService,
        at now: Timestamp = .now,
        resource: ResourceID = "DemoChannel",
        more: String = "",
        fields: [String] = []
    ) async throws -> Answer {
        let token = try RunningService.token(
            resource: resource, issued: now, sessionGUID: RunningService.subscriber)
        return try await service.post(
            "/v1/playback-sessions", #"{"token":"\#(token)","requestor":null,"resource":null\#(more)}"#, fields: fields)
    }

    static func session(_ answer: Answer) throws -> String {
        #expect(answer.status == 200, "\(answer.text)")
        return try #require(answer.object["session"] as? String)
    }

    static func renew(_ service: RunningService, _ session: String) async throws -> Answer {
        try await service.post("/v1/playback-sessions/renew", #"{"session":"\#(session)"}"#)
    }

    static func passes(_ service: RunningService, _ session: String) async throws -> Int {
        try await service.authorize([], uri: "/live/1.ts?session=\(session)").status
    }

    @Test func `A session is renewed up to its ceiling`() async throws {
        let folder = try Folder()
        let time = ManualTime(at: Timestamp(milliseconds: Timestamp.now.milliseconds / 1000 * 1000))
        try await RunningService.with(try Self.settings(folder), time: time.source) { service in
            let answer = try await Self.start(service, at: time.now)
            let first = try Self.session(answer)
            let start = time.now.milliseconds
            #expect(answer.object["sessionExpires"] as? Int64 == start + 300_000)
            #expect(answer.object["sessionCeiling"] as? Int64 == start + 1_000_000)
            var session = first
            for (seconds, end) in [(250, 550), (250, 800), (250, 1000), (200, 1000)] as [(Int64, Int64)] {
                time.advance(by: .seconds(seconds))
                let renewed = try await Self.renew(service, session)
                #expect(renewed.object["sessionExpires"] as? Int64 == start + end * 1000, "\(renewed.text)")
                #expect(renewed.object["sessionId"] as? String == answer.object["sessionId"] as? String)
                #expect(
                    renewed["Set-Cookie"]?.contains(
                        "Max-Age=\(min(300, end - (time.now.milliseconds - start) / 1000));") == true)
                session = try Self.session(renewed)
                #expect(try await Self.passes(service, session) == 200)
            }
            #expect(try await Self.passes(service, first) == 401)
            time.advance(by: .seconds(50))
            let over = try await Self.renew(service, session)
            #expect(over.status == 401 && over.code == "session_expired")
            #expect(try await service.metrics().contains("tve_sessions_renewed_total 4"))
        }
    }

    @Test func `Streams are counted and given back`() async throws {
        let folder = try Folder()
        try await RunningService.with(try Self.settings(folder)) { service in
            let first = try Self.session(try await Self.start(service))
            let second = try Self.session(try await Self.start(service))
            let token = try RunningService.token(sessionGUID: RunningService.subscriber)
            let body = #"{"token":"\#(token)","requestor":null,"resource":null}"#
            let third = try await service.post("/v1/playback-sessions", body)
            #expect(third.status == 409 && third.code == "too_many_streams")
            #expect(try await Self.renew(service, first).status == 200)
            // The holder ends one of its streams; the token that found no place was not used up.
            let ended = try await service.post("/v1/playback-sessions/end", #"{"session":"\#(first)"}"#)
            #expect(ended.status == 200 && ended.object["revoked"] as? Bool == true)
            #expect(ended["Set-Cookie"]?.contains("Max-Age=0") == true)
            #expect(try await service.post("/v1/playback-sessions", body).status == 200)
            #expect(try await service.post("/v1/playback-sessions", body).status != 200)
            #expect(try await Self.passes(service, first) == 401)
            #expect(try await Self.passes(service, second) == 200)
            let renewed = try await Self.renew(service, first)
            #expect(renewed.status == 401 && renewed.code == "session_revoked")
            let metrics = try await service.metrics()
            #expect(metrics.contains(#"tve_sessions_revoked_total{by="holder"} 1"#))
            #expect(metrics.contains(#"code="too_many_streams",credential="token""#))
        }
    }

    /// A used token must not take the place of a stream for as long as a session lasts.
    @Test func `A used token takes no place`() async throws {
        let folder = try Folder()
        try await RunningService.with(try Self.settings(folder)) { service in
            let token = try RunningService.token(sessionGUID: RunningService.subscriber)
            let body = #"{"token":"\#(token)","requestor":null,"resource":null}"#
            #expect(try await service.post("/v1/playback-sessions", body).status == 200)
            for _ in 0..<5 { #expect(try await service.post("/v1/playback-sessions", body).code == "replayed") }
            #expect(try await Self.start(service).status == 200)
        }
    }

    @Test func `Operators revoke by ID and by subscriber`() async throws {
        let folder = try Folder()
        try await RunningService.with(try Self.settings(folder)) { service in
            let started = try await Self.start(service)
            let (one, two) = (try Self.session(started), try Self.session(try await Self.start(service)))
            let id = try #require(started.object["sessionId"] as? String)
            let revoke = { @Sendable (body: String) in
                try await service.askInternal(
                    request("POST", "/v1/playback-sessions/revoke", body: Array(body.utf8)))
            }
            let answer = try await revoke(#"{"id":"\#(id)"}"#)
            #expect(answer.status == 200 && answer.object["until"] as? Int64 ?? 0 > Timestamp.now.milliseconds)
            #expect(try await Self.passes(service, one) == 401)
            #expect(try await Self.passes(service, two) == 200)
            let guid = try #require((started.object["claims"] as? [String: Any])?["sessionGUID"] as? String)
            #expect(try await revoke(#"{"subscriber":"\#(guid)"}"#).status == 200)
            #expect(try await Self.passes(service, two) == 401)
            #expect(service.log.text.contains("session_revoked") && !service.log.text.contains(guid))
            for body in ["{}", #"{"id":"x"}"#, #"{"id":"\#(id)","subscriber":"a"}"#, #"{"session":"a"}"#, "", "[]"] {
                #expect(try await revoke(body).status == 400, "\(body)")
            }
            // IDs are in logs: on the public listener they must not be enough.
            #expect(try await service.post("/v1/playback-sessions/revoke", #"{"id":"\#(id)"}"#).status == 404)
            for body in [#"{"id":"\#(id)"}"#, #"{"subscriber":"\#(guid)"}"#, #"{"session":"\#(id)"}"#] {
                #expect(try await service.post("/v1/playback-sessions/end", body).status >= 400)
            }
        }
    }

    @Test func `Without a store nothing is revoked`() async throws {
        let folder = try Folder()
        try await RunningService.with(try SessionTests.settings(folder, "a")) { service in
            let session = try Self.session(try await Self.start(service))
            #expect(try await Self.renew(service, session).status == 200)
            let answer = try await service.post("/v1/playback-sessions/end", #"{"session":"\#(session)"}"#)
            #expect(answer.status == 404 && answer.code == "not_enabled")
        }
    }

    // MARK: Requests that are not well-formed

    @Test(arguments: ["renew", "end"])
    func `Bad requests are refused`(_ path: String) async throws {
        let folder = try Folder()
        try await RunningService.with(try Self.settings(folder)) { service in
            for body in [
                "", "[]", "{}", #"{"session":1}"#, #"{"session":"a","more":1}"#, #"{"session":"a","session":"b"}"#,
            ] {
                #expect(try await service.post("/v1/playback-sessions/\(path)", body).status == 400, "\(body)")
            }
            let bad = try await service.post("/v1/playback-sessions/\(path)", #"{"session":"a.b.c"}"#)
            #expect(bad.status == 401 && bad.code == "bad_session")
            let none = try await service.post(
                "/v1/playback-sessions/\(path)", #"{"resource":"DemoChannel"}"#,
                fields: ["Content-Type: application/json"])
            #expect(none.status == 401 && none.code == "no_credential")
            #expect(try await service.ask(request("GET", "/v1/playback-sessions/\(path)")).status == 405)
            let session = try Self.session(try await Self.start(service))
            let other = try await service.post(
                "/v1/playback-sessions/\(path)", #"{"session":"\#(session)","resource":"Other"}"#)
            #expect(other.status == 403 && other.code == "resource_mismatch")
        }
    }

    /// A store that is full cannot tell whether a stream may start.
    @Test(arguments: [("refuse", 503), ("pass", 200)])
    func `A store that fails refuses unless the settings say otherwise`(_ choice: String, _ status: Int) async throws {
        let folder = try Folder()
        let settings = try Self.settings(folder, ["sessions.store": "memory:1", "sessions.storeFailure": choice])
        try await RunningService.with(settings) { service in
            let first = try await Self.start(service)
            let id = try #require(first.object["sessionId"] as? String)
            let body = Array(#"{"id":"\#(id)"}"#.utf8)
            let revoked = try await service.askInternal(request("POST", "/v1/playback-sessions/revoke", body: body))
            #expect(revoked.status == 503 && revoked.code == "record_store_full")
        }
        let full = try Self.settings(
            folder, ["sessions.store": "sqlite:\(folder.path("s.db"))", "sessions.storeFailure": choice])
        try await RunningService.with(full) { service in
            let session = try Self.session(try await Self.start(service))
            // The file is replaced under the running service.
            try FileManager.default.removeItem(atPath: folder.path("s.db"))
            try folder.write("not a database, and long enough to be one", to: "s.db")
            let answer = try await Self.passes(service, session)
            let started = try await Self.start(service).status
            #expect(answer == status)
            #expect(started == status)
        }
    }

    /// The session may be good: a final refusal, which is the token's, would end the playback.
    @Test func `A session that cannot be checked is answered 503, whatever is wrong with the token`() async throws {
        let folder = try Folder()
        let settings = try Self.settings(folder, ["sessions.store": "sqlite:\(folder.path("s.db"))"])
        try await RunningService.with(settings) { service in
            let session = try Self.session(try await Self.start(service))
            let cookie = "Cookie: \(SessionTests.cookie)=\(session)"
            let token = { (text: String) in "X-Media-Token: \(text)" }
            let used = token(try RunningService.token())
            #expect(try await service.authorize([used]).status == 200)
            let expired = token(try RunningService.token(issued: .now - .hours(2)))
            let foreign = token(try RunningService.token(fault: .otherKey))
            try FileManager.default.removeItem(atPath: folder.path("s.db"))
            try folder.write("not a database, and long enough to be one", to: "s.db")
            for refused in [[used], [expired], [foreign], [token("nonsense")], [used, expired]] {
                #expect(try await [401, 403].contains(service.authorize(refused).status), "\(refused)")
                for fields in [[cookie] + refused, refused + [cookie]] {
                    let answer = try await service.authorize(fields)
                    #expect(answer.status == 503 && answer["X-TVE-Status"] == "ERROR_UNKNOWN", "\(fields)")
                    let line = try #require(service.log.events("refused").last)
                    #expect(line.values["credential"] == "session", "\(line)")
                    #expect(line.values["code"] == "record_store_unavailable", "\(line)")
                }
            }
            // One that is bad in any case hides it no more than a token does.
            let bad = "Cookie: \(SessionTests.cookie)=\(session.dropLast(4))AAAA"
            #expect(try await service.authorize([bad]).status == 401)
            for fields in [[bad, cookie], [cookie, bad]] {
                #expect(try await service.authorize(fields + [used]).status == 503)
            }
            #expect(try await service.authorize([bad, expired]).status == 401)
            // A good token needs no session.
            for isFirst in [true, false] {
                let good = token(try RunningService.token())
                #expect(try await service.authorize(isFirst ? [good, cookie] : [cookie, good]).status == 200)
            }
        }
    }
}
#endif
