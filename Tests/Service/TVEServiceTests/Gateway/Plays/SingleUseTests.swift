#if Service
import BrokerSimulation
import EntitlementValues
import Testing

@Suite("A media token is used once")
struct SingleUseTests {
    @Test(arguments: [
        (MediaTokenDefect.badSignature, 502, "token_bad_signature", "none"),
        (.otherRequestor, 502, "token_requestor_mismatch", "none"),
        (.otherResource, 502, "token_resource_mismatch", "none"), (.lookAlike, 502, "token_bad_signature", "none"),
        (.expired, 502, "token_expired", "retry"), (.notYetValid, 502, "token_not_yet_valid", "retry"),
    ])
    func `One that is not good starts nothing`(
        defect: MediaTokenDefect, status: Int, code: String, action: String
    ) async throws {
        try await GatewayBench.spread { bench in
            let token = try await bench.signedIn()
            bench.activate(.token(defect), at: .authorize, times: 1)
            let answer = try await bench.play(token: token)
            #expect(answer.status == status)
            #expect(answer.object["action"] as? String == action)
            #expect(answer.object["session"] == nil && answer["Set-Cookie"] == nil)
            if defect != .lookAlike { #expect(answer.code == code) }
            #expect(try await bench.play(token: token).code == "playing")
        }
    }

    @Test func `Two plays that race for the token of one second get one session, and the other tries again`()
        async throws
    {
        try await GatewayBench.spread { bench in
            let token = try await bench.signedIn()
            // The broker's tokens of one second are the same, so that all but one of them were used before.
            bench.simulator.freezeClock()
            let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
                for _ in 0..<6 { group.addTask { try await bench.play(token: token) } }
                return try await group.reduce(into: [Answer]()) { $0.append($1) }
            }
            #expect(answers.count { $0.code == "playing" } == 1)
            for answer in answers where answer.code != "playing" {
                #expect(answer.status == 409)
                #expect(answer.code == "token_replayed")
                #expect(answer.object["action"] as? String == "retry")
                #expect(answer["Retry-After"] == "1")
            }
            bench.simulator.freezeClock(false)
            bench.simulator.advanceClock(by: .seconds(1))
            #expect(try await bench.play(token: token).code == "playing")
        }
    }

    @Test func `The token of a play is of no use elsewhere`() async throws {
        try await GatewayBench.spread { bench in
            let token = try await bench.signedIn()
            bench.simulator.freezeClock()
            #expect(try await bench.play(token: token).code == "playing")
            // Deterministic signatures: this is the token that the play has used up.
            let same = try bench.simulator.mintMediaToken(
                for: "REF30", resource: "TestChannel", mvpd: "SampleCable")
            let body = #"{"token":"\#(same)","requestor":"REF30","resource":"TestChannel"}"#
            let again = try await bench.service.post("/v1/playback-sessions", body)
            #expect(again.status == 403)
            #expect(again.code == "replayed")
            let passed = try await bench.service.authorize(
                ["X-Media-Token: \(same)"], uri: "/live/TestChannel/1.ts")
            #expect(passed.status == 403)
        }
    }
}
#endif
