#if Service
import EntitlementValues
import Foundation
import TVEService
import TVETesting
import TestVectors
import Testing
import TextCodecs

/// `/v1/authz`, which proxies ask.
@Suite struct AuthzTests {
    @Test func `A token passes once with what it says`() async throws {
        try await RunningService.with { service in
            let token = try RunningService.token(sessionGUID: RunningService.subscriber)
            let first = try await service.authorize(["X-Media-Token: \(token)"])
            #expect(first.status == 200)
            #expect(first.body.isEmpty)
            #expect(first["X-TVE-Status"] == "VALID_TOKEN")
            #expect(first["X-TVE-MVPD"] == "TestMVPD")
            #expect(first["X-TVE-Session"] == RunningService.subscriber.rawValue)
            #expect(first["X-TVE-Resource"] == "DemoChannel")
            #expect(first["X-TVE-Expires"].flatMap { Int64($0) } ?? 0 > Timestamp.now.milliseconds)
            #expect(first["Cache-Control"] == "no-store")
            let second = try await service.authorize(["X-Media-Token: \(token)"])
            #expect(second.status == 403)
            #expect(second["X-TVE-Status"] == "TOKEN_REPLAYED")
            #expect(second.body.isEmpty)
        }
    }

    @Test func `A token is found in three places`() async throws {
        try await RunningService.with { service in
            let other = try await service.authorize(["Authorization: mediatoken \(try RunningService.token())"])
            #expect(other.status == 200)
            let token = try RunningService.token()
            let escaped = token.replacing("+", with: "%2B").replacing("/", with: "%2F").replacing("=", with: "%3D")
            let query = try await service.authorize([], uri: "/live/1.m3u8?a=b&media_token=\(escaped)&c")
            #expect(query.status == 200)
            let basic = try await service.authorize(["Authorization: Basic dTpw"])
            #expect(basic.status == 401)
        }
    }

