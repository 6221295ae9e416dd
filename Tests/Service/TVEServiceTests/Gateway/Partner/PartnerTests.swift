#if Service
import BrokerMessages
import BrokerSimulation
import EntitlementValues
import Foundation
import Testing

/// Sign-on with the partner of the device's platform: `PUT /v1/partner` and `POST /v1/authentication/partner`.
@Suite struct PartnerTests {
    private let framework = PartnerFramework(mappingID: "sample-satellite")

    private func reply(_ bench: GatewayBench, _ token: String, _ body: String) async throws -> Answer {
        try await bench.ask("POST", "/v1/authentication/partner", body, token: token)
    }

    /// What the device's framework says, as JSON.
    private func status(_ bench: GatewayBench, of framework: PartnerFramework) throws -> String {
        try framework.status(at: bench.time.now).json
    }

    /// The framework's answer to a question, with its status, as a reply's body.
    private func answer(_ bench: GatewayBench, to question: Answer) throws -> String {
        let request = try #require(question.object["verificationToken"] as? String)
        let saml = try #require(framework.samlResponse(to: request))
        let body: [String: Any] = [
            "status": try JSONSerialization.jsonObject(with: Data(try status(bench, of: framework).utf8)),
            "response": saml,
        ]
        return String(decoding: try JSONSerialization.data(withJSONObject: body), as: UTF8.self)
    }

    @Test func `From the device's picker to the profile`() async throws {
        try await GatewayBench.spread { bench in
            let token = try await bench.register()
            let undecided = PartnerFramework(mappingID: "", choice: .other)
            let told = try await bench.ask(
                "PUT", "/v1/partner", #"{"status":\#(try status(bench, of: undecided))}"#, token: token)
            #expect(told.status == 200 && told.code == "not_authenticated", "\(told.text)")
            let pick = try await bench.ask("POST", "/v1/authentication", "{}", token: token)
            #expect(pick.code == "partner" && pick.object["question"] as? String == "pick", "\(pick.text)")
            #expect(pick.object["supported"] as? [String] == ["sample-satellite", "sample-wireless"])
            #expect(pick.object["channel"] as? String == "https://saml.sp.auth.adobe.com")
            let confirm = try await reply(bench, token, #"{"status":\#(try status(bench, of: framework))}"#)
            #expect(confirm.code == "partner" && confirm.object["question"] as? String == "confirm", "\(confirm.text)")
            #expect(confirm.object["allowsInterruption"] as? Bool == true)
            let done = try await reply(bench, token, try answer(bench, to: confirm))
            #expect(done.code == "authenticated" && done.object["mvpd"] as? String == "SampleSatellite", "\(done.text)")
            try await bench.expectSignedIn(token)
        }
    }

    @Test func `Permission that is asked for in the middle of a sign-in brings no second question for profiles`()
        async throws
    {
        try await GatewayBench.spread { bench in
            let token = try await bench.register()
            #expect(try await bench.ask("POST", "/v1/authentication", "{}", token: token).code == "choose")
            bench.time.advance(by: .seconds(20))
            let undecided = #"{"status":\#(try status(bench, of: PartnerFramework(mappingID: "", choice: .other)))}"#
            let told = try await bench.ask("PUT", "/v1/partner", undecided, token: token)
            #expect(told.status == 200 && told.code == "not_authenticated", "\(told.text)")
            #expect(try await bench.ask("POST", "/v1/authentication", "{}", token: token).code == "partner")
            #expect(bench.brokerCalls.count { $0 == .profiles } == 1)
            // What the account of the device brings is found all the same.
            let granted = #"{"status":\#(try status(bench, of: framework))}"#
            let question = try await bench.ask("PUT", "/v1/partner", granted, token: token)
            #expect(question.object["allowsInterruption"] as? Bool == false, "\(question.text)")
            #expect(bench.brokerCalls.count { $0 == .profiles } == 1)
            bench.time.advance(by: .minutes(5))
            _ = try await bench.ask("PUT", "/v1/partner", granted, token: token)
            #expect(bench.brokerCalls.count { $0 == .profiles } == 2)
            let report = bench.simulator.acceptanceReport
            #expect(report.failed == [], "\(report.text)")
            #expect(report.text.contains("pass            A3"), "\(report.text)")
        }
    }

    @Test func `The account of the device signs in without a question, whichever replica takes the reply`() async throws
    {
        try await GatewayBench.withReplicas { replicas in
            let token = try await replicas.first.register()
            let body = #"{"status":\#(try status(replicas.first, of: framework))}"#
            let question = try await replicas.first.ask("PUT", "/v1/partner", body, token: token)
            #expect(
                question.code == "partner" && question.object["allowsInterruption"] as? Bool == false,
                "\(question.text)")
            // A framework that would have to ask the user answers nothing, and no picker comes of it.
            #expect(try await reply(replicas.second, token, #"{"outcome":"cancelled"}"#).code == "not_authenticated")
            let again = try await replicas.second.ask("PUT", "/v1/partner", body, token: token)
            let done = try await reply(replicas.first, token, try answer(replicas.first, to: again))
            #expect(done.code == "authenticated", "\(done.text)")
            try await replicas.second.expectSignedIn(token)
            #expect(try await replicas.second.ask("PUT", "/v1/partner", body, token: token).code == "authenticated")
        }
    }

    @Test func `A reply to the question of a sign-in is not one to a silent question before it`() async throws {
        try await GatewayBench.spread { bench in
            let token = try await bench.register()
            let body = #"{"status":\#(try status(bench, of: framework))}"#
            let silent = try await bench.ask("PUT", "/v1/partner", body, token: token)
            #expect(silent.object["allowsInterruption"] as? Bool == false, "\(silent.text)")
            // It is never answered, and the user begins to sign in.
            let question = try await bench.ask("POST", "/v1/authentication", "{}", token: token)
            #expect(
                question.code == "partner" && question.object["allowsInterruption"] as? Bool == true, "\(question.text)"
            )
            #expect(try await reply(bench, token, #"{"outcome":"other"}"#).code == "choose")
        }
    }

