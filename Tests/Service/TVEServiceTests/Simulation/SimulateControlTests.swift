#if Service
import Foundation
import Testing

/// The control calls of `tve simulate`, over HTTP.
@Suite struct SimulateControlTests {
    @Test(arguments: [
        "evil.example", "evil.example:8090", "localhost.evil.example", "127.0.0.1.evil.example", "192.168.1.5", "",
    ])
    func `A name that is not this machine reaches neither control calls nor pages`(host: String) async throws {
        let run = try await SimulateProcess(["--state", "-"])
        for path in [
            "/", "/sim/state", "/sim/requests", "/sim/login?code=ABCDEFG", "/sim/activate", "/sim/keys/media.pem",
        ] {
            let answer = try await run.ask("GET", path, host: host)
            #expect(answer.status == 403 || host.isEmpty && answer.status == 400, "\(path)")
            #expect(!answer.text.contains("REF30"))
        }
        // The broker itself is called by whatever name clients know.
        #expect(try await run.ask("GET", "/api/v2/REF30/configuration", host: "broker.test").status == 401)
    }

    @Test(arguments: ["http://evil.example", "null", "http://127.0.0.1:1", "https://localhost"])
    func `A page of another origin changes nothing`(origin: String) async throws {
        let run = try await SimulateProcess(["--state", "-"])
        let fields = ["Origin: \(origin)"]
        #expect(try await run.ask("POST", "/sim/clock", fields, json: #"{"advance":1000}"#).code == "foreign_origin")
        #expect(try await run.ask("POST", "/sim/reset", fields, json: "{}").status == 403)
        #expect(try await run.ask("POST", "/", fields, form: "action=reset").status == 403)
        #expect(try await run.ask("GET", "/sim/clock").object["offset"] as? Int == 0)
        let own = ["Origin: http://127.0.0.1:\(run.port)"]
        #expect(try await run.ask("POST", "/sim/clock", own, json: #"{"advance":1000}"#).status == 200)
    }

    @Test func `With listen-anywhere only the pages of a sign-in answer to addresses`() async throws {
        let run = try await SimulateProcess(["--state", "-", "--listen-anywhere"])
        #expect(run.url == "http://localhost:\(run.port)")
        #expect(try await run.ask("GET", "/sim/activate", host: "192.168.1.5:\(run.port)").status == 200)
        #expect(try await run.ask("GET", "/sim/activate", host: "evil.example").status == 403)
        #expect(try await run.ask("GET", "/sim/state", host: "192.168.1.5:\(run.port)").status == 403)
        let overview = try await run.ask("GET", "/")
        #expect(overview.status == 200 && overview.text.contains("Other machines can reach this simulator"))
    }

    @Test func `The world is read, replaced and begun anew`() async throws {
        let run = try await SimulateProcess(["--state", "-"])
        let before = try await run.ask("GET", "/sim/state")
        #expect(before["X-Simulated"] == "true" && before["Content-Type"] == "application/json")
        let changed = before.text.replacing("Reference Brand", with: "Another Brand")
        #expect(try await run.ask("PUT", "/sim/state", json: changed).status == 200)
        #expect(try await run.ask("GET", "/sim/state").text == changed)
        let device = try await run.device()
        #expect(try await device.profiles().isEmpty)
        #expect(try await run.ask("POST", "/sim/reset", json: #"{"world":\#(before.text)}"#).status == 204)
        #expect(try await run.ask("GET", "/sim/state").text == before.text)
        #expect(try await run.ask("GET", "/api/v2/REF30/profiles", device.fields).status == 401)
        for bad in ["", "{", "[]", #"{"requestors":[{"id":"A","mvpds":["missing"]}]}"#, #"{"unknown":1}"#] {
            let answer = try await run.ask("PUT", "/sim/state", json: bad)
            #expect(answer.status == 400 && answer.code != nil, "\(bad)")
        }
        #expect(try await run.ask("PUT", "/sim/state", form: "a=b").status == 415)
        #expect(try await run.ask("GET", "/sim/state").text == before.text)
    }

