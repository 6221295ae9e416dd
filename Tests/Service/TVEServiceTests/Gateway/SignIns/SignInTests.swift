#if Service
import BrokerMessages
import BrokerSimulation
import EntitlementValues
import Foundation
import HTTPTypes
import TestVectors
import Testing

/// Signing in as users do: `/v1/authentication`, `/v1/return` and what the app asks in between.
@Suite struct SignInTests {
    @Test func `From the choice of a provider to a play, on a first screen`() async throws {
        try await GatewayBench.spread { bench in
            let token = try await bench.register()
            let choice = try await bench.ask("POST", "/v1/authentication", "{}", token: token)
            #expect(choice.status == 200 && choice.code == "choose", "\(choice.text)")
            let ids = (choice.object["providers"] as? [[String: Any]])?.compactMap { $0["id"] as? String }
            #expect(ids?.first == "SampleCable" && ids?.count == 6)
            let login = try await bench.begin(token)
            #expect(login.hasPrefix("http://127.0.0.1:1/api/v2/authenticate/REF30/"))
            #expect(try await bench.status(token).code == "pending")
            let before = bench.brokerCalls.count
            let answer = try await Browser(of: bench).open(try bench.logIn(at: login))
            #expect(bench.brokerCalls.dropFirst(before) == [.profileByCode], "asked at once, and once")
            #expect(answer["Cache-Control"] == "no-store" && answer["Referrer-Policy"] == "no-referrer")
            let proved = try await bench.prove(token, try bench.code(handedOverBy: answer))
            #expect(proved.code == "authenticated" && proved.object["mvpd"] as? String == "SampleCable")
            #expect((proved.object["until"] as? Int64 ?? 0) > bench.time.now.milliseconds)
            #expect(bench.brokerCalls.count == before + 1)
            let play = try await bench.ask("POST", "/v1/plays", #"{"resource":"TestChannel"}"#, token: token)
            #expect(play.status == 200 && play.code == "playing", "\(play.text)")
            // Signed in: nothing begins anew.
            let again = try await bench.ask("POST", "/v1/authentication", "{}", token: token)
            #expect(again.code == "authenticated")
            let registrations = bench.brokerCalls.count { $0 == .register }
            #expect(registrations == 1, "one registration is enough for one device")
        }
    }

    @Test func `From the choice of a provider to the logout, no mandatory item of the operator's checklist fails`()
        async throws
    {
        try await GatewayBench.spread { bench in
            /// Opens an address of the broker, and returns where it sends the browser.
            func browse(_ address: String) throws -> String {
                let path = try #require(URLComponents(string: address))
                let target = path.percentEncodedPath + (path.percentEncodedQuery.map { "?\($0)" } ?? "")
                let request = HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1:1", path: target)
                let answer = bench.simulator.answer(to: request, body: [])
                return answer.head.headerFields[.location] ?? ""
            }
            let token = try await bench.register()
            #expect(try await bench.ask("POST", "/v1/authentication", "{}", token: token).code == "choose")
            bench.time.advance(by: .seconds(8))
            let back = try browse(try await bench.begin(token))
            bench.time.advance(by: .seconds(20))
            let handed = try bench.code(handedOverBy: try await Browser(of: bench).open(back))
            #expect(try await bench.prove(token, handed).code == "authenticated")
            let resources = #"{"resources":["TestChannel","\#(MagicResource.denied.rawValue)"]}"#
            var marks: Set<String> = []
            for _ in 0..<3 {
                let answer = try await bench.ask("POST", "/v1/preauthorizations", resources, token: token)
                #expect(answer.status == 200, "\(answer.text)")
                marks.insert(answer.text)
                bench.time.advance(by: .seconds(25))
            }
            #expect(marks.count == 1)
            #expect(try await bench.play(token: token).code == "playing")
            // The gateway counts the ten seconds of a denial by the time of waits.
            bench.time.holdWaits(after: .seconds(5))
            for _ in 0..<2 {
                let denied = try await bench.play(MagicResource.denied.rawValue, token: token)
                #expect(denied.code == "authorization_denied_by_mvpd", "\(denied.text)")
                bench.time.advance(by: .seconds(5))
            }
            bench.time.releaseWaits()
            #expect(bench.brokerCalls.count { $0 == .preauthorize } == 1)
            #expect(bench.brokerCalls.count { $0 == .authorize } == 2)
            bench.time.advance(by: .seconds(600))
            #expect(try await bench.status(token).code == "authenticated")
            #expect(try await bench.ask("GET", "/v1/profile", token: token).status == 200)
            let answer = try await bench.ask("POST", "/v1/logout", #"{"returnTo":"myapp://done"}"#, token: token)
            _ = try browse(try #require(answer.object["url"] as? String, "\(answer.text)"))
            let report = bench.simulator.acceptanceReport
            #expect(report.failed == [], "\(report.text)")
            for item in ["A1", "C1", "H1", "L1", "P2", "P3", "Z2"] {
                #expect(report.text.contains("pass            \(item)"), "\(report.text)")
            }
        }
    }

    @Test(arguments: [false, true])
    func `A profile that comes after the return is asked for as the operator's checklist wants it`(hasCookie: Bool)
        async throws
    {
        let time = ShiftedTime(movingWaits: true, standing: true)
        try await GatewayBench.spread(time: time) { bench in
            let browser = Browser(of: bench)
            let token = hasCookie ? nil : try await bench.register()
            if hasCookie { _ = try await browser.script("POST", "/v1/devices", #"{"app":"web","cookie":true}"#) }
            /// Sends a request of the device.
            @Sendable func ask(_ method: String, _ target: String, _ body: String? = nil) async throws -> Answer {
                if let token { return try await bench.ask(method, target, body, token: token) }
                return try await browser.script(method, target, body)
            }
            let body = #"{"mvpd":"SampleCable","returnTo":"myapp://done","secondScreen":false}"#
            let begun = try await ask("POST", "/v1/authentication", body)
            let login = try #require(begun.object["url"] as? String, "\(begun.text)")
            let back = try bench.simulator.cancelLogin(code: try bench.code(of: login))
            let polls = { bench.brokerCalls.count { $0 == .profileByCode } }
            let pauses = { time.waits.count { (Duration.seconds(2)...Duration.seconds(3)).contains($0) } }
            time.holdWaits()
            let page = try await browser.open(back)
            if let token { _ = try await bench.prove(token, try bench.code(handedOverBy: page)) }
            async let waiting = ask("GET", "/v1/authentication?wait=20")
            // If it fails, the wait must not go on for good.
            defer { time.releaseWaits() }
            try await eventually { pauses() == 1 }
            time.releaseWaits()
            for count in 2...3 {
                #expect(polls() == count - 1)
                if count == 3 { _ = try bench.logIn(at: login) }
                time.advance(by: .seconds(3))
                try await eventually { polls() == count }
                if count == 2 { try await eventually { pauses() == 2 } }
            }
            time.advance(by: .seconds(1))
            let told = try await waiting
            #expect(told.code == "authenticated", "\(told.text)")
            let report = bench.simulator.acceptanceReport
            #expect(report.failed == [], "\(report.text)")
            #expect(report.text.contains("pass            A2"), "\(report.text)")
        }
    }

    @Test func `A proof that comes late leaves time to ask for a profile that came late, too`() async throws {
        let time = ShiftedTime(movingWaits: true, standing: true)
        try await GatewayBench.spread(time: time) { bench in
            let token = try await bench.register()
            let body = #"{"mvpd":"SampleCable","returnTo":"myapp://done","secondScreen":false}"#
            let begun = try await bench.ask("POST", "/v1/authentication", body, token: token)
            let login = try #require(begun.object["url"] as? String, "\(begun.text)")
            let back = try bench.simulator.cancelLogin(code: try bench.code(of: login))
            let polls = { bench.brokerCalls.count { $0 == .profileByCode } }
            time.holdWaits()
            let page = try await Browser(of: bench).open(back)
            time.releaseWaits()
            #expect(polls() == 1)
            // The broker is asked once more before the proof.
            time.advance(by: .milliseconds(5_500))
            try await eventually { polls() == 2 }
            _ = try bench.logIn(at: login)
            // Three seconds after the last question it would be too late.
            time.holdWaits(after: .milliseconds(1_600))
            _ = try await bench.prove(token, try bench.code(handedOverBy: page))
            async let waiting = bench.ask("GET", "/v1/authentication?wait=20", token: token)
            // If it fails, the wait must not go on for good.
            defer { time.releaseWaits() }
            time.advance(by: .milliseconds(1_500))
            try await eventually { polls() == 3 }
            time.releaseWaits()
            time.advance(by: .seconds(1))
            let told = try await waiting
            #expect(told.code == "authenticated", "\(told.text)")
        }
    }

    @Test func `A web app's browser proves its return by its cookie`() async throws {
        try await GatewayBench.spread { bench in
            let browser = Browser(of: bench)
            let made = try await browser.script("POST", "/v1/devices", #"{"app":"web","cookie":true}"#)
            #expect(made.status == 201 && browser.cookie("__Host-tve_device") != nil)
            let begun = try await browser.script(
                "POST", "/v1/authentication", #"{"mvpd":"SampleCable","secondScreen":false}"#)
            #expect(begun.code == "open", "\(begun.text)")
            let back = try bench.logIn(at: try #require(begun.object["url"] as? String))
            let page = try await browser.open(back, fields: ["Sec-Fetch-Site: cross-site"])
            #expect(page.status == 200 && page.text.contains("You may go back"))
            #expect(try await browser.script("GET", "/v1/authentication").code == "authenticated")
            #expect(try await browser.open(back).status == 200, "loaded once more")
            #expect(try await browser.script("GET", "/v1/authentication").code == "authenticated")
        }
    }

    @Test func `The cookie of another device proves nothing`() async throws {
        try await GatewayBench.spread { bench in
            let (own, other) = (Browser(of: bench), Browser(of: bench))
            for browser in [own, other] {
                _ = try await browser.script("POST", "/v1/devices", #"{"app":"web","cookie":true}"#)
            }
            let body = #"{"mvpd":"SampleCable","returnTo":"https://app.example.com/done","secondScreen":false}"#
            let begun = try await own.script("POST", "/v1/authentication", body)
            let back = try bench.logIn(at: try #require(begun.object["url"] as? String))
            #expect(try await other.open(back).status == 303)
            #expect(try await own.script("GET", "/v1/authentication").code == "pending")
            // The device's own browser comes after it: two browsers, and one of them is not the device's.
            #expect(try await own.open(back).status == 410)
            #expect(try await own.script("GET", "/v1/authentication").code == "not_authenticated")
            #expect(bench.profileCount == 0)
        }
    }

    @Test(arguments: [
        (#"{"mvpd":"SampleCable","returnTo":"https://app.example.com/done/"}"#, "return_address_not_allowed"),
        (#"{"mvpd":"SampleCable","returnTo":"https://app.example.com/done?x=1"}"#, "return_address_not_allowed"),
        (
            #"{"mvpd":"SampleCable","returnTo":"https://app.example.com.evil.example/done"}"#,
            "return_address_not_allowed"
        ),
        (#"{"mvpd":"SampleCable","returnTo":"HTTPS://app.example.com/done"}"#, "return_address_not_allowed"),
        (#"{"mvpd":"SampleCable","returnTo":"javascript:alert(1)"}"#, "return_address_not_allowed"),
        (#"{"mvpd":"SampleCable","returnTo":"myapp://done\r\nX: y"}"#, "return_address_not_allowed"),
        (#"{"mvpd":"SampleCable","returnTo":"https://app.example.com/any?a#b"}"#, "return_address_not_allowed"),
        (#"{"mvpd":"SampleCable","secondScreen":false}"#, "return_address_needed"),
        (#"{"mvpd":7}"#, "bad_request"), (#"{"mvpd":""}"#, "bad_request"), (#"{"secondScreen":"yes"}"#, "bad_request"),
        (#"{"more":1}"#, "bad_request"), ("[]", "bad_request"),
    ])
    func `A request of another form is refused`(body: String, code: String) async throws {
        try await GatewayBench.spread { bench in
            let token = try await bench.register()
            let answer = try await bench.ask("POST", "/v1/authentication", body, token: token)
            #expect(answer.status == 400 && answer.code == code, "\(answer.text)")
            #expect(try await bench.status(token).code == "not_authenticated")
        }
    }

    @Test func `An entry that ends in a question mark and an asterisk takes any query`() async throws {
        try await GatewayBench.spread { bench in
            let token = try await bench.register()
            let login = try await bench.begin(token, returnTo: "https://app.example.com/any?a=b")
            let answer = try await Browser(of: bench).open(try bench.logIn(at: login))
            #expect(answer["Location"]?.hasPrefix("https://app.example.com/any?a=b&returned=") == true)
        }
    }

    @Test func `A provider that the app does not have is refused without a call`() async throws {
        try await GatewayBench.spread(["broker.apps.tv.providers": "SampleFiber,SampleCable"]) { bench in
            let token = try await bench.register()
            let answer = try await bench.ask(
                "POST", "/v1/authentication", #"{"mvpd":"TempPass","returnTo":"myapp://done"}"#, token: token)
            #expect(answer.code == "unknown_provider" && answer.object["action"] as? String == "choose_provider")
            #expect(bench.brokerCalls.isEmpty)
        }
    }

    @Test func `Temporary access needs no browser, promotional access an identity`() async throws {
        try await GatewayBench.spread(["broker.apps.tv.promotionalProviders": "PromoPass"]) { bench in
            let token = try await bench.register()
            _ = try await bench.ask("POST", "/v1/authentication", "{}", token: token)
            let trial = try await bench.ask("POST", "/v1/authentication", #"{"mvpd":"TempPass"}"#, token: token)
            #expect(trial.code == "authenticated" && trial.object["mvpd"] as? String == "TempPass", "\(trial.text)")
            let other = try await bench.register()
            let asked = try await bench.ask("POST", "/v1/authentication", #"{"mvpd":"PromoPass"}"#, token: other)
            #expect(asked.code == "identity" && asked.object["mvpd"] as? String == "PromoPass", "\(asked.text)")
            let given = try await bench.ask(
                "POST", "/v1/authentication", #"{"mvpd":"PromoPass","identity":"user@example.org"}"#, token: other)
            #expect(given.code == "authenticated", "\(given.text)")
            #expect(try await bench.status(other).object["mvpd"] as? String == "PromoPass")
        }
    }

    @Test func `Forced: the provider's own session ends first, then the sign-in begins`() async throws {
        try await GatewayBench.spread { bench in
            let (token, browser) = (try await bench.register(), Browser(of: bench))
            try await bench.signIn(token)
            let forced = #"{"mvpd":"SampleCable","returnTo":"myapp://done","force":true,"secondScreen":false}"#
            let first = try await bench.ask("POST", "/v1/authentication", forced, token: token)
            #expect(first.code == "open" && first.object["purpose"] as? String == "logout", "\(first.text)")
            try await bench.expectNothing(with: token, "after the logout")
            let target = try #require(first.object["url"] as? String)
            let back = try #require(target.split(separator: "redirectUrl=").last).removingPercentEncoding ?? ""
            #expect(try await browser.open(back)["Location"] == "myapp://done")
            try await bench.signIn(token)
            try await bench.expectSignedIn(token)
            // A provider without a logout page is left at once.
            let other = try await bench.register()
            try await bench.signIn(other, mvpd: "SampleFiber")
            let second = try await bench.ask(
                "POST", "/v1/authentication", forced.replacing("SampleCable", with: "SampleFiber"), token: other)
            #expect(second.code == "open" && second.object["purpose"] as? String == "login", "\(second.text)")
        }
    }

    @Test func `An address that no sign-in has is answered with a page, and with no other method`() async throws {
        try await GatewayBench.spread { bench in
            let token = try await bench.register()
            let back = try bench.logIn(at: try await bench.begin(token))
            for state in ["x", "AAAAAAAAAAAAAAAAAAAAAA", "..%2F..%2Fetc", String(repeating: "A", count: 3000)] {
                let answer = try await Browser(of: bench).open("/v1/return/\(state)")
                #expect(answer.status == 404 && answer.text.contains("This sign-in is over"), "\(state)")
                #expect(answer["Content-Security-Policy"]?.contains("frame-ancestors 'none'") == true)
            }
            let target = String(back.dropFirst(GatewayBench.publicURL.count))
            for method in ["HEAD", "POST", "PUT"] {
                let answer = try await bench.ask(method, target)
                #expect(answer.status == 405, "\(method)")
            }
            // None of them counted as the browser's return.
            _ = try bench.code(handedOverBy: try await Browser(of: bench).open(back))
        }
    }

    @Test func `The broker is down when the browser comes back: the app is told once it is there again`() async throws {
        // Else eight seconds without a profile would be the end of the sign-in.
        try await GatewayBench.spread(time: ShiftedTime(standing: true)) { bench in
            let token = try await bench.register()
            let back = try bench.logIn(at: try await bench.begin(token))
            bench.simulator.activate(
                ActiveScenario("away", .network(.dropAnswer), endpoints: [.profileByCode], remaining: 1))
            let code = try bench.code(handedOverBy: try await Browser(of: bench).open(back))
            let proved = try await bench.prove(token, code)
            #expect(proved.code == "pending" || proved.code == "authenticated", "\(proved.text)")
            try await bench.service.until { _ in try await bench.status(token, wait: 1).code == "authenticated" }
        }
    }
}
#endif
