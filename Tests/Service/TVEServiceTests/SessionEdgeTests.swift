#if Service
import EntitlementValues
import Foundation
import PlaybackSessions
import TestVectors
import Testing

/// What browsers and edges need of a session.
@Suite struct SessionEdgeTests {
    static let rsa = Vectors.key("test-only-issuer-2048.pkcs8.pem")
    static let p256 = Vectors.key("p256/test-only-session.pkcs8.pem")

    // MARK: Browsers

    @Test func `Two tabs on two channels both play`() async throws {
        let folder = try Folder()
        try await RunningService.with(try SessionLifeTests.settings(folder)) { service in
            var cookies: [String] = []
            for resource in ["DemoChannel", "Other"] as [ResourceID] {
                let set = try #require(try await SessionLifeTests.start(service, resource: resource)["Set-Cookie"])
                cookies.append(String(set.prefix { $0 != ";" }))
            }
            let field = "Cookie: \(cookies.joined(separator: "; "))"
            #expect(try await service.authorize([field], uri: "/live/1.ts").status == 200)
            #expect(try await service.authorize([field], uri: "/other/1.ts").status == 200)
            #expect(try await service.authorize(["Cookie: \(cookies[0])"], uri: "/other/1.ts").status == 401)
            // The cookie is renewed without the page seeing it.
            let renewed = try await service.post(
                "/v1/playback-sessions/renew", #"{"resource":"Other"}"#,
                fields: [field, "Content-Type: application/json"])
            #expect(renewed.status == 200 && renewed.object["session"] == nil)
            #expect(renewed["Set-Cookie"]?.hasPrefix(cookies[1].prefix { $0 != "=" }) == true)
        }
    }

    @Test(
        arguments: [
            ([:], "__Host-tve_session-dcb6b10ef9a4", "Path=/; Max-Age=300; Secure; HttpOnly; SameSite=Lax"),
            (["sessions.sharedCookie": "true"], "__Host-tve_session", "Path=/; Max-Age"),
            (["sessions.cookie": "s", "sessions.sameSite": "none"], "__Host-s-dcb6b10ef9a4", "SameSite=None"),
            (
                ["sessions.cookieDomain": "example.org"], "__Secure-tve_session-dcb6b10ef9a4",
                "Path=/; Domain=example.org; Max"
            ),
            (["sessions.cookiePath": "/live"], "__Secure-tve_session-dcb6b10ef9a4", "Path=/live; Max"),
            (["sessions.cookie": "__Secure-s"], "__Secure-s-dcb6b10ef9a4", "SameSite=Lax"),
        ] as [([String: String], String, String)])
    func `The cookie is as the settings say`(_ changes: [String: String], _ name: String, _ attributes: String)
        async throws
    {
        let folder = try Folder()
        try await RunningService.with(try SessionLifeTests.settings(folder, changes)) { service in
            let answer = try await SessionLifeTests.start(service)
            let set = try #require(answer["Set-Cookie"])
            let session = try SessionLifeTests.session(answer)
            #expect(set.hasPrefix("\(name)=\(session);"))
            #expect(set.contains(attributes), "\(set.suffix(80))")
            #expect(try await service.authorize(["Cookie: \(set.prefix { $0 != ";" })"]).status == 200)
            #expect(try await SessionLifeTests.start(service, more: #","cookie":false"#)["Set-Cookie"] == nil)
        }
    }

