#if Service
import BrokerClient
import BrokerMessages
import BrokerSimulation
import EntitlementValues
import Foundation
import Testing

/// `POST /v1/logout`, and the return from the provider's logout page.
@Suite struct LogoutTests {
    @Test func `The provider's page is left to do, and its return leads back to the app`() async throws {
        try await GatewayBench.spread { bench in
            let token = try await bench.register()
            try await bench.signIn(token)
            let answer = try await bench.ask("POST", "/v1/logout", #"{"returnTo":"myapp://done"}"#, token: token)
            #expect(answer.code == "open" && answer.object["purpose"] as? String == "logout", "\(answer.text)")
            #expect(answer.object["needsNoInteraction"] as? Bool == true)
            #expect(bench.profileCount == 0)
            try await bench.expectNothing(with: token, "after the logout")
            let url = try #require(answer.object["url"] as? String)
            let back = try #require(url.split(separator: "redirectUrl=").last?.removingPercentEncoding)
            #expect(back.hasPrefix("\(GatewayBench.publicURL)/v1/return/"))
            let returned = try await Browser(of: bench).open(back)
            #expect(returned.status == 303 && returned["Location"] == "myapp://done")
            // Once: the state is of no use after that.
            #expect(try await Browser(of: bench).open(back).status == 410)
        }
    }

    @Test(arguments: [
        ("/v1/logout", #"{"returnTo":"myapp://done"}"#),
        ("/v1/authentication", #"{"returnTo":"myapp://done","secondScreen":false,"force":true}"#),
    ])
    func `Of several pages the app gets all, and each return leads back to it`(path: String, body: String) async throws
    {
        try await GatewayBench.spread { bench in
            let (token, browser) = (try await bench.register(), Browser(of: bench))
            try await bench.signIn(token)
            bench.sent.onAnswer { path, answer in
                guard path.contains("/logout/") else { return answer }
                let back = path.split(separator: "redirectUrl=").last?.prefix { $0 != "&" } ?? ""
                let steps = ["SampleFiber", "SampleCable"].map { mvpd in
                    #""\#(mvpd)":{"actionName":"logout","actionType":"interactive","mvpd":"\#(mvpd)","#
                        + #""url":"/out/\#(mvpd)?redirectUrl=\#(back)"}"#
                }
                return HTTPAnswer(answer.head, body: Array(#"{"logouts":{\#(steps.joined(separator: ","))}}"#.utf8))
            }
            let answer = try await bench.ask("POST", path, body, token: token)
            #expect(answer.code == "open" && answer.object["purpose"] as? String == "logout", "\(answer.text)")
            let further = try #require(answer.object["further"] as? [[String: Any]], "\(answer.text)")
            let pages = ([answer.object] + further).compactMap { $0["url"] as? String }
            #expect(Set(pages).count == 2 && further.count == 1, "\(answer.text)")
            for page in pages {
                let back = try #require(page.split(separator: "redirectUrl=").last?.removingPercentEncoding)
                let returned = try await browser.open(back)
                #expect(returned.status == 303 && returned["Location"] == "myapp://done", "\(page)")
            }
            let back = try #require(pages.first?.split(separator: "redirectUrl=").last?.removingPercentEncoding)
            #expect(try await browser.open(back).status == 410)
        }
    }

    @Test func `Nothing is left to do without a logout page, and for a device that was never used`() async throws {
        try await GatewayBench.spread { bench in
            let token = try await bench.register()
            #expect(try await bench.ask("POST", "/v1/logout", "{}", token: token).code == "logged_out")
            #expect(bench.brokerCalls.isEmpty)
            try await bench.signIn(token, mvpd: "SampleFiber")
            let answer = try await bench.ask("POST", "/v1/logout", #"{"mvpd":"SampleFiber"}"#, token: token)
            #expect(answer.code == "logged_out" && answer.object["unconfirmed"] == nil && bench.profileCount == 0)
        }
    }

    @Test func `A logout gives up the sign-in that is under way`() async throws {
        try await GatewayBench.spread { bench in
            let token = try await bench.register()
            let login = try await bench.begin(token)
            #expect(try await bench.ask("POST", "/v1/logout", "{}", token: token).code == "logged_out")
            _ = try bench.logIn(at: login)
            try await bench.expectNothing(with: token, "after the logout")
        }
    }

    @Test func `A broker that is away does not keep the user signed in`() async throws {
        try await GatewayBench.spread { bench in
            let token = try await bench.register()
            try await bench.signIn(token)
            bench.simulator.activate(ActiveScenario("away", .network(.dropAnswer), endpoints: [.logout]))
            let answer = try await bench.ask("POST", "/v1/logout", "{}", token: token)
            #expect(answer.status == 200 && answer.code == "logged_out", "\(answer.text)")
            #expect(answer.object["unconfirmed"] as? [String] == ["SampleCable"])
            #expect(try await bench.status(token).code == "not_authenticated")
        }
    }

    @Test(arguments: [#"{"returnTo":"https://evil.example/"}"#, #"{"returnTo":7}"#, #"{"mvpd":""}"#, #"{"x":1}"#])
    func `A body of another form is refused, and nothing is done`(body: String) async throws {
        try await GatewayBench.spread { bench in
            let token = try await bench.register()
            try await bench.signIn(token)
            #expect(try await bench.ask("POST", "/v1/logout", body, token: token).status == 400)
            try await bench.expectSignedIn(token)
        }
    }
}
#endif
