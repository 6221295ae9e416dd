#if Service
import Testing

/// Texts of apps, which go on into records and events: each has a length of its own, and not only the whole body.
@Suite struct TextLimitTests {
    /// A request with a text in the place of `TEXT`.
    struct Place: Sendable, CustomTestStringConvertible {
        let target: String
        let body: String
        var limit = 4096

        var testDescription: String { "\(target) \(body)" }
        func body(with text: String) -> String { body.replacing("TEXT", with: text) }
    }

    @Test(arguments: [
        Place(target: "/v1/plays", body: #"{"resource":"TEXT"}"#),
        Place(target: "/v1/preauthorizations", body: #"{"resources":["a","TEXT"]}"#),
        Place(target: "/v1/authentication", body: #"{"mvpd":"TEXT"}"#),
        Place(target: "/v1/authentication", body: #"{"returnTo":"https://app.example.com/any?TEXT"}"#, limit: 4068),
        Place(target: "/v1/logout", body: #"{"mvpd":"TEXT"}"#),
        Place(target: "/v1/devices", body: #"{"app":"tv","lastProvider":"TEXT"}"#),
        Place(target: "/v1/devices", body: #"{"app":"tv","attestation":"TEXT"}"#, limit: 16_384),
    ])
    func `A text that is too long is refused`(place: Place) async throws {
        try await GatewayBench.spread { bench in
            let token = try await bench.register()
            // The limit is one of bytes: of this letter there are two.
            for text in [
                String(repeating: "a", count: place.limit + 1), String(repeating: "ä", count: place.limit / 2 + 1),
            ] {
                let refused = try await bench.ask("POST", place.target, place.body(with: text), token: token)
                #expect(refused.status == 400 && refused.code == "bad_request", "\(refused.text)")
                #expect((refused.object["detail"] as? String)?.contains("bytes") == true)
            }
            #expect(bench.brokerCalls.isEmpty)
            let longest = String(repeating: "a", count: place.limit)
            let taken = try await bench.ask("POST", place.target, place.body(with: longest), token: token)
            #expect(taken.code != "bad_request", "\(taken.text)")
        }
    }

    @Test func `The answer of a sign-on partner may be longer`() async throws {
        try await GatewayBench.spread { bench in
            let token = try await bench.register()
            func reply(_ length: Int) async throws -> Answer {
                let text = String(repeating: "a", count: length)
                return try await bench.ask(
                    "POST", "/v1/authentication/partner", #"{"response":"\#(text)","outcome":"other"}"#, token: token)
            }
            // Both are refused, since a reply has one form; the longer one for its length.
            let detail = try await reply(524_288).object["detail"] as? String
            #expect(detail?.hasPrefix("a reply is") == true)
            #expect(try await (reply(524_289).object["detail"] as? String)?.contains("524288 bytes") == true)
        }
    }
}
#endif
