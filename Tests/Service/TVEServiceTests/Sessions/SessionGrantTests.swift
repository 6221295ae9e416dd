#if Service
import EntitlementValues
import Foundation
import PlaybackSessions
import TVEService
import TVETesting
import TestVectors
import Testing

/// The grants that sessions come with, which edges check by themselves.
@Suite struct SessionGrantTests {
    private static let origin = "https://d111111abcdef8.cloudfront.net"
    private static let rsa = Vectors.key("test-only-issuer-2048.pkcs8.pem")
    private static let p256 = Vectors.key("p256/test-only-session.pkcs8.pem")
    private static let digits = String(repeating: "7", count: 64)

    /// Settings with all four forms.
    private static func settings(_ folder: Folder, _ changes: [String: String] = [:]) throws -> [String: String] {
        let secret = try folder.write(digits + "\n", to: "edge.hex")
        return try SessionLifeTests.settings(
            folder,
            [
                "authz.resources": "/live/demo/* DemoChannel,/other/* Other", "sessions.legacyLinkSecretFiles": secret,
                "sessions.edgeTokenSecretFiles": secret,
                "sessions.edgeTokenSaltFile": try folder.write("pinch\n", to: "salt"),
                "sessions.policyKeyFiles": "K2JC \(rsa)", "sessions.policyOrigin": origin,
                "sessions.legacyPolicyKeyFiles": "K2JC \(rsa)", "sessions.legacyPolicyOrigin": origin,
            ]
        ).merging(changes) { $1 }.filter { !$0.value.isEmpty }
    }

    private static func edges(_ answer: Answer) throws -> [[String: Any]] {
        #expect(answer.status == 200, "\(answer.text)")
        return try #require(answer.object["edges"] as? [[String: Any]])
    }

    private static func secrets() throws -> EdgeSecrets {
        try EdgeSecrets([EdgeSecret(Array(digits.utf8), named: "edge")])
    }

    private static func policies(_ key: String = rsa, usingLegacySHA1 usesLegacySHA1: Bool = false) throws
        -> SignedPolicies
    {
        let pair = try PolicyKeyPair(id: "K2JC", key: SessionKey(contentsOfFile: key))
        return try SignedPolicies(
            keys: PolicyKeyPairs([pair]), origin: origin, usingLegacySHA1: usesLegacySHA1)
    }

