#if Service
import BrokerMessages
import BrokerSimulation
import EntitlementValues
import Foundation
import Testing
import TestVectors

/// The second screen: the page on which a user says that a device that shows a code is theirs, and the same as JSON.
@Suite struct ActivationTests {
    /// Lets a device show a code.
    private func code(
        _ bench: GatewayBench,
        _ token: String,
        _ body: String = #"{"secondScreen":true}"#
    ) async throws -> String {
        let answer = try await bench.ask("POST", "/v1/authentication", body, token: token)
        #expect(answer.code == "code", "\(answer.text)")
        let code = try #require(answer.object["activationCode"] as? String)
        #expect(answer.object["activationURL"] as? String == "\(GatewayBench.publicURL)/activate")
        #expect(answer.object["activationURLComplete"] as? String == "\(GatewayBench.publicURL)/activate?code=\(code)")
        return code
    }

    /// The value of a hidden field of a page's form.
    private func field(_ name: String, of page: Answer) throws -> String {
        let mark = "name=\"\(name)\" value=\""
        let start = try #require(page.text.range(of: mark)).upperBound
        return String(page.text[start...].prefix { $0 != "\"" })
    }

    /// Types a code on the page, and goes as far as the question whether the device is the user's.
    private func question(_ browser: Browser, _ code: String) async throws -> Answer {
        let first = try await browser.open("/activate")
        #expect(first.status == 200)
        return try await browser.send("/activate", ["token": try field("token", of: first), "code": code])
    }

    /// Confirms the device, and chooses a provider.
    private func confirm(_ browser: Browser, _ page: Answer, mvpd: String? = "SampleCable") async throws -> Answer {
        var form = ["token": try field("token", of: page), "code": try field("code", of: page), "confirmed": "yes"]
        form["mvpd"] = mvpd
        return try await browser.send("/activate", form)
    }

