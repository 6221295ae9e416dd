#if Service
import Foundation
import Testing

/// The pages of `tve simulate`, as a browser without scripts uses them.
@Suite struct SimulatePagesTests {
    @Test func `A viewer signs in with the form`() async throws {
        let run = try await SimulateProcess(["--state", "-"])
        let device = try await run.device()
        let session = try await device.session()
        let code = try #require(session["code"] as? String)
        let opened = try await run.ask("GET", try #require(session["url"] as? String))
        #expect(opened.status == 302 && opened["Location"] == "/sim/login?code=\(code)")
        let page = try await run.ask("GET", "/sim/login?code=\(code)")
        #expect(
            page.status == 200 && page.text.contains("Sign in to Sample Cable") && page.text.contains("value=\"ok\""))
        #expect(
            page["Content-Security-Policy"]?.contains("default-src 'none'") == true && !page.text.contains("<script"))
        #expect(try await device.profiles().isEmpty)

        let wrong = try await run.ask("POST", "/sim/login", form: "code=\(code)&password=wrong")
        #expect(wrong.status == 200 && wrong.text.contains("role=\"alert\""))
        #expect(try await run.ask("POST", "/sim/login", form: "code=\(code)&user=ghost").status == 400)
        #expect(try await run.ask("POST", "/sim/login", form: "code=\(code)").status == 400)
        #expect(try await device.profiles().isEmpty)

