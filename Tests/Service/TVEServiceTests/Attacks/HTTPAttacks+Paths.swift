#if Service
import Testing

extension HTTPAttacks {
    private static let resources = ["authz.resources": "/live/* DemoChannel,/vod/{resource}/* {resource}"]

    /// Each leads to `/vod/SECRET/1`, or out of `/live`, at a server of some make.
    private static let paths = [
        "/live/../vod/SECRET/1", "/live/%2e%2e/vod/SECRET/1", "/live/.%2E/vod/SECRET/1", "/live/..;/vod/SECRET/1",
        "/live/..;a=b/..;/vod/SECRET/1", "/live/..%3B/vod/SECRET/1", "/live/..%20/vod/SECRET/1",
        "/live/%20../vod/SECRET/1", "/live/..%09/vod/SECRET/1", "/live/..%00/vod/SECRET/1",
        "/live/..%2Fvod/SECRET/1", "/live/..%5Cvod/SECRET/1", "/live/..%5cvod/SECRET/1",
        "/live/%252e%252e/vod/SECRET/1", "/live/%25252e%25252e/vod/SECRET/1", "/live/..%252fvod/SECRET/1",
        "/live/..%255cvod/SECRET/1", "/live/x#/../../vod/SECRET/1", "/live/x%0d%0aX:y", "/live//vod/SECRET/1",
        "//live/1", "/live/./1", "/live/;/1", "/live/...;/1", "/live/%c0%ae%c0%ae/1", "/live/%u002e/1", "/live/%",
        "/live/..%c2%a0/vod/SECRET/1", "/live/..%E2%80%8B/vod/SECRET/1", "/live/..+/vod/SECRET/1",
        "/live/%EF%BC%8E%EF%BC%8E/vod/SECRET/1", "/live/..%EF%BC%8Fvod/SECRET/1", "/live/..%25C2%25A0/vod/SECRET/1",
    ]

    @Test(arguments: paths, ["x-original-uri", "x-forwarded-uri", "path"])
    func `A path that servers read differently leads nowhere`(_ path: String, _ source: String) async throws {
        try await RunningService.with(Self.resources.merging(["authz.uri": source]) { $1 }) { service in
            let token = try RunningService.token()
            let name = source == "x-forwarded-uri" ? "X-Forwarded-Uri" : "X-Original-URI"
            let asks = { @Sendable (path: String) in
                let fields = ["X-Media-Token: \(token)"] + (source == "path" ? [] : ["\(name): \(path)"])
                return try await service.ask(
                    request("GET", "/v1/authz" + (source == "path" ? path : ""), fields: fields))
            }
            #expect(try await asks(path).status == 403)
            #expect(try await asks("/live/1").status == 200, "the token was used up")
        }
    }

    @Test(arguments: [
        "/v1//authz", "/v1/./authz", "/v1/x/../authz", "/v1/authz%2f", "/v1/%61uthz", "/V1/authz", "/v1/authz;x",
        "/v1/authz%3Fx", "/v1\\authz", "/metrics", "/readyz", "/v1/user-metadata/decrypt",
        "/v1/playback-sessions/revoke",
        "/v1/../metrics", "/v1/%2e%2e/metrics", "//metrics", "/metrics/", "/;/metrics", "/openapi.yaml",
        "/openapi.json", "/", "/v1/authz/", "/v1/authz/live/1", "/v1/authz/../devices", "/v1/authz/%2e%2e/devices",
        "/v1/authz//../../v1/plays", "/v1/authz/?x",
    ])
    func `An endpoint has one path, and those of the internal listener are not on the public one`(_ target: String)
        async throws
    {
        try await RunningService.with { service in
            let fields = ["X-Original-URI: /live/1", "X-Media-Token: \(try RunningService.token())"]
            let answer = try await service.ask(request("GET", target, fields: fields))
            #expect(answer.status == 404 && answer["X-TVE-Status"] == nil)
        }
    }
}
#endif