    @Test func `Another provider, no provider, and one that signs in at the provider itself`() async throws {
        try await GatewayBench.spread { bench in
            let token = try await bench.register()
            let undecided = PartnerFramework(mappingID: "", choice: .other)
            _ = try await bench.ask(
                "PUT", "/v1/partner", #"{"status":\#(try status(bench, of: undecided))}"#, token: token)
            #expect(try await reply(bench, token, #"{"outcome":"other"}"#).code == "choose")
            #expect(try await reply(bench, token, #"{"outcome":"cancelled"}"#).code == "not_authenticated")
            let code = try await reply(bench, token, #"{"unsupportedProvider":"sample-wireless"}"#)
            #expect(code.code == "code", "\(code.text)")
            #expect(try await bench.status(token).code == "pending")
        }
    }

    @Test func `A sign-in with the provider that a reply names is logged out unless it is proved`() async throws {
        try await GatewayBench.spread { bench in
            let phone = #"{"model":"Phone","version":"1","osName":"iOS","osVersion":"18","connectionType":"WiFi"}"#
            let made = try await bench.ask("POST", "/v1/devices", #"{"app":"tv","deviceInfo":\#(phone)}"#)
            let token = try #require(made.object["deviceToken"] as? String)
            let open = try await reply(
                bench, token, #"{"unsupportedProvider":"sample-wireless","returnTo":"myapp://done"}"#)
            #expect(open.code == "open", "\(open.text)")
            let back = try bench.logIn(at: try #require(open.object["url"] as? String))
            _ = try bench.code(handedOverBy: try await Browser(of: bench).open(back))
            #expect(bench.profileCount == 1)
            bench.time.advance(by: .minutes(2))
            #expect(try await bench.status(token).object["reason"] as? String == "return_not_proved")
            #expect(bench.profileCount == 0)
        }
    }

    @Test func `A permission that was not given leads to the picker`() async throws {
        try await GatewayBench.spread { bench in
            let token = try await bench.register()
            let denied = PartnerFramework(mappingID: "", choice: .denied)
            let body = #"{"status":\#(try status(bench, of: denied))}"#
            #expect(try await bench.ask("PUT", "/v1/partner", body, token: token).code == "not_authenticated")
            #expect(try await bench.ask("POST", "/v1/authentication", "{}", token: token).code == "choose")
            #expect(try await reply(bench, token, body).code == "choose")
        }
    }

    @Test(arguments: [
        "{}", #"{"outcome":"perhaps"}"#, #"{"response":"<saml/>"}"#, #"{"outcome":"other","unsupportedProvider":"x"}"#,
        #"{"status":{}}"#, #"{"status":"granted"}"#, #"{"status":{"frameworkPermissionInfo":{}}}"#, #"{"more":1}"#,
    ])
    func `A reply of another form is refused`(body: String) async throws {
        try await GatewayBench.spread { bench in
            let token = try await bench.register()
            let answer = try await reply(bench, token, body)
            #expect(answer.status == 400 && answer.code == "bad_request", "\(answer.text)")
            #expect(bench.brokerCalls.isEmpty)
        }
    }

    @Test(arguments: ["{}", #"{"status":7}"#, #"{"status":{}}"#, #"{"state":{}}"#])
    func `A status of another form is refused`(body: String) async throws {
        try await GatewayBench.spread { bench in
            let token = try await bench.register()
            #expect(try await bench.ask("PUT", "/v1/partner", body, token: token).status == 400)
            #expect(bench.brokerCalls.isEmpty)
        }
    }
}
#endif