    @Test func `Pages of other origins ask only if allowed`() async throws {
        let folder = try Folder()
        let allowed = "https://play.example.org"
        let settings = try SessionLifeTests.settings(
            folder, ["sessions.corsOrigins": allowed, "sessions.corsCredentials": "true", "sessions.streams": "9"])
        try await RunningService.with(settings) { service in
            let preflight = { @Sendable (origin: String) in
                try await service.ask(
                    request("OPTIONS", "/v1/playback-sessions", fields: ["Origin: \(origin)"]))
            }
            let good = try await preflight(allowed)
            #expect(good.status == 204 && good["Access-Control-Allow-Origin"] == allowed)
            #expect(good["Access-Control-Allow-Credentials"] == "true" && good["Vary"] == "Origin")
            #expect(good["Access-Control-Allow-Headers"] == "Content-Type")
            for other in ["https://play.example.org.evil.example", "http://play.example.org", "null", "*", ""] {
                #expect(try await preflight(other)["Access-Control-Allow-Origin"] == nil, "\(other)")
            }
            let started = try await SessionLifeTests.start(service, fields: ["Origin: \(allowed)"])
            #expect(started["Access-Control-Allow-Origin"] == allowed)
            let set = try #require(started["Set-Cookie"])
            let cookie = "Cookie: \(set.prefix { $0 != ";" })"
            let json = "Content-Type: application/json"
            let renew = { @Sendable (fields: [String]) in
                try await service.post(
                    "/v1/playback-sessions/renew", #"{"resource":"DemoChannel"}"#, fields: [cookie] + fields
                ).status
            }
            #expect(try await renew([json, "Origin: \(allowed)"]) == 200)
            #expect(try await renew([json, "Sec-Fetch-Site: same-origin"]) == 200)
            #expect(try await renew([json]) == 200)
            // A browser that says so is believed, although the proxy has put another name into Host.
            #expect(try await renew([json, "Sec-Fetch-Site: same-origin", "Origin: https://media.example"]) == 200)
            // What a page of another site could make the browser send.
            #expect(try await renew(["Content-Type: text/plain"]) == 403)
            #expect(try await renew([]) == 403)
            #expect(try await renew([json, "Origin: https://evil.example"]) == 403)
            #expect(try await renew([json, "Sec-Fetch-Site: cross-site"]) == 403)
            #expect(try await renew([json, "Sec-Fetch-Site: cross-site", "Origin: https://evil.example"]) == 403)
            #expect(try await renew([json, "Sec-Fetch-Site: same-site"]) == 403)
        }
    }

    // MARK: Edges

    @Test(arguments: [(SessionEdgeTests.rsa, SessionAlgorithm.rs256), (SessionEdgeTests.p256, .es256)])
    func `Public keys are served`(_ file: String, _ algorithm: SessionAlgorithm) async throws {
        let folder = try Folder()
        let path = "/.well-known/jwks.json"
        let settings = try SessionLifeTests.settings(
            folder, ["sessions.keyFiles": file, "sessions.issuer": "play.example.org"])
        try await RunningService.with(settings) { service in
            let answer = try await service.ask(request("GET", path))
            #expect(answer.status == 200 && answer["Cache-Control"] == "public, max-age=300")
            let key = try #require((answer.object["keys"] as? [[String: String]])?.first)
            let session = try SessionLifeTests.session(try await SessionLifeTests.start(service))
            let unverified = try UnverifiedPlaybackSession(parsing: session)
            #expect(unverified.algorithm == algorithm && unverified.keyID == key["kid"])
            #expect(key["alg"] == algorithm.rawValue)
            let contract = try await service.askInternal(request("GET", "/openapi.json")).object
            let schemas = (contract["components"] as? [String: Any])?["schemas"] as? [String: Any]
            let schema = try #require(schemas?["PublicKey"] as? [String: Any])
            let (required, members) = (schema["required"] as? [String], schema["properties"] as? [String: Any])
            #expect(Set(key.keys).isSuperset(of: try #require(required)))
            #expect(Set(key.keys).isSubset(of: try #require(members).keys))
            #expect(unverified.issuer == "play.example.org")
            #expect(try await SessionLifeTests.passes(service, session) == 200)
            #expect(try await service.ask(request("HEAD", path)).body.isEmpty)
            #expect(try await service.ask(request("POST", path)).status == 405)
        }
        try await RunningService.with(try SessionLifeTests.settings(folder)) { service async throws in
            #expect(try await service.ask(request("GET", path)).text == #"{"keys":[]}"#)
        }
        try await RunningService.with { service async throws in
            #expect(try await service.ask(request("GET", path)).status == 404)
        }
    }
}
#endif