    @Test func `Every form that is configured opens the folder of the resource`() async throws {
        let folder = try Folder()
        try await RunningService.with(try Self.settings(folder)) { service in
            let answer = try await SessionLifeTests.start(service)
            let edges = try Self.edges(answer)
            #expect(edges.map { $0["form"] as? String } == ["legacy-link", "edge-token", "legacy-policy", "policy"])
            for edge in edges {
                #expect(edge["path"] as? String == "/live/demo/")
                #expect(edge["expires"] as? Int64 == answer.object["sessionExpires"] as? Int64)
            }
            let path = "/live/demo/1.ts"
            let prefix = try #require(edges[0]["pathPrefix"] as? String)
            let link = try SecureLinks(secrets: Self.secrets())
                .verify(EdgeRequest(target: prefix + path), opening: EdgePath(folder: "/live/demo/"))
            #expect(link.grant.client == .unbound)
            let token = try EdgeTokens(secrets: Self.secrets(), salt: "pinch")
                .verify(EdgeRequest(target: "\(path)?\(try #require(edges[1]["query"] as? String))"))
            #expect(token.grant.session?.description == answer.object["sessionId"] as? String)
            for (edge, usesLegacySHA1) in [(edges[2], true), (edges[3], false)] {
                let request = try EdgeRequest(target: "\(path)?\(try #require(edge["query"] as? String))")
                let policy = try Self.policies(usingLegacySHA1: usesLegacySHA1).verify(request)
                #expect(policy.keyID == "K2JC")
                #expect(throws: PlaybackSessionError.malformed(.fields)) {
                    try Self.policies(usingLegacySHA1: !usesLegacySHA1).verify(request)
                }
            }
        }
    }

    @Test func `A P-256 key signs policies`() async throws {
        let folder = try Folder()
        let settings = try Self.settings(folder, ["sessions.policyKeyFiles": "K2JC \(Self.p256)"])
        try await RunningService.with(settings) { service in
            let edges = try Self.edges(try await SessionLifeTests.start(service))
            let query = try #require(edges.last?["query"] as? String)
            let request = try EdgeRequest(target: "/live/demo/1.ts?\(query)")
            #expect(try Self.policies(Self.p256).verify(request).grant.path.text == "/live/demo/")
        }
    }

    @Test func `Cookies carry grants for their folder only`() async throws {
        let folder = try Folder()
        try await RunningService.with(try Self.settings(folder)) { service in
            let answer = try await SessionLifeTests.start(service, more: #","cookie":true"#)
            let edges = try Self.edges(answer)
            #expect(edges.map { $0["form"] as? String } == ["legacy-link", "edge-token", "policy"])
            #expect(edges.map { $0["query"] == nil } == [false, true, true], "scripts see the link alone")
            let set = answer.values(of: "Set-Cookie")
            #expect(set.count == 6, "the session, a token, and four of one policy")
            let own = set.filter { !$0.hasPrefix("__Host-") }
            #expect(own.allSatisfy { $0.contains("; Path=/live/demo/; Max-Age=300; Secure; HttpOnly; SameSite=Lax") })
            let field = own.map { String($0.prefix { $0 != ";" }) }.joined(separator: "; ")
            let request = try EdgeRequest(target: "/live/demo/1.ts", cookies: field)
            #expect(try EdgeTokens(secrets: Self.secrets(), salt: "pinch").verify(request).grant.path.isFolder)
            #expect(try Self.policies().verify(request).grant.path.text == "/live/demo/")
            let plain = try await SessionLifeTests.start(service, more: #","cookie":false"#)
            #expect(plain.values(of: "Set-Cookie").isEmpty)
        }
    }

    @Test func `Cookies of policies with SHA-1 name no hash`() async throws {
        let folder = try Folder()
        let changes = ["sessions.policyKeyFiles": "", "sessions.policyOrigin": ""]
        try await RunningService.with(try Self.settings(folder, changes)) { service in
            let answer = try await SessionLifeTests.start(service, more: #","cookie":true"#)
            #expect(try Self.edges(answer).last?["form"] as? String == "legacy-policy")
            let cookies = answer.values(of: "Set-Cookie").map { String($0.prefix { $0 != ";" }) }
            let request = try EdgeRequest(target: "/live/demo/1.ts", cookies: cookies.joined(separator: "; "))
            #expect(try Self.policies(usingLegacySHA1: true).verify(request).grant.path.text == "/live/demo/")
        }
    }

    @Test func `A renewal gives later grants`() async throws {
        let folder = try Folder()
        let time = ManualTime(at: Timestamp(milliseconds: Timestamp.now.milliseconds / 1000 * 1000))
        try await RunningService.with(try Self.settings(folder), time: time.source) { service in
            let first = try await SessionLifeTests.start(service, at: time.now)
            time.advance(by: .seconds(100))
            let renewed = try await SessionLifeTests.renew(service, SessionLifeTests.session(first))
            let (old, new) = (try Self.edges(first), try Self.edges(renewed))
            for (one, other) in zip(old, new) {
                #expect(other["expires"] as? Int64 == (one["expires"] as? Int64 ?? 0) + 100_000)
                #expect(other["query"] as? String != one["query"] as? String)
            }
            #expect(new.count == 4)
        }
    }

    @Test func `Grants are bound as the session is`() async throws {
        let folder = try Folder()
        let settings = try Self.settings(folder, ["sessions.clientAddressHeader": "X-Forwarded-For"])
        try await RunningService.with(settings) { service in
            for (address, forms) in [
                ("192.0.2.7", ["legacy-link", "edge-token", "legacy-policy", "policy"]),
                // Policies take no addresses of IPv6, and a form is left out rather than unbound.
                ("2001:db8::7", ["legacy-link", "edge-token"]),
            ] {
                // Edges see the address alone, whatever port the proxy adds.
                let entry = address.contains(":") ? "[\(address)]:51008" : "\(address):51008"
                let answer = try await SessionLifeTests.start(service, fields: ["X-Forwarded-For: \(entry)"])
                let edges = answer.object["edges"] as? [[String: Any]] ?? []
                #expect(edges.map { $0["form"] as? String } == forms, "\(address)")
                guard let prefix = edges.first?["pathPrefix"] as? String else { continue }
                let links = try SecureLinks(secrets: Self.secrets())
                let path = try EdgePath(folder: "/live/demo/")
                let target = prefix + "/live/demo/1.ts"
                let request = try EdgeRequest(target: target, client: .address(address))
                #expect(try links.verify(request, opening: path).grant.client == .address(address))
                #expect(throws: PlaybackSessionError.badSignature) {
                    try links.verify(EdgeRequest(target: target), opening: path)
                }
            }
        }
    }

    @Test func `A refused token gets no grant`() async throws {
        let folder = try Folder()
        try await RunningService.with(try Self.settings(folder)) { service in
            let token = try RunningService.token(issued: .now - .hours(24))
            let answer = try await service.post(
                "/v1/playback-sessions", #"{"token":"\#(token)","requestor":null,"resource":null}"#)
            #expect(answer.status == 401 && answer.object["edges"] == nil && answer.values(of: "Set-Cookie").isEmpty)
        }
    }

    // MARK: Common Access Tokens

    private static let host = "edge.example"

    /// Settings with Common Access Tokens alone, whose key is a secret.
    private static func accessSettings(_ folder: Folder, _ changes: [String: String] = [:]) throws -> [String: String] {
        try SessionLifeTests.settings(
            folder,
            [
                "authz.resources": "/live/demo/* DemoChannel", "sessions.catHost": host, "sessions.catAudience": "edge",
                "sessions.catKeyFiles": try folder.write(digits, to: "cat.key"),
            ]
        ).merging(changes) { $1 }
    }

    private static func accessTokens(_ key: String, host: String = host, audience: String = "edge") throws
        -> CommonAccessTokens
    {
        try CommonAccessTokens(
            keys: SessionKeys(contentsOfFiles: [key]), host: host, issuer: "tve", audience: audience)
    }

    @Test(arguments: [nil, p256] as [String?])
    func `A Common Access Token opens the folder of the resource`(_ file: String?) async throws {
        let folder = try Folder()
        let settings = try Self.accessSettings(folder, file.map { ["sessions.catKeyFiles": $0] } ?? [:])
        let key = try #require(settings["sessions.catKeyFiles"])
        try await RunningService.with(settings) { service in
            let answer = try await SessionLifeTests.start(service)
            let edge = try #require(try Self.edges(answer).first)
            #expect(edge["form"] as? String == "cat" && edge["path"] as? String == "/live/demo/")
            let query = try #require(edge["query"] as? String)
            let request = try EdgeRequest(target: "/live/demo/1.ts?\(query)")
            let grant = try Self.accessTokens(key).verify(request).grant
            #expect(grant.session?.description == answer.object["sessionId"] as? String)
            #expect(grant.expires.milliseconds == answer.object["sessionExpires"] as? Int64)
            let field = String(query.dropFirst("CAT=".count))
            let withField = try EdgeRequest(target: "/live/demo/2.ts", accessToken: field)
            #expect(try Self.accessTokens(key).verify(withField).grant == grant)
            #expect(throws: PlaybackSessionError.otherPath) {
                try Self.accessTokens(key, host: "other.example").verify(request)
            }
            #expect(throws: PlaybackSessionError.otherAudience) {
                try Self.accessTokens(key, audience: "other").verify(request)
            }
            #expect(throws: PlaybackSessionError.unknownKey) {
                try Self.accessTokens(folder.path("a")).verify(request)
            }
        }
    }

    @Test func `A cookie carries a Common Access Token, which is bound as the session is`() async throws {
        let folder = try Folder()
        let settings = try Self.accessSettings(folder, ["sessions.clientAddressHeader": "X-Forwarded-For"])
        try await RunningService.with(settings) { service in
            let answer = try await SessionLifeTests.start(
                service, more: #","cookie":true"#, fields: ["X-Forwarded-For: 2001:db8::7"])
            let edge = try #require(try Self.edges(answer).first)
            #expect(edge["form"] as? String == "cat" && edge["query"] == nil)
            let set = try #require(
                answer.values(of: "Set-Cookie").first { $0.hasPrefix("CTA-Common-Access-Token=") })
            #expect(set.contains("; Path=/live/demo/; Max-Age=300; Secure; HttpOnly; SameSite=Lax"))
            let (target, cookies) = ("/live/demo/1.ts", String(set.prefix { $0 != ";" }))
            let tokens = try Self.accessTokens(folder.path("cat.key"))
            let client = SessionClient.address("2001:db8::7")
            let good = try tokens.verify(EdgeRequest(target: target, cookies: cookies, client: client))
            #expect(good.grant.client == client)
            #expect(throws: PlaybackSessionError.otherClient) {
                try tokens.verify(EdgeRequest(target: target, cookies: cookies))
            }
        }
    }

    @Test func `A play whose Common Access Token would be too long leaves its media token unused`() async throws {
        let folder = try Folder()
        let settings = try Self.accessSettings(
            folder,
            [
                "authz.resources": "/live/{resource}/* {resource}",
                "sessions.catHost": String(repeating: "a.", count: 126) + "a",
            ])
        try await RunningService.with(settings) { service in
            #expect(try await SessionLifeTests.start(service, resource: "short").status == 200)
            let token = try RunningService.token(resource: ResourceID(String(repeating: "r", count: 500)))
            let body = #"{"token":"\#(token)","requestor":null,"resource":null"#
            let refused = try await service.post("/v1/playback-sessions", body + "}")
            #expect(refused.status == 503 && refused.code == "unsuitable_session", "\(refused.text)")
            #expect(refused.text.contains("1024 bytes"), "\(refused.text)")
            let verdict = try await service.post("/v1/media-tokens/verify", body + #","redeem":true}"#)
            #expect(verdict.object["valid"] as? Bool == true, "\(verdict.text)")
        }
    }

    @Test(arguments: ["a", "copy"])
    func `A key of sessions signs no Common Access Tokens`(_ name: String) async throws {
        let folder = try Folder()
        let settings = try Self.accessSettings(folder, ["sessions.catKeyFiles": folder.path(name)])
        try folder.write(String(contentsOfFile: folder.path("a"), encoding: .utf8), to: "copy")
        #expect(await SettingsTests.faults(settings) == ["sessions.catKeyFiles conflict"])
    }

    @Test(arguments: ["edge.hex", "copy"])
    func `A key of sessions is no secret of an edge`(_ name: String) async throws {
        let folder = try Folder()
        let settings = try Self.settings(folder, ["sessions.keyFiles": folder.path(name)])
        try folder.write(Self.digits + "\n", to: "copy")
        #expect(
            await SettingsTests.faults(settings) == [
                "sessions.edgeTokenSecretFiles conflict", "sessions.legacyLinkSecretFiles conflict",
            ])
    }

    // MARK: Settings

    @Test(
        arguments: [
            (["sessions.legacyLinkMount": "s"], ["sessions.legacyLinkMount bad_value"]),
            (["sessions.legacyLinkMount": "/s/"], ["sessions.legacyLinkMount bad_value"]),
            (
                ["sessions.legacyLinkSecretFiles": "", "sessions.legacyLinkMount": "/x"],
                ["sessions.legacyLinkMount conflict"]
            ),
            (["sessions.legacyLinkSecretFiles": "/nowhere"], ["sessions.legacyLinkSecretFiles no_such_file"]),
            (["sessions.edgeTokenSecretFiles": ""], ["sessions.edgeTokenSaltFile conflict"]),
            (["sessions.edgeTokenSaltFile": "/nowhere"], ["sessions.edgeTokenSaltFile no_such_file"]),
            (["sessions.edgeTokenName": "a b"], ["sessions.edgeTokenName bad_value"]),
            (["sessions.edgeTokenPlainInput": "maybe"], ["sessions.edgeTokenPlainInput bad_value"]),
            (["sessions.legacyPolicyOrigin": ""], ["sessions.legacyPolicyOrigin missing"]),
            (["sessions.legacyPolicyOrigin": "https://a/b"], ["sessions.legacyPolicyOrigin unsuitable_session"]),
            (["sessions.legacyPolicyKeyFiles": ""], ["sessions.legacyPolicyOrigin conflict"]),
            (["sessions.legacyPolicyKeyFiles": "K2JC"], ["sessions.legacyPolicyKeyFiles bad_value"]),
            (["sessions.legacyPolicyKeyFiles": "K-2 \(rsa)"], ["sessions.legacyPolicyKeyFiles bad_key_pair_id"]),
            (["sessions.legacyPolicyKeyFiles": "K2JC /nowhere"], ["sessions.legacyPolicyKeyFiles no_such_file"]),
            (
                ["sessions.legacyPolicyKeyFiles": "K2JC \(Vectors.key("test-only-issuer-2048.spki.pem"))"],
                ["sessions.legacyPolicyKeyFiles cannot_sign"]
            ),
            (["sessions.legacyPolicyKeyFiles": "K2JC \(p256)"], ["sessions.legacyPolicyKeyFiles unsupported_key"]),
            (["sessions.policyOrigin": ""], ["sessions.policyOrigin missing"]),
            (["sessions.policyOrigin": "https://a/b"], ["sessions.policyOrigin unsuitable_session"]),
            (["sessions.policyKeyFiles": ""], ["sessions.policyOrigin conflict"]),
            (["sessions.policyKeyFiles": "K2JC"], ["sessions.policyKeyFiles bad_value"]),
            (["sessions.policyKeyFiles": "K2JC /nowhere"], ["sessions.policyKeyFiles no_such_file"]),
            (
                ["keys.acceptPublishedTestKeys": "false"],
                ["keys.paths published_test_key", "sessions.legacyPolicyKeyFiles published_test_key"]
            ),
            (
                [
                    "keys.acceptPublishedTestKeys": "false", "sessions.legacyPolicyKeyFiles": "",
                    "sessions.legacyPolicyOrigin": "", "sessions.policyKeyFiles": "K2JC \(p256)",
                ],
                ["keys.paths published_test_key", "sessions.policyKeyFiles published_test_key"]
            ),
            (["sessions.catHost": "edge.example"], ["sessions.catHost conflict"]),
            (["sessions.catAudience": "edge"], ["sessions.catAudience conflict"]),
            (["sessions.catKeyFiles": "/nowhere"], ["sessions.catKeyFiles no_such_file"]),
            (["sessions.catKeyFiles": rsa], ["sessions.catKeyFiles unsupported_key"]),
            (["sessions.catKeyFiles": "\(p256),\(p256)"], ["sessions.catKeyFiles repeated_key"]),
            (
                ["sessions.catKeyFiles": Vectors.key("p256/test-only-session.spki.pem")],
                ["sessions.catKeyFiles cannot_sign"]
            ),
            (
                ["sessions.catKeyFiles": p256, "sessions.catHost": "Edge.example"],
                ["sessions.catHost unsuitable_session"]
            ),
            (
                ["sessions.catKeyFiles": p256, "sessions.catAudience": String(repeating: "a", count: 257)],
                ["sessions.catAudience unsuitable_session"]
            ),
            (
                ["sessions.catKeyFiles": p256, "sessions.issuer": String(repeating: "a", count: 257)],
                ["sessions.issuer unsuitable_session"]
            ),
            (
                [
                    "sessions.catKeyFiles": p256, "sessions.catHost": String(repeating: "a", count: 253),
                    "sessions.catAudience": String(repeating: "a", count: 256),
                    "sessions.issuer": String(repeating: "a", count: 200),
                ],
                ["sessions.catKeyFiles conflict"]
            ),
            (
                [
                    "keys.acceptPublishedTestKeys": "false", "sessions.legacyPolicyKeyFiles": "",
                    "sessions.legacyPolicyOrigin": "", "sessions.policyKeyFiles": "", "sessions.policyOrigin": "",
                    "sessions.catKeyFiles": p256,
                ],
                ["keys.paths published_test_key", "sessions.catKeyFiles published_test_key"]
            ),
            (["authz.resources": "/live/one.mpd DemoChannel"], ["authz.resources conflict"]),
            (["authz.resources": "", "authz.resourceHeader": "X-Resource"], ["authz.resources conflict"]),
        ] as [([String: String], [String])])
    func `Faults are found before the start`(_ changes: [String: String], _ faults: [String]) async throws {
        let folder = try Folder()
        let settings = try Self.settings(folder, changes)
        #expect(
            await SettingsTests.faults(settings, without: ["authz.resources"].filter { settings[$0] == nil }) == faults)
    }

    // MARK: Folders

    @Test(
        arguments: [
            (["/live/a/* A"], "A", ["/live/a/"]),
            (["/live/a/* A"], "B", []),
            (["/live/a/* A", "/vod/a/* A", "/x A"], "A", ["/live/a/", "/vod/a/"]),
            (["/vod/{resource}/* {resource}"], "film", ["/vod/film/"]),
            (["/vod/{resource}/* {resource}"], "a/b", []),
            (["/vod/{resource}/* {resource}"], "", []),
            (["/vod/{resource}/* x-{resource}-y"], "x-film-y", ["/vod/film/"]),
            (["/vod/{resource}/* x-{resource}-y"], "x--y", []),
            (["/vod/{resource}/* x-{resource}-y"], "z-film-y", []),
            (["/vod/{resource}/* {resource}.{resource}"], "ab.ab", ["/vod/ab/"]),
            (["/vod/{resource}/* {resource}.{resource}"], "ab.cd", []),
            // An earlier rule has paths in the folder: an edge, which knows the folder only, would open them as well.
            (["/live/a/secret/* S", "/live/a/* A"], "A", []),
            (["/live/a/secret/* S", "/live/a/* A"], "S", ["/live/a/secret/"]),
            (["/live/a/1.ts F", "/live/a/* A"], "A", []),
            (["/{resource}/a/b {resource}", "/live/a/* A"], "A", []),
            (["/live/* L", "/live/a/* A"], "A", []),
            (["/live/a/* A", "/live/* L"], "A", ["/live/a/"]),
            (["/live/special/* S", "/live/{resource}/* {resource}"], "special", []),
            (["/live/special/* S", "/live/{resource}/* {resource}"], "other", ["/live/other/"]),
            (["/live/ab/* B", "/live/a/* A"], "A", ["/live/a/"]),
            (["/live/a A", "/live/a/* A"], "A", ["/live/a/"]),
        ] as [([String], String, [String])])
    func `The folder of a resource`(_ rules: [String], _ resource: String, _ folders: [String]) {
        var faults: [String] = []
        let map = ResourceMap(rules, faults: &faults)
        #expect(faults.isEmpty)
        #expect(map.folders(of: ResourceID(resource)) == folders)
    }
}
#endif