    @Test func `The clock is set, moved, stopped and let go`() async throws {
        let run = try await SimulateProcess(["--state", "-"])
        let set = try await run.ask(
            "POST", "/sim/clock", json: #"{"set":"2031-05-06T07:08:09Z","freeze":true,"advance":60000}"#)
        #expect(set.object["isFrozen"] as? Bool == true)
        let frozen = try #require(set.object["time"] as? Int64)
        // All is done in the order of the documentation: set, advance, freeze.
        #expect((1_935_817_749_000..<1_935_817_779_000).contains(frozen))
        #expect(try await run.ask("GET", "/sim/clock").object["time"] as? Int64 == frozen)
        let device = try await run.device()
        let session = try await device.session()
        #expect(session["notBefore"] as? String == "\(frozen)" || session["notBefore"] as? Int64 == frozen)
        let freed = try await run.ask("POST", "/sim/clock", json: #"{"offset":0,"freeze":false}"#)
        #expect(freed.object["isFrozen"] as? Bool == false)
        for bad in [#"{"set":"noon"}"#, #"{"set":true}"#, #"{"advance":9223372036854775807}"#, #"{"freeze":1}"#, "{}x"]
        {
            #expect(try await run.ask("POST", "/sim/clock", json: bad).code == "bad_request", "\(bad)")
        }
    }

    @Test func `Scenarios, the limit of requests, expiry and revocation`() async throws {
        let run = try await SimulateProcess(["--state", "-"])
        let device = try await run.device()
        let scenario = #"{"scenario":"error:internal_server_error","endpoints":["profiles"],"remaining":1}"#
        #expect(try await run.ask("PUT", "/sim/scenarios/a%20b", json: scenario).status == 200)
        #expect(try await run.ask("GET", "/sim/scenarios").text.contains(#""id":"a b""#))
        #expect(try await run.ask("GET", "/api/v2/REF30/profiles", device.fields).status == 500)
        #expect(try await run.ask("GET", "/api/v2/REF30/profiles", device.fields).status == 200)
        #expect(try await run.ask("DELETE", "/sim/scenarios/a%20b").status == 404)
        #expect(try await run.ask("PUT", "/sim/scenarios/x", json: #"{"scenario":"nonsense"}"#).status == 400)
        #expect(
            try await run.ask("PUT", "/sim/scenarios/x", json: #"{"scenario":"status:503","endpoints":["no"]}"#).status
                == 400)
        #expect(try await run.ask("PUT", "/sim/scenarios/x", json: #"{"scenario":"status:503"}"#).status == 200)
        #expect(try await run.ask("DELETE", "/sim/scenarios/x").status == 204)

        #expect(try await run.ask("PUT", "/sim/throttle", json: #"{"mode":"always","retryAfter":7}"#).status == 200)
        let limited = try await run.ask("GET", "/api/v2/REF30/profiles", device.fields)
        #expect(limited.status == 429 && limited["Retry-After"] == "7")
        #expect(try await run.ask("PUT", "/sim/throttle", json: #"{"mode":"off"}"#).status == 200)
        #expect(try await run.ask("PUT", "/sim/throttle", json: #"{"mode":"1:x"}"#).status == 400)

        #expect(try await run.ask("POST", "/sim/expire", json: #"{"what":"access-tokens"}"#).status == 204)
        #expect(try await run.ask("GET", "/api/v2/REF30/profiles", device.fields).status == 401)
        #expect(try await run.ask("POST", "/sim/expire", json: #"{"what":"all"}"#).status == 400)
        #expect(try await run.ask("POST", "/sim/revoke", json: #"{"client":"\#(device.client)"}"#).status == 204)
        #expect(try await run.ask("POST", "/sim/revoke", json: #"{"client":"nobody"}"#).status == 404)
        #expect(try await run.ask("POST", "/sim/revoke", json: "{}").status == 400)
    }

    @Test func `Profiles without a browser, media tokens on demand, and the device's platform`() async throws {
        let run = try await SimulateProcess(["--state", "-"])
        let device = try await run.device("tv-7")
        let grant = #"{"mvpd":"SampleCable","client":"\#(device.client)","device":"tv-7","user":"ok"}"#
        #expect(try await run.ask("POST", "/sim/profiles", json: grant).status == 204)
        #expect(try await device.profiles().keys.sorted() == ["SampleCable"])
        #expect(try await run.ask("POST", "/sim/profiles", json: grant.replacing("ok", with: "ghost")).status == 404)
        #expect(try await run.ask("POST", "/sim/profiles", json: "{}").code == "bad_request")

        let order = #"{"requestor":"REF30","resource":"live","mvpd":"SampleCable","defect":"expired"}"#
        let minted = try await run.ask("POST", "/sim/media-tokens", json: order)
        #expect(minted.status == 201 && minted.object["expectedStatus"] as? String == "TOKEN_EXPIRED")
        #expect(
            try await run.ask("POST", "/sim/media-tokens", json: order.replacing("live\",", with: "")).status == 400)

        let asked = try await run.ask(
            "POST", "/sim/partner", json: #"{"mappingId":"sample-satellite","permission":"granted"}"#)
        let status = try #require(asked.object["status"] as? String)
        let partner = device.fields + ["AP-Partner-Framework-Status: \(status)"]
        let session = try await run.ask(
            "POST", "/api/v2/REF30/sessions/sso/Apple", partner,
            form: "domainName=example.com&redirectUrl=https%3A%2F%2Fexample.com%2F")
        let request = (session.object["authenticationRequest"] as? [String: Any])?["request"] as? String
        let answered = try await run.ask(
            "POST", "/sim/partner",
            json: #"{"mappingId":"sample-satellite","verificationToken":"\#(try #require(request))"}"#)
        let saml = try #require(answered.object["samlResponse"] as? String)
        var plain = CharacterSet.alphanumerics
        plain.insert(charactersIn: "-._~")
        let form = "SAMLResponse=\(saml.addingPercentEncoding(withAllowedCharacters: plain) ?? "")"
        let profile = try await run.ask("POST", "/api/v2/REF30/profiles/sso/Apple", partner, form: form)
        #expect(profile.status == 201 && profile.text.contains("SampleSatellite"))
        #expect(
            try await run.ask(
                "POST", "/sim/partner", json: #"{"mappingId":"x","verificationToken":"nonsense"}"#
            ).status == 400)
    }

    @Test func `What the viewer did with the device's picker can be told apart`() async throws {
        let run = try await SimulateProcess(["--state", "-"])
        for choice in ["granted", "denied", "undetermined", "other", "cancel", "unsupported", "expired"] {
            let answer = try await run.ask(
                "POST", "/sim/partner", json: #"{"mappingId":"sample-wireless","permission":"\#(choice)"}"#)
            #expect(answer.object["outcome"] as? String == choice)
            // An unsupported provider is handed on by the device, so that the viewer need not pick it again.
            #expect(answer.object["mappingId"] as? String == (choice == "unsupported" ? "sample-wireless" : nil))
        }
        let unknown = try await run.ask(
            "POST", "/sim/partner", json: #"{"mappingId":"sample-wireless","permission":"cancelled"}"#)
        #expect(unknown.status == 400)
        let unspoken = try await run.ask("POST", "/sim/partner", json: #"{"mappingId":"sample-satellite"}"#)
        #expect(unspoken.object["outcome"] as? String == "granted")
    }

    @Test func `Both keys are published in certificates that say whose they are`() async throws {
        let run = try await SimulateProcess(["--state", "-"])
        for name in ["media", "access"] {
            let pem = try await run.ask("GET", "/sim/keys/\(name).pem").text
            #expect(pem.hasPrefix("-----BEGIN CERTIFICATE-----"), "\(name)")
        }
    }

    @Test func `A long body and a broken certificate are the caller's fault`() async throws {
        let run = try await SimulateProcess(["--state", "-"])
        let long = try await run.ask("POST", "/sim/login", form: String(repeating: "a", count: 300_000))
        #expect(long.status == 413 && long["X-Simulated"] == "true")
        let world = #"{"requestors":[{"id":"A","metadataCertificate":"x"}]}"#
        let broken = try await run.ask("PUT", "/sim/state", json: world)
        #expect(broken.status == 400 && broken.code == "world")
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/9.9\r\nHost: localhost\r\n\r\n", "nonsense\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    ])
    func `What is no request gets a marked answer, too`(request: String) async throws {
        let run = try await SimulateProcess(["--state", "-"])
        let answers = Answer.all(in: try await RawConnection.exchange(run.port, Array(request.utf8)))
        #expect(answers.map(\.status) == [400])
        #expect(answers.first?.values(of: "X-Simulated") == ["true"])
    }

    @Test func `A refusal of HEAD has no body`() async throws {
        let run = try await SimulateProcess(["--state", "-"])
        #expect(try await RawConnection.statusOfHeadAndGet("/sim/nothing", at: run.port) == 404)
    }

    @Test func `Connections break as a scenario says`() async throws {
        let run = try await SimulateProcess(["--state", "-"])
        let device = try await run.device()
        let path = "/api/v2/REF30/configuration"
        let lines = ["GET \(path) HTTP/1.1", "Host: 127.0.0.1:\(run.port)", "Connection: close"] + device.fields
        let request = Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
        for fault in ["drop-request", "drop-answer", "reset-after-head"] {
            let scenario = #"{"scenario":"network:\#(fault)","endpoints":["configuration"],"remaining":1}"#
            #expect(try await run.ask("PUT", "/sim/scenarios/broken", json: scenario).status == 200)
            let received = try await RawConnection.exchange(run.port, request)
            #expect(Answer.all(in: received).isEmpty, "\(fault)")
            let text = String(decoding: received, as: UTF8.self)
            if fault == "reset-after-head" {
                #expect(text.hasPrefix("HTTP/1.1 200 ") && text.hasSuffix("\r\n\r\n"))
            } else {
                #expect(received.isEmpty, "\(fault)")
            }
            let whole = try await run.ask("GET", path, device.fields)
            #expect(whole.status == 200 && whole.values(of: "X-Simulated") == ["true"])
        }
    }

    @Test func `A device without X-Forwarded-For has the address of its connection`() async throws {
        let run = try await SimulateProcess(["--state", "-"])
        let device = try await run.device()
        for (field, address) in [([], "127.0.0.1"), (["X-Forwarded-For: 192.0.2.7"], "192.0.2.7")] {
            let form = "mvpd=SampleCable&domainName=example.com&redirectUrl=https%3A%2F%2Fexample.com%2F"
            let session = try await run.ask("POST", "/api/v2/REF30/sessions", device.fields + field, form: form)
            let code = try #require(session.object["code"] as? String)
            let status = try await run.ask("GET", "/api/v2/REF30/sessions/\(code)", device.fields)
            #expect(status.text.contains(#""\#(address)""#))
        }
    }

    @Test(arguments: ["2001-02-03T04:05:06Z", "2199-01-01T00:00:00Z"])
    func `Applications register in any year`(clock: String) async throws {
        let run = try await SimulateProcess(["--state", "-", "--clock", clock])
        #expect(try await run.device().profiles().isEmpty)
    }

    @Test func `The journal has no secrets, and paths and methods that do not exist are refused`() async throws {
        let run = try await SimulateProcess(["--state", "-"])
        let device = try await run.device("secret-device-name")
        _ = try await device.session()
        let journal = try await run.ask("GET", "/sim/requests")
        #expect(journal.text.contains(#""endpoint":"start_session""#))
        let requests = try #require(journal.object["requests"] as? [[String: Any]])
        let fields = try #require(requests.last?["fields"] as? [String])
        #expect(fields.contains { $0.lowercased() == "ap-device-identifier" } && fields == fields.sorted())
        #expect(requests.last?["mvpd"] as? String == "SampleCable")
        for secret in device.fields + [device.client, "secret-device-name"] {
            #expect(!journal.text.contains(secret.split(separator: " ").last ?? ""))
        }
        #expect(try await run.ask("DELETE", "/sim/requests").status == 204)
        #expect(try await run.ask("GET", "/sim/requests").text == "{\"requests\":[]}\n")
        #expect(try await run.ask("GET", "/sim/nothing").code == "not_found")
        #expect(try await run.ask("GET", "/sim").code == "not_found")
        let wrong = try await run.ask("POST", "/sim/state", json: "{}")
        #expect(wrong.status == 405 && wrong["Allow"] == "GET, PUT")
        let statement = try await run.ask("GET", "/sim/software-statement?requestor=REF30").text
        #expect(statement == run.banner["softwareStatement"].map { $0 + "\n" })
        let resets = try await run.ask("GET", "/sim/software-statement?requestor=REF30&scope=temporary:passes:owner")
        #expect(resets.status == 200 && resets.text != statement)
        for query in ["requestor=NONE", "requestor=REF30&scope=none", "requestor=REF40&scope=temporary:passes:owner"] {
            #expect(try await run.ask("GET", "/sim/software-statement?\(query)").status == 404)
        }
        let keys = try await run.ask("GET", "/sim/jwks.json").object["keys"] as? [[String: Any]]
        #expect(keys?.count == 2 && keys?.allSatisfy { $0["e"] as? String == "AQAB" } == true)
    }
}
#endif