    /// As players and their libraries write a plain token, and Base64, into a query.
    private static func inQuery(_ token: String) throws -> [(name: String, text: String)] {
        let plain = String(decoding: try #require(Data(base64Encoded: token)), as: UTF8.self)
        let form = { (text: String) -> String in
            var fields = FormFields()
            fields.append("media_token", text)
            return String(decoding: fields.encoded(), as: UTF8.self).replacing("media_token=", with: "")
        }
        return [
            ("plain, URLSearchParams", form(plain)), ("plain, encodeURIComponent", Percent.encode(plain.utf8)),
            (
                "plain, URLComponents",
                Percent.encode(plain.utf8) { $0.isUnreserved || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/") }
            ),
            ("Base64 as it is", token), ("Base64, URLSearchParams", form(token)),
            ("encoded twice", form(Percent.encode(plain.utf8))),
        ]
    }

    @Test(arguments: 0..<6)
    func `A token in a query is read as it was encoded, and passes once`(_ first: Int) async throws {
        try await RunningService.with(["authz.resources": "/live/* Canal+ Sur"]) { service in
            let spellings = try Self.inQuery(try RunningService.token(resource: "Canal+ Sur"))
            let passing = try await service.authorize([], uri: "/live/1.ts?a=b&media_token=\(spellings[first].text)&c")
            #expect(passing.status == 200, "\(spellings[first].name)")
            for spelling in spellings {
                let answer = try await service.authorize([], uri: "/live/1.ts?media_token=\(spelling.text)")
                #expect(answer["X-TVE-Status"] == "TOKEN_REPLAYED", "\(spelling.name)")
            }
        }
    }

    @Test func `Every refusal has its status`() async throws {
        try await RunningService.with(["authz.resources": "/live/* DemoChannel,/vod/{resource}/* {resource}"]) {
            service in
            let refusals: [(fields: [String], uri: String, status: Int, word: String)] = [
                ([], "/live/1", 401, "INVALID_TOKEN_FORMAT"),
                (["X-Media-Token: nonsense"], "/live/1", 401, "INVALID_TOKEN_FORMAT"),
                (
                    ["X-Media-Token: \(try RunningService.token(fault: .otherKey))"], "/live/1", 401,
                    "INVALID_SIGNATURE"
                ),
                (
                    ["X-Media-Token: \(try RunningService.token(issued: .now - .hours(1)))"], "/live/1", 401,
                    "TOKEN_EXPIRED"
                ),
                (
                    ["X-Media-Token: \(try RunningService.token(issued: .now + .hours(1)))"], "/live/1", 401,
                    "TOKEN_NOT_YET_VALID"
                ),
                (["X-Media-Token: \(try RunningService.token())"], "/vod/Other/1", 403, "INVALID_RESOURCE_ID"),
                (
                    ["X-Media-Token: \(try RunningService.token(requestor: "X"))"], "/live/1", 403,
                    "INVALID_REQUESTOR_ID"
                ),
                (["X-Media-Token: \(try RunningService.token())"], "/nowhere", 403, "INVALID_RESOURCE_ID"),
            ]
            for refusal in refusals {
                let answer = try await service.authorize(refusal.fields, uri: refusal.uri)
                #expect(answer.status == refusal.status, "\(refusal.word)")
                #expect(answer["X-TVE-Status"] == refusal.word)
                #expect(answer.body.isEmpty)
                #expect(answer["X-TVE-Resource"] == nil)
            }
            let vod = try await service.authorize(
                ["X-Media-Token: \(try RunningService.token())"], uri: "/vod/DemoChannel/1.ts")
            #expect(vod.status == 200)
        }
    }

    @Test func `A request without token and session has its own code`() async throws {
        try await RunningService.with { service async throws in
            #expect(try await service.authorize([]).status == 401)
            #expect(service.log.text.contains("no_credential"))
            #expect(
                try await service.metrics().contains(
                    #"tve_verdicts_total{code="no_credential",credential="nothing"} 1"#))
        }
    }

    @Test func `A refused token is not redeemed`() async throws {
        try await RunningService.with(["authz.resources": "/live/* DemoChannel,/other/* Other"]) { service in
            let token = try RunningService.token()
            #expect(try await service.authorize(["X-Media-Token: \(token)"], uri: "/other/1").status == 403)
            #expect(try await service.authorize(["X-Media-Token: \(token)"]).status == 200)
        }
    }

    @Test func `Two tokens are refused and not redeemed`() async throws {
        try await RunningService.with { service in
            let token = try RunningService.token()
            let places: [([String], String)] = [
                (["X-Media-Token: \(token)", "X-Media-Token: \(token)"], "/live/1"),
                (["X-Media-Token: \(token)", "Authorization: MediaToken \(token)"], "/live/1"),
                (["X-Media-Token: \(token)"], "/live/1?media_token=\(token)"),
                ([], "/live/1?media_token=\(token)&media_token=\(token)"),
                ([], "/live/1?media_token=\(token)&media%5ftoken=\(token)"),
            ]
            for (fields, uri) in places {
                let answer = try await service.authorize(fields, uri: uri)
                #expect(answer.status == 401)
                #expect(answer["X-TVE-Status"] == "INVALID_TOKEN_FORMAT")
            }
            #expect(service.log.text.contains("two_tokens"))
            #expect(try await service.authorize(["X-Media-Token: \(token)"]).status == 200)
        }
    }

    @Test(arguments: [
        "/live/../live/1", "/live/./1", "/live//1", "/live/%2e%2e/x", "/live/a%2Fb", "/live/a%5Cb", "/live/a\\b",
        "/live/%00", "/live/%zz", "/live/%", "live/1", "http://host/live/1", "/live", "/live/", "", "/LIVE/1",
        "/live/%ff", "/live/demo/..;/1", "/live/..;/..;/vod/1", "/live/.;x/1", "/live/;x/1", "/live/..%3Bx/1",
        "/live/..%20/1", "/live/%20../1", "/live/..%09;x/1", "/live/%252e%252e/1", "/live/a%252Fb", "/live/a%255cb",
        "/live/%25252E./1", "/live/x#/../../vod/1", "/live/1?x#y",
    ])
    func `Paths that servers read differently lead nowhere`(_ uri: String) async throws {
        try await RunningService.with { service in
            let answer = try await service.authorize(["X-Media-Token: \(try RunningService.token())"], uri: uri)
            // "/live/" has an empty last segment, which `*` matches.
            #expect(answer.status == (uri == "/live/" ? 200 : 403))
        }
    }

    @Test(arguments: ["/live/a;v=1/1", "/live/1.ts;x", "/live/.hidden", "/live/1..2", "/live/a%20b", "/live/100%25"])
    func `Dots, spaces and semicolons inside names pass`(_ uri: String) async throws {
        #expect(try await RunningService.with { try await $0.passes(uri) })
    }

    /// To Swift, a separator and the combining mark after it are one `Character`.
    @Test(arguments: [
        ("/live/\u{301}1.ts?media_token=", 200), ("/live/1.ts?\u{301}x=y&media_token=", 200),
        ("/live/1.ts?x=\u{301}&media_token=", 200), ("/live/1.ts?x&\u{301}&media_token=", 200),
        ("/live/1.ts?&\u{301}media_token=", 401), ("/live\u{301}/1.ts?media_token=", 403),
    ])
    func `A combining mark hides no separator`(_ start: String, _ status: Int) async throws {
        try await RunningService.with { service in
            let token = try RunningService.token()
            let escaped = token.replacing("+", with: "%2B").replacing("/", with: "%2F").replacing("=", with: "%3D")
            #expect(try await service.authorize([], uri: start + escaped).status == status)
        }
    }

    @Test func `A token of 100 KB is refused as too large`() async throws {
        try await RunningService.with { service in
            let answer = try await service.authorize(["X-Media-Token: \(String(repeating: "A", count: 100_000))"])
            #expect(answer.status == 401)
            #expect(service.log.text.contains("too_large"))
        }
    }

    @Test func `Header fields may name requestor and resource`() async throws {
        let changes = [
            "authz.requestors": "", "authz.resources": "", "authz.requestorHeader": "X-Brand",
            "authz.resourceHeader": "X-Channel",
        ]
        try await RunningService.with(changes) { service in
            let fields = ["X-Media-Token: \(try RunningService.token())"]
            #expect(try await service.authorize(fields).status == 403)
            #expect(try await service.authorize(fields + ["X-Brand: REF30"]).status == 403)
            let twice = ["X-Brand: REF30", "X-Brand: REF30", "X-Channel: DemoChannel"]
            #expect(try await service.authorize(fields + twice).status == 403)
            let empty = try await service.authorize(fields + ["X-Brand:", "X-Channel: DemoChannel"])
            #expect(empty.status == 403)
            #expect(
                try await service.authorize(fields + ["X-Brand: REF30", "X-Channel: DemoChannel"]).status == 200)
        }
    }

    @Test func `Envoy appends the path and Caddy forwards it`() async throws {
        try await RunningService.with(["authz.uri": "path"]) { service in
            let fields = ["X-Media-Token: \(try RunningService.token())", "X-Original-URI: /nowhere"]
            #expect(try await service.ask(request("POST", "/v1/authz/live/1.ts?x=y", fields: fields)).status == 200)
            #expect(try await service.ask(request("GET", "/v1/authzlive/1.ts", fields: fields)).status == 404)
        }
        try await RunningService.with(["authz.uri": "x-forwarded-uri"]) { service in
            let fields = ["X-Media-Token: \(try RunningService.token())", "X-Forwarded-Uri: /live/1"]
            #expect(try await service.ask(request("GET", "/v1/authz", fields: fields)).status == 200)
            let token = try RunningService.token()
            let escaped = token.replacing("+", with: "%2B").replacing("/", with: "%2F").replacing("=", with: "%3D")
            let query = ["X-Forwarded-Uri: /live/1?media_token=\(escaped)"]
            #expect(try await service.ask(request("GET", "/v1/authz", fields: query)).status == 200)
            #expect(try await service.ask(request("GET", "/v1/authz", fields: query)).status == 403)
        }
    }

    /// Where the settings do not say what the proxy sets, a client must not choose it: Caddy and Traefik leave
    /// `X-Original-URI` as the client sent it.
    @Test(arguments: [("", 403), ("x-original-uri", 200), ("x-forwarded-uri", 403)])
    func `Of two UR is none counts unless it is said which`(_ source: String, _ status: Int) async throws {
        try await RunningService.with(["authz.uri": source]) { service in
            let fields = ["X-Media-Token: \(try RunningService.token())", "X-Forwarded-Uri: /vod/1"]
            let answer = try await service.authorize(fields)
            #expect(answer.status == status)
            let alone = try await service.authorize(["X-Media-Token: \(try RunningService.token())"])
            #expect(alone.status == (source == "x-forwarded-uri" ? 403 : 200))
        }
    }

    @Test(arguments: ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PROPFIND"])
    func `Any method may ask`(_ method: String) async throws {
        try await RunningService.with { service in
            let fields = ["X-Original-URI: /live/1", "X-Media-Token: \(try RunningService.token())"]
            #expect(try await service.ask(request(method, "/v1/authz", fields: fields)).status == 200)
        }
    }

    @Test func `What a token says is escaped in headers`() async throws {
        let resource: ResourceID = "Kanal\tfünf \"100%\"\r\nX-Evil: 1"
        try await RunningService.with(["authz.resources": "", "authz.resourceHeader": "X-Channel"]) { service in
            // No header field can hold that resource, so the request names another one.
            let token = try RunningService.token(resource: resource)
            let answer = try await service.authorize(["X-Media-Token: \(token)", "X-Channel: x"])
            #expect(answer.status == 403)
        }
        try await RunningService.with(["authz.resources": "/live/* Kanal\tfünf 100%"]) { service in
            let token = try RunningService.token(resource: "Kanal\tfünf 100%")
            let answer = try await service.authorize(["X-Media-Token: \(token)"])
            #expect(answer.status == 200)
            #expect(answer["X-TVE-Resource"] == "Kanal%09f%C3%BCnf 100%25")
        }
    }

    @Test func `No token gets into the log`() async throws {
        try await RunningService.with { service in
            let token = try RunningService.token(sessionGUID: RunningService.subscriber)
            _ = try await service.authorize(["X-Media-Token: \(token)"])
            _ = try await service.authorize(["X-Media-Token: \(token)"])
            _ = try await service.post(
                "/v1/media-tokens/verify", #"{"token":"\#(token)","requestor":null,"resource":null}"#)
            #expect(service.log.text.contains("replayed"))
            #expect(!service.log.text.contains(token.prefix(24)))
            #expect(!service.log.text.contains(RunningService.subscriber.rawValue))
        }
    }

    @Test func `Only one of many at once passes`() async throws {
        try await RunningService.with { service in
            let token = try RunningService.token()
            let passed = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<64 {
                    group.addTask { try await service.authorize(["X-Media-Token: \(token)"]).status }
                }
                return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            #expect(passed == [200: 1, 403: 63])
        }
    }

    @Test func `A full store is no decision`() async throws {
        try await RunningService.with(["store.address": "memory:1"]) { service in
            #expect(try await service.authorize(["X-Media-Token: \(try RunningService.token())"]).status == 200)
            let next = try RunningService.token()
            let answer = try await service.authorize(["X-Media-Token: \(next)"])
            #expect(answer.status == 503)
            #expect(answer["X-TVE-Status"] == "ERROR_UNKNOWN")
            #expect(try await service.askInternal(request("GET", "/readyz?store=now")).status == 503)
            #expect(try await service.askInternal(request("GET", "/healthz")).status == 200)
        }
    }
}
#endif