    @Test func `A user types the code, confirms the device, signs in, and the device's long poll ends`() async throws {
        try await GatewayBench.spread { bench in
            let (token, phone) = (try await bench.register(), Browser(of: bench))
            let code = try await code(bench, token)
            bench.time.advance(by: .minutes(2))
            // As people type it.
            let typed = " \(code.prefix(3).lowercased())\u{2013}\(code.dropFirst(3)). "
            let page = try await question(phone, typed)
            #expect(page.status == 200 && page.text.contains("TV-1000 (TV)"), "\(page.text)")
            #expect(page.text.contains("2 minutes ago") && page.text.contains("Sample Cable"))
            #expect(!page.text.contains("<script"))
            let sent = try await confirm(phone, page)
            #expect(sent.status == 303, "\(sent.text)")
            let back = try bench.logIn(at: try #require(sent["Location"]))
            // It ends by the sign-in, and long before its time is over.
            bench.time.holdWaits(after: .seconds(10))
            async let answer = bench.status(token, wait: 20)
            try await eventually { bench.waitingRequests == 1 }
            let done = try await phone.open(back)
            #expect(done.status == 200 && done.text.contains("You are signed in on TV-1000"), "\(done.text)")
            #expect(try await answer.code == "authenticated")
            bench.time.releaseWaits()
            try await bench.expectSignedIn(token)
        }
    }

    @Test func `A provider that the device has chosen is not asked for`() async throws {
        try await GatewayBench.spread { bench in
            let (token, phone) = (try await bench.register(), Browser(of: bench))
            let code = try await code(bench, token, #"{"secondScreen":true,"mvpd":"SampleFiber"}"#)
            // As the form of another page sends it, whose user typed a space.
            let spaced = try await phone.open("/activate?code=\(code.prefix(3))+\(code.dropFirst(3))")
            #expect(spaced.status == 200, "\(spaced.text)")
            let page = try await phone.open("/activate?code=\(code)")
            #expect(
                page.text.contains("Provider: <strong>Sample Fiber</strong>") && !page.text.contains("type=\"radio\""))
            let sent = try await confirm(phone, page, mvpd: nil)
            let back = try bench.logIn(at: try #require(sent["Location"]))
            #expect(try await phone.open(back).status == 200)
            #expect(try await bench.status(token).object["mvpd"] as? String == "SampleFiber")
        }
    }

    @Test func `A user who signs in and whose browser does not come back is found by asking`() async throws {
        try await GatewayBench.spread { bench in
            let (token, phone) = (try await bench.register(), Browser(of: bench))
            let code = try await code(bench, token)
            let sent = try await confirm(phone, try await question(phone, code))
            _ = try bench.logIn(at: try #require(sent["Location"]))
            try await bench.service.until { _ in try await bench.status(token, wait: 1).code == "authenticated" }
        }
    }

    @Test func `A form that one browser sends twice at once marks that browser once`() async throws {
        try await GatewayBench.withReplicas { replicas in
            let token = try await replicas.first.register()
            let code = try await code(replicas.first, token)
            let phone = Browser(of: replicas.first)
            let page = try await question(phone, code)
            let first = try await confirm(phone, page)
            let mark = try #require(phone.cookie("__Host-tve_activation"))
            let second = try await confirm(phone, page)
            #expect(first.status == 303 && second.status == 303)
            #expect(phone.cookie("__Host-tve_activation") == mark)
            // The user who confirmed there signs in there; a second browser must not take that over.
            let other = Browser(of: replicas.second)
            let refused = try await confirm(other, try await question(other, code))
            #expect(refused.status != 303 && refused.text.contains("another browser"), "\(refused.text)")
            #expect(other.cookie("__Host-tve_activation") == nil)
            let back = try replicas.first.logIn(at: try #require(second["Location"]))
            #expect(try await phone.open(back).status == 200)
            try await replicas.second.expectSignedIn(token)
        }
    }

    @Test func `Another replica shows the page, and a third screen the result`() async throws {
        try await GatewayBench.withReplicas { replicas in
            let token = try await replicas.first.register()
            let code = try await code(replicas.first, token)
            let phone = Browser(of: replicas.second)
            let sent = try await confirm(phone, try await question(phone, code))
            let back = try replicas.first.logIn(at: try #require(sent["Location"]))
            replicas.first.time.holdWaits(after: .seconds(10))
            async let answer = replicas.first.status(token, wait: 20)
            try await eventually { replicas.first.waitingRequests == 1 }
            #expect(try await phone.open(back).status == 200)
            #expect(try await answer.code == "authenticated")
            replicas.first.time.releaseWaits()
            try await replicas.second.expectSignedIn(token)
        }
    }

    // MARK: Attacks

    @Test func `The address of the login is forwarded after the attacker has confirmed their own device`() async throws
    {
        try await GatewayBench.spread { bench in
            let (token, attacker) = (try await bench.register(), Browser(of: bench))
            let code = try await code(bench, token)
            let sent = try await confirm(attacker, try await question(attacker, code))
            let back = try bench.logIn(at: try #require(sent["Location"]))
            let page = try await Browser(of: bench).open(back)
            #expect(page.status == 410 && page.text.contains("This sign-in is over"))
            #expect(bench.profileCount == 0)
            try await bench.service.until { _ in
                try await bench.status(token).object["reason"] as? String == "return_not_proved"
            }
            try await bench.expectNothing(with: token, "after the victim's return")
        }
    }

    @Test func `The broker's own address of the code is forwarded, and nobody confirms the device`() async throws {
        let time = ShiftedTime(movingWaits: true, standing: true)
        try await GatewayBench.spread(time: time) { bench in
            let attacker = try await bench.register()
            let code = try await code(bench, attacker, #"{"secondScreen":true,"mvpd":"SampleCable"}"#)
            // The victim has signed in, and comes back late: the broker is asked before.
            let back = try bench.simulator.logIn(code: code, as: "ok")
            time.advance(by: .seconds(5))
            try await eventually { bench.profileCount == 0 }
            #expect(try await bench.status(attacker).object["reason"] as? String == "return_not_proved")
            #expect(try await Browser(of: bench).open(back).status == 410)
            try await bench.expectNothing(with: attacker, "after the victim's return")
        }
    }

    @Test func `A foreign page sends the form, with the victim's cookies`() async throws {
        try await GatewayBench.spread { bench in
            let (token, victim) = (try await bench.register(), Browser(of: bench))
            let code = try await code(bench, token)
            let own = try field("token", of: try await victim.open("/activate"))
            // The attacker has a form of their own, with a token of their own.
            let foreign = try field("token", of: try await Browser(of: bench).open("/activate"))
            let form = ["code": code, "mvpd": "SampleCable", "confirmed": "yes"]
            for (token, fields) in [
                (foreign, Browser.ownPage), ("", Browser.ownPage),
                (own, ["Origin: https://evil.example"]), (own, ["Origin: null"]), (own, ["Sec-Fetch-Site: cross-site"]),
            ] {
                let answer = try await victim.send("/activate", form.merging(["token": token]) { $1 }, fields: fields)
                #expect(answer.status == 403 && answer["Location"] == nil, "\(fields)")
            }
            let json = try await bench.ask(
                "POST", "/v1/activations/\(code)", #"{"confirmed":true}"#, fields: ["Content-Type: text/plain"])
            #expect(json.status == 400)
            #expect(!bench.brokerCalls.contains(.resumeSession))
        }
    }

    @Test func `The code of the victim's TV on the attacker's page gives the attacker nothing of the victim's`()
        async throws
    {
        try await GatewayBench.spread { bench in
            let television = try await bench.register()
            let code = try await code(bench, television)
            // The attacker, who got to know the code, signs in with an account of their own.
            let attacker = Browser(of: bench)
            let sent = try await confirm(attacker, try await question(attacker, code))
            let back = try bench.logIn(at: try #require(sent["Location"]), as: "nozip")
            #expect(try await attacker.open(back).status == 200)
            // The TV has that account; a second use of the code finds nothing.
            #expect(try await bench.status(television).code == "authenticated")
            #expect(try await question(Browser(of: bench), code).status == 404)
            let own = try await bench.register()
            try await bench.expectNothing(with: own, "a device of the attacker")
        }
    }

    @Test(arguments: ["AAAAAAA", "", "A", "<b>", "ÄÖÜ123", "AAAAAAAAAAAAAAAAAAAAAAAAA", "%00"])
    func `An unknown code costs no call of the broker, and takes as long as a known one`(code: String) async throws {
        try await GatewayBench.spread { bench in
            let browser = Browser(of: bench)
            let token = try field("token", of: try await browser.open("/activate"))
            let page = try await Self.paced(bench) {
                try await browser.send("/activate", ["token": token, "code": code])
            }
            #expect(page.status == 404 && page.text.contains("No device shows this code"), "\(page.text)")
            #expect(!page.text.contains("<b>"))
            #expect(bench.brokerCalls.isEmpty)
            let text = code.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            guard !text.isEmpty else { return }
            let json = try await bench.ask("GET", "/v1/activations/\(text)")
            #expect(json.status == 404 && json.code == "unknown_code", "\(json.text)")
            #expect(json.object["action"] as? String == "show_message")
            #expect(bench.brokerCalls.isEmpty)
        }
    }

    @Test func `A known code is answered after the same time`() async throws {
        try await GatewayBench.spread { bench in
            let token = try await bench.register()
            let code = try await code(bench, token)
            for _ in 0..<2 {
                let answer = try await Self.paced(bench) { try await bench.ask("GET", "/v1/activations/\(code)") }
                #expect(answer.status == 200)
            }
        }
    }

    /// Sends a request, and checks that it is answered 300 ms after it has come.
    ///
    /// The time stands until that wait has begun.
    private static func paced(
        _ bench: GatewayBench, _ ask: @escaping @Sendable () async throws -> Answer
    ) async throws -> Answer {
        let earlier = bench.time.waits.count { $0 == .milliseconds(300) }
        bench.time.holdWaits()
        async let answer = ask()
        try await eventually { bench.time.waits.count { $0 == .milliseconds(300) } == earlier + 1 }
        bench.time.releaseWaits()
        return try await answer
    }

    @Test func `Codes are tried from many addresses: each known code, and each address, has its limit`() async throws {
        try await GatewayBench.spread(time: ShiftedTime(standing: true)) { bench in
            func tries(of code: String) async throws -> [Int] {
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<20 { group.addTask { try await bench.ask("GET", "/v1/activations/\(code)").status } }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
            }
            let known = try await tries(of: try await code(bench, try await bench.register()))
            #expect(known.count { $0 == 429 } >= 9 && known.count { $0 == 200 } <= 11, "\(known)")
            // An unknown one has no count: a flood of them would fill the memory of all counts.
            let unknown = try await tries(of: "ABCDEFG")
            #expect(unknown.allSatisfy { $0 == 404 }, "\(unknown)")
        }
        try await GatewayBench.with(
            ["broker.codesPerMinute": "5"], time: ShiftedTime(standing: true)
        ) { bench in
            for number in 0..<5 {
                #expect(try await bench.ask("GET", "/v1/activations/ABCDEF\(number)").status == 404)
            }
            let answer = try await bench.ask("GET", "/v1/activations/ABCDEF9")
            #expect(
                answer.status == 429 && answer.object["action"] as? String == "retry" && answer["Retry-After"] != nil)
            let page = try await Browser(of: bench).open("/activate?code=ABCDEF8")
            #expect(page.status == 429 && page.text.contains("There were too many tries") && page["Retry-After"] != nil)
        }
    }

    @Test func `A code is unknown once it was given up, replaced or has ended`() async throws {
        try await GatewayBench.spread { bench in
            let token = try await bench.register()
            let first = try await code(bench, token)
            let second = try await code(bench, token)
            #expect(try await bench.ask("GET", "/v1/activations/\(first)").status == 404)
            #expect(try await bench.ask("GET", "/v1/activations/\(second)").status == 200)
            #expect(try await bench.ask("DELETE", "/v1/authentication", token: token).status == 200)
            #expect(try await bench.ask("GET", "/v1/activations/\(second)").status == 404)
            let third = try await code(bench, token)
            bench.time.advance(by: .minutes(31))
            #expect(try await bench.ask("GET", "/v1/activations/\(third)").status == 404)
            #expect(try await bench.status(token).object["reason"] as? String == "code_ended")
        }
    }

    // MARK: JSON

    @Test func `As JSON: the device, its providers, and the address of the page that asks once more`() async throws {
        try await GatewayBench.spread { bench in
            let (token, phone) = (try await bench.register(), Browser(of: bench))
            let code = try await code(bench, token)
            let shown = try await bench.ask("GET", "/v1/activations/\(code)")
            #expect(shown.code == "activation" && shown.object["mvpd"] == nil)
            let device = try #require(shown.object["device"] as? [String: Any])
            #expect(device["name"] as? String == "TV-1000 (TV)" && device["asked"] is Int64)
            #expect((shown.object["providers"] as? [Any])?.count == 6)
            for body in [
                "{}", #"{"confirmed":false}"#, #"{"confirmed":"true"}"#, #"{"confirmed":true,"more":1}"#, "[]",
            ] {
                #expect(try await bench.ask("POST", "/v1/activations/\(code)", body).status == 400, "\(body)")
            }
            let missing = try await bench.ask("POST", "/v1/activations/\(code)", #"{"confirmed":true}"#)
            #expect(missing.code == "provider_needed" && missing.object["action"] as? String == "choose_provider")
            let other = try await bench.ask("POST", "/v1/activations/\(code)", #"{"confirmed":true,"mvpd":"Nobody"}"#)
            #expect(other.code == "unknown_provider")
            let open = try await bench.ask(
                "POST", "/v1/activations/\(code)", #"{"confirmed":true,"mvpd":"SampleCable"}"#)
            #expect(
                open.code == "open"
                    && open.object["url"] as? String == "\(GatewayBench.publicURL)/activate?code=\(code)")
            #expect(!bench.brokerCalls.contains(.resumeSession), "the address of the login is not handed out")
            let page = try await phone.open(try #require(open.object["url"] as? String))
            #expect(page.text.contains("Sample Cable") && !page.text.contains("type=\"radio\""))
            let sent = try await confirm(phone, page, mvpd: nil)
            #expect(try await phone.open(try bench.logIn(at: try #require(sent["Location"]))).status == 200)
            #expect(try await bench.status(token).code == "authenticated")
        }
    }
}
#endif
