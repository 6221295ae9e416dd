#if Service
import BrokerSimulation
import BrokerMessages
import EntitlementValues
import Foundation
import ServiceResponses
import Testing

/// `GET /v1/providers`.
@Suite struct ProvidersTests {
    private func ids(_ answer: Answer) -> [String] {
        (answer.object["providers"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }
    }

    @Test func `The list is filtered and ordered by the settings, and has one tag for an app and a platform`()
        async throws
    {
        try await GatewayBench.spread(["broker.apps.tv.providers": "SampleFiber,Nobody,SampleCable"]) { bench in
            let (one, other) = (
                try await bench.register(), try await bench.register("tv", #","lastProvider":"SampleCable""#)
            )
            let first = try await bench.ask("GET", "/v1/providers", token: one)
            #expect(first.status == 200 && first.code == "providers" && ids(first) == ["SampleFiber", "SampleCable"])
            let names = (first.object["providers"] as? [[String: Any]])?.map { $0["name"] as? String }
            #expect(names == ["Sample Fiber", "Sample Cable"] && first.object["remembered"] == nil)
            let second = try await bench.ask("GET", "/v1/providers", token: other)
            #expect(second.object["remembered"] as? String == "SampleCable")
            let tag = try #require(first["ETag"])
            #expect(second["ETag"] == tag && tag.hasPrefix("W/\""))
            #expect(first["Vary"]?.contains("Authorization") == true && first["Vary"]?.contains("Cookie") == true)
            #expect(first["Cache-Control"] == "private, no-cache")
            for value in [tag, "*", "\"x\", \(tag)", String(tag.dropFirst(2))] {
                let known = try await bench.ask("GET", "/v1/providers", token: one, fields: ["If-None-Match: \(value)"])
                #expect(known.status == 304 && known.body.isEmpty && known["ETag"] == tag, "\(value)")
            }
            let stale = try await bench.ask("GET", "/v1/providers", token: one, fields: ["If-None-Match: \"x\""])
            #expect(stale.status == 200)
            let web = try await bench.ask("GET", "/v1/providers", token: try await bench.register("web"))
            #expect(web["ETag"] != tag && ids(web).count == 6)
        }
    }

    @Test func `A device that only looks at the list is not registered, and the broker is asked once`() async throws {
        try await GatewayBench.spread { bench in
            for _ in 0..<3 {
                let answer = try await bench.ask("GET", "/v1/providers", token: try await bench.register())
                #expect(ids(answer).count == 6)
            }
            #expect(bench.brokerCalls == [.register, .token, .configuration])
            bench.time.advance(by: .minutes(1))
            let token = try await bench.register()
            _ = try await bench.ask("GET", "/v1/providers", token: token)
            #expect(bench.brokerCalls.count { $0 == .configuration } == 1)
        }
    }

    @Test func `If the app's own registration has ended, the app registers anew, and the list is shown`() async throws {
        try await GatewayBench.spread { bench in
            let token = try await bench.register()
            // Once with the token that is there, and once with a new one.
            bench.activate(.error(.invalidAccessTokenClientApplication), at: .configuration, times: 2)
            let answer = try await bench.ask("GET", "/v1/providers", token: token)
            #expect(answer.status == 200 && ids(answer).count == 6)
            #expect(
                bench.brokerCalls == [
                    .register, .token, .configuration, .token, .configuration, .register, .token, .configuration,
                ])
        }
    }

    @Test func `An app that the broker refuses for good registers anew once, and nobody is told to sign in`()
        async throws
    {
        try await GatewayBench.spread { bench in
            bench.activate(.error(.invalidAccessTokenClientApplication), at: .configuration)
            for _ in 0..<2 {
                let answer = try await bench.ask("GET", "/v1/providers", token: try await bench.register())
                #expect(answer.status == 502 && answer.code == "client_not_permitted")
            }
            #expect(bench.brokerCalls.count { $0 == .register } == 2)
        }
    }

    @Test func `Partner flags are for platforms that have a partner`() async throws {
        try await GatewayBench.spread { bench in
            let apple = try await bench.ask("GET", "/v1/providers", token: try await bench.register())
            let satellite = (apple.object["providers"] as? [[String: Any]])?.first {
                $0["id"] as? String == "SampleSatellite"
            }
            let partner = try #require(satellite?["partner"] as? [String: Any])
            #expect(
                partner["mappingId"] as? String == "sample-satellite"
                    && partner["boardingStatus"] as? String == "SUPPORTED")
            let info = #"{"model":"Pixel","version":"2","osName":"Android","osVersion":"15","connectionType":"WIFI"}"#
            let made = try await bench.ask("POST", "/v1/devices", #"{"app":"tv","deviceInfo":\#(info)}"#)
            let token = try #require(made.object["deviceToken"] as? String)
            let android = try await bench.ask("GET", "/v1/providers", token: token)
            #expect(ids(android).count >= 4 && !android.text.contains("partner"))
            #expect(android["ETag"] != apple["ETag"])
        }
    }

    @Test func `The provider of the last time is remembered`() async throws {
        try await GatewayBench.spread { bench in
            let token = try await bench.register()
            try await bench.signIn(token, mvpd: "SampleFiber")
            #expect(try await bench.ask("POST", "/v1/logout", "{}", token: token).code == "logged_out")
            let list = try await bench.ask("GET", "/v1/providers", token: token)
            #expect(list.object["remembered"] as? String == "SampleFiber")
            let choice = try await bench.ask("POST", "/v1/authentication", "{}", token: token)
            #expect(choice.code == "choose" && choice.object["remembered"] as? String == "SampleFiber")
        }
    }
}
#endif
