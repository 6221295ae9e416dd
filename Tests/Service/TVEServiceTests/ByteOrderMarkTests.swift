#if Service
import Foundation
import TestVectors
import Testing

/// A byte order mark before the JSON of a request, as PowerShell and some editors write it, is dropped by all endpoints.
@Suite struct ByteOrderMarkTests {
    private static let mark = "\u{FEFF}"

    private static func body(_ token: String) -> String {
        mark + #"{"token":"\#(token)","requestor":null,"resource":null}"#
    }

    @Test func `Before a token, one or many`() async throws {
        try await RunningService.with { service in
            for target in ["/v1/media-tokens/verify", "/v1/media-tokens/verify-batch"] {
                let answer = try await service.post(target, Self.body(try RunningService.token()))
                #expect(answer.status == 200 && answer.text.contains(#""valid":true"#), "\(target): \(answer.text)")
            }
            // It is one character, and no second one.
            let twice = try await service.post(
                "/v1/media-tokens/verify", Self.mark + Self.body(try RunningService.token()))
            #expect(twice.status == 400 && twice.code == "bad_request")
        }
    }

    @Test func `Before the start and the renewal of a session`() async throws {
        let folder = try Folder()
        try await RunningService.with(try SessionTests.settings(folder, "a")) { service in
            let started = try await service.post("/v1/playback-sessions", Self.body(try RunningService.token()))
            #expect(started.status == 200, "\(started.text)")
            let session = try #require(started.object["session"] as? String)
            let renewed = try await service.post(
                "/v1/playback-sessions/renew", Self.mark + #"{"session":"\#(session)"}"#)
            #expect(renewed.status == 200, "\(renewed.text)")
        }
    }

    @Test func `Before a value`() async throws {
        try await RunningService.with(["decryption.paths": Vectors.key("test-only-other-2048.pkcs8.pem")]) {
            service in
            let answer = try await service.askInternal(decryption(Self.mark + #"{"value":"AAAA"}"#))
            #expect(answer.code == "wrong_length", "\(answer.text)")
        }
    }

    @Test func `Before what an app asks for`() async throws {
        try await GatewayBench.spread { bench in
            let token = try await bench.register()
            let answer = try await bench.ask(
                "POST", "/v1/authentication", Self.mark + #"{"secondScreen":true}"#, token: token)
            #expect(answer.code == "code", "\(answer.text)")
        }
    }
}
#endif