        let done = try await run.ask("POST", "/sim/login", form: "code=\(code)&user=ok")
        #expect(done.status == 302 && done["Location"] == "https://example.com/")
        #expect(try await device.profiles().count == 1)
        // A code is used once.
        #expect(try await run.ask("GET", "/sim/login?code=\(code)").status == 400)
        #expect(try await run.ask("POST", "/sim/login", form: "code=\(code)&user=ok").status == 400)
    }

    @Test func `A viewer who cancels goes back, and has no profile`() async throws {
        let run = try await SimulateProcess(["--state", "-"])
        let device = try await run.device()
        let code = try #require(try await device.session()["code"] as? String)
        let cancelled = try await run.ask("POST", "/sim/login", form: "code=\(code)&cancel=1")
        #expect(cancelled.status == 302 && cancelled["Location"] == "https://example.com/")
        #expect(try await device.profiles().isEmpty)
    }

    @Test func `A second screen fills in what the TV left open`() async throws {
        let run = try await SimulateProcess(["--state", "-"])
        let device = try await run.device()
        let session = try await device.session("domainName=example.com")
        let code = try #require(session["code"] as? String)
        #expect(session["url"] == nil)
        #expect(try await run.ask("GET", "/sim/activate").text.contains("The code on your TV"))
        #expect(try await run.ask("GET", "/sim/activate?code=NOPE123").status == 400)
        let page = try await run.ask("GET", "/sim/activate?code=\(code.lowercased())")
        #expect(page.status == 200 && page.text.contains("value=\"SampleFiber\"") && !page.text.contains("TempPass"))
        #expect(try await run.ask("POST", "/sim/activate", form: "code=\(code)").status == 400)
        #expect(try await run.ask("POST", "/sim/activate", form: "code=\(code)&mvpd=TempPass").status == 400)
        let picked = try await run.ask("POST", "/sim/activate", form: "code=\(code)&mvpd=SampleFiber")
        #expect(picked["Location"] == "/api/v2/authenticate/REF30/\(code)")
        #expect(try await run.ask("GET", try #require(picked["Location"])).status == 302)
        let done = try await run.ask("POST", "/sim/login", form: "code=\(code)&user=ok")
        let end = try #require(done["Location"])
        #expect(end == "\(run.url)/sim/activate?done=1")
        #expect(try await run.ask("GET", "/sim/activate?done=1").text.contains("Go back to your device"))
        #expect(try await device.profiles().keys.sorted() == ["SampleFiber"])
    }

    @Test func `A telephone comes back to the address by which it knows this machine`() async throws {
        let run = try await SimulateProcess(["--state", "-", "--listen-anywhere"])
        let device = try await run.device()
        let code = try #require(try await device.session("domainName=example.com")["code"] as? String)
        let host = "192.168.1.5:\(run.port)"
        let form = "code=\(code)&mvpd=SampleFiber"
        let activation = try await run.ask("GET", "/sim/activate?code=\(code)", host: host)
        #expect(try await run.ask("POST", "/sim/activate", form: form, host: host).status == 302)
        let login = try await run.ask("GET", "/sim/login?code=\(code)", host: host)
        for page in [activation, login, try await run.ask("GET", "/sim/login?code=NOPE123", host: host)] {
            #expect(page.text.contains("Other machines can reach this simulator"), "\(page.status)")
        }
        let done = try await run.ask("POST", "/sim/login", form: "code=\(code)&user=ok", host: host)
        #expect(done["Location"] == "http://\(host)/sim/activate?done=1")
    }

    @Test(arguments: ["form", "auto"])
    func `The page of a logout leads back, and with the automatic login at once`(login: String) async throws {
        let run = try await SimulateProcess(["--state", "-", "--login", login])
        let back = "?redirectUrl=https%3A%2F%2Fapp.example.com%2Fdone%3Fa%3D1%26b%3D2"
        let page = try await run.ask("GET", "/sim/logout\(back)")
        if login == "auto" {
            #expect(page.status == 302 && page["Location"] == "https://app.example.com/done?a=1&b=2")
        } else {
            #expect(page.status == 200 && page.text.contains("You are signed out"))
            #expect(page.text.contains(#"<a href="https://app.example.com/done?a=1&amp;b=2">"#))
        }
        // Without an address there is nothing to go back to, and foreign ones are refused.
        let plain = try await run.ask("GET", "/sim/logout")
        #expect(plain.status == 200 && plain.text.contains("You are signed out") && !plain.text.contains("<a "))
        for query in ["?redirectUrl=https%3A%2F%2Fexample.net%2F", "?redirectUrl=javascript%3A%2F%2Fexample.com%2F"] {
            #expect(try await run.ask("GET", "/sim/logout\(query)").status == 400)
        }
        #expect(try await run.ask("POST", "/sim/logout", form: "a=b").status == 405)
        #expect(try await run.ask("GET", "/sim/logout", host: "evil.example").status == 403)
    }

    @Test func `Everything on a page is escaped`() async throws {
        let run = try await SimulateProcess(["--state", "-"])
        let evil = #"<script>alert(1)<\/script>\"'&"#
        let world = try await run.ask("GET", "/sim/state").text
            .replacing("Reference Brand", with: evil).replacing("Sample Cable", with: evil)
            .replacing(#""name":"ok""#, with: #""name":"\#(evil)""#)
        #expect(try await run.ask("PUT", "/sim/state", json: world).status == 200)
        let device = try await run.device()
        let code = try #require(try await device.session()["code"] as? String)
        for path in ["/", "/sim/login?code=\(code)", "/sim/activate?code=\(code)", "/sim/activate?code=%3Cscript%3E"] {
            let page = try await run.ask("GET", path)
            #expect(!page.text.contains("<script") && page.text.contains("&lt;script&gt;"), "\(path)")
        }
    }

    @Test func `The overview shows codes and sign-ins`() async throws {
        let run = try await SimulateProcess(["--state", "-"])
        #expect(try await run.ask("GET", "/").text.contains("No code is in use."))
        #expect(try await run.ask("GET", "/").text.contains("Nobody is signed in."))
        let device = try await run.device("tv <7>")
        let waiting = try #require(try await device.session()["code"] as? String)
        let open = try #require(try await device.session("domainName=example.com")["code"] as? String)
        let before = try await run.ask("GET", "/").text
        #expect(before.contains("<code>\(waiting)</code>") && before.contains("<code>\(open)</code>"))
        #expect(before.contains("waits for the login") && before.contains("lacks mvpd, redirectUrl"))
        #expect(try await run.ask("POST", "/sim/login", form: "code=\(waiting)&user=ok").status == 302)
        let after = try await run.ask("GET", "/").text
        #expect(after.contains("<td>used</td>") && after.contains("<td>tv &lt;7&gt;</td>"))
        #expect(after.contains(device.client) && !after.contains("Nobody is signed in."))
        for secret in device.fields { #expect(!after.contains(secret.split(separator: " ").last ?? "")) }
    }

    @Test func `The overview shows what to copy, and its buttons need their secret`() async throws {
        let run = try await SimulateProcess(["--state", "-"])
        let device = try await run.device()
        _ = try await device.session()
        let page = try await run.ask("GET", "/")
        for wanted in [run.url, run.banner["softwareStatement"] ?? "none", "sim:deny", "start_session", "encrypted"] {
            #expect(page.text.contains(wanted), "\(wanted)")
        }
        for secret in device.fields { #expect(!page.text.contains(secret.split(separator: " ").last ?? "")) }
        let token = try #require(page.text.firstMatch(of: /name="token" value="([0-9a-f]{64})"/)?.1)

        #expect(try await run.ask("POST", "/", form: "action=advance&minutes=60").status == 403)
        #expect(
            try await run.ask("POST", "/", form: "token=\(String(repeating: "0", count: 64))&action=reset").status
                == 403)
        func press(_ fields: String) async throws -> String? {
            let answer = try await run.ask("POST", "/", form: "token=\(token)&\(fields)")
            return answer.status == 303 ? answer["Location"] : nil
        }
        #expect(try await press("action=advance&minutes=60") == "/?said=done")
        #expect(try await run.ask("GET", "/sim/clock").object["offset"] as? Int == 3_600_000)
        #expect(try await press("action=activate&scenario=status%3A502&endpoint=profiles&remaining=") == "/?said=done")
        #expect(try await run.ask("GET", "/api/v2/REF30/profiles", device.fields).status == 502)
        #expect(try await press("action=deactivate&id=status%3A502") == "/?said=done")
        #expect(try await press("action=deactivate&id=status%3A502") == "/?said=refused")
        #expect(try await press("action=expire&what=access-tokens") == "/?said=done")
        #expect(try await press("action=throttle&mode=always") == "/?said=done")
        #expect(try await run.ask("GET", "/api/v2/REF30/profiles", device.fields).status == 429)
        #expect(try await press("action=freeze") == "/?said=done")
        #expect(try await run.ask("GET", "/").text.contains("the clock stands still"))
        #expect(try await press("action=run") == "/?said=done")
        #expect(try await press("action=clear") == "/?said=done")
        #expect(try await press("action=reset") == "/?said=done")
        #expect(try await press("action=nothing") == "/?said=refused")
        #expect(try await run.ask("GET", "/sim/throttle").object["mode"] as? String == "off")
    }
}
#endif
