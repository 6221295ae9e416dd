#if Service
import EntitlementValues
import Testing

extension HTTPAttacks {
    /// Texts that are no sessions, or name another key: what another site can plant without a session of its own.
    private static let junk = [
        "", "x", "a.b.c", "..", "1.2.3", "1.0.0.0.0.0.0.0", "eyJhbGciOiJub25lIn0.e30.", "=", "\"\"",
        "eyJhbGciOiJIUzI1NiIsImtpZCI6IngiLCJ0eXAiOiJwbGF5YmFjay1zZXNzaW9uK2p3dCJ9.e30.AAAA",
        String(repeating: "A", count: 9000),
    ]

    @Test func `Junk before a good cookie does not keep a viewer out`() async throws {
        let folder = try Folder()
        try await RunningService.with(try SessionLifeTests.settings(folder)) { service in
            let session = try SessionLifeTests.session(try await SessionLifeTests.start(service))
            let cookie = "\(SessionTests.cookie)=\(session)"
            for text in Self.junk {
                let field = Array(repeating: "\(SessionTests.cookie)=\(text)", count: 8).joined(separator: "; ")
                #expect(
                    try await service.authorize(["Cookie: \(field); \(cookie)"]).status == 200, "\(text.prefix(20))")
            }
            let all = Self.junk.map { "\(SessionTests.cookie)=\($0)" }.joined(separator: "; ")
            let many = Array(repeating: "\(SessionTests.cookie)=x", count: 2000).joined(separator: "; ")
            #expect(
                try await service.authorize(["Cookie: \(all)", "Cookie: \(many)", "Cookie: \(cookie)"]).status == 200)
            // Junk alone is refused as what it is, and nothing of it is in the log.
            #expect(try await service.authorize(["Cookie: \(all)"]).status == 401)
            #expect(!service.log.text.contains("eyJhbGci"))
        }
    }

    @Test func `Under the name without its prefix, which browsers do not guard, no session counts`() async throws {
        let folder = try Folder()
        try await RunningService.with(try SessionLifeTests.settings(folder)) { service in
            let session = try SessionLifeTests.session(try await SessionLifeTests.start(service))
            // More than are looked at in a request, if they counted.
            let planted = Array(repeating: "tve_session=\(session)A", count: 9).joined(separator: "; ")
            let field = "Cookie: \(planted); \(SessionTests.cookie)=\(session)"
            #expect(try await service.authorize([field]).status == 200)
            #expect(try await service.authorize(["Cookie: tve_session=\(session)"]).status == 401)
        }
    }

    @Test func `Junk before a good cookie does not stop its renewal and its end`() async throws {
        let folder = try Folder()
        try await RunningService.with(try SessionLifeTests.settings(folder)) { service in
            let session = try SessionLifeTests.session(try await SessionLifeTests.start(service))
            let cookie = { (session: String) in
                (Self.junk + [session + "A", session]).map { "\(SessionTests.cookie)=\($0)" }.joined(separator: "; ")
            }
            let body = #"{"resource":"DemoChannel"}"#
            let json = "Content-Type: application/json"
            let renewed = try await service.post(
                "/v1/playback-sessions/renew", body, fields: ["Cookie: \(cookie(session))", json])
            #expect(renewed.status == 200, "\(renewed.text)")
            let ended = try await service.post(
                "/v1/playback-sessions/end", body, fields: ["Cookie: \(cookie(session))", json])
            #expect(ended.status == 200, "\(ended.text)")
            #expect(try await service.authorize(["Cookie: \(SessionTests.cookie)=\(session)"]).status == 401)
        }
    }

    @Test func `Few signatures are looked at in a request`() async throws {
        let folder = try Folder()
        try await RunningService.with(try SessionLifeTests.settings(folder)) { service in
            let session = try SessionLifeTests.session(try await SessionLifeTests.start(service))
            let field = { (count: Int) in
                let bad = Array(repeating: "\(SessionTests.cookie)=\(session.dropLast(4))AAAA", count: count)
                return "Cookie: " + (bad + ["\(SessionTests.cookie)=\(session)"]).joined(separator: "; ")
            }
            #expect(try await service.authorize([field(3)]).status == 200)
            let refused = try await service.authorize([field(4)])
            #expect(refused.status == 401 && refused["X-TVE-Status"] == "INVALID_SIGNATURE")
        }
    }
}
#endif
