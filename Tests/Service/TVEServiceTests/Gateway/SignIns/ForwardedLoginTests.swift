#if Service
import BrokerClient
import BrokerMessages
import BrokerSimulation
import EntitlementFlows
import EntitlementValues
import Foundation
import HTTPTypes
import RecordChecks
import TVEService
import Testing
import TestVectors

/// The attacks by which a user who opens the address of somebody else's sign-in would sign in that device.
///
/// In all of them the attacker has a device of the app, begins a sign-in, and gets a victim to open the address of the
/// provider's login and to sign in there.
@Suite struct ForwardedLoginTests {
    @Test func `The attacker polls`() async throws {
        try await GatewayBench.spread { bench in
            let attacker = try await bench.register()
            let login = try await bench.begin(attacker)
            async let poll = bench.status(attacker, wait: 3)
            let back = try bench.logIn(at: login)
            let victim = Browser(of: bench)
            // The victim's browser is sent to the app with a code that is of use to the attacker's device alone.
            let code = try bench.code(handedOverBy: try await victim.open(back))
            #expect(try await poll.code == "pending")
            try await bench.expectNothing(with: attacker, "while the sign-in waits for its proof")
            let other = try await bench.register()
            let wrong = try await bench.prove(other, code)
            #expect(wrong.status == 403 && wrong.code == "return_not_proved")
            #expect(wrong.object["action"] as? String == "sign_in")
            try await bench.expectNothing(with: other, "the device that the victim's app is on")
        }
    }

    @Test func `The attacker gives the sign-in up, and asks for the profile and for a play later`() async throws {
        try await GatewayBench.spread { bench in
            let attacker = try await bench.register()
            let login = try await bench.begin(attacker)
            #expect(try await bench.ask("DELETE", "/v1/authentication", token: attacker).code == "cancelled")
            let back = try bench.logIn(at: login)
            #expect(bench.profileCount == 1)
            try await bench.expectNothing(with: attacker, "after the cancel")
            let answer = try await Browser(of: bench).open(back)
            #expect(answer.status == 410 && answer["Location"] == nil)
            #expect(bench.profileCount == 0, "the victim is logged out at the broker")
            try await bench.expectNothing(with: attacker, "after the victim's return")
        }
    }

    @Test(arguments: ["SampleCable", "SampleFiber"])
    func `The attacker begins a new sign-in, which the broker would answer with the victim's profile`(mvpd: String)
        async throws
    {
        try await GatewayBench.spread { bench in
            let attacker = try await bench.register()
            let login = try await bench.begin(attacker)
            let back = try bench.logIn(at: login)
            let again = try await bench.begin(attacker, mvpd: mvpd)
            #expect(try bench.code(of: again) != bench.code(of: login))
            try await bench.expectNothing(with: attacker, "after a new sign-in")
            #expect(try await Browser(of: bench).open(back).status == 410)
            try await bench.expectNothing(with: attacker, "after the victim's return to the old sign-in")
            // The user of the device can still sign in.
            let own = try bench.logIn(at: again, as: "nozip")
            let code = try bench.code(handedOverBy: try await Browser(of: bench).open(own))
            #expect(try await bench.prove(attacker, code).code == "authenticated")
            try await bench.expectSignedIn(attacker)
        }
    }

    @Test func `The attacker asks another replica`() async throws {
        try await GatewayBench.withReplicas { replicas in
            let attacker = try await replicas.first.register()
            let login = try await replicas.first.begin(attacker)
            let back = try replicas.first.logIn(at: login)
            try await replicas.second.expectNothing(with: attacker, "before the return")
            let code = try replicas.first.code(handedOverBy: try await Browser(of: replicas.first).open(back))
            try await replicas.second.expectNothing(with: attacker, "after the return")
            let begun = try await replicas.second.begin(attacker)
            #expect(!begun.isEmpty)
            #expect(try await replicas.second.prove(attacker, code).status == 403)
            try await replicas.first.expectNothing(with: attacker, "after a new sign-in at the other replica")
        }
    }

    @Test func `The attacker never calls again: what nobody proves is logged out within two minutes`() async throws {
        let time = ShiftedTime(movingWaits: true, standing: true)
        try await GatewayBench.spread(time: time) { bench in
            let attacker = try await bench.register()
            let back = try bench.logIn(at: try await bench.begin(attacker))
            let code = try bench.code(handedOverBy: try await Browser(of: bench).open(back))
            #expect(bench.profileCount == 1)
            time.advance(by: .seconds(119))
            for _ in 0..<20 { _ = try await bench.service.metrics() }
            #expect(bench.profileCount == 1, "the app may still prove it")
            time.advance(by: .seconds(2))
            try await eventually { bench.profileCount == 0 }
            #expect(try await bench.prove(attacker, code).status == 403)
            #expect(try await bench.status(attacker).object["reason"] as? String == "return_not_proved")
            try await bench.expectNothing(with: attacker, "after two minutes")
        }
    }

    /// A device that has cancelled a sign-in, in whose address a victim then signs in all the same.
    private func loginAfterCancel(at bench: GatewayBench) async throws -> String {
        let attacker = try await bench.register()
        let login = try await bench.begin(attacker)
        #expect(try await bench.ask("DELETE", "/v1/authentication", token: attacker).status == 200)
        _ = try bench.logIn(at: login)
        return attacker
    }

    @Test func `The browser never comes back: the victim is logged out when the code has ended`() async throws {
        let time = ShiftedTime(movingWaits: true, standing: true)
        try await GatewayBench.spread(time: time) { bench in
            let attacker = try await loginAfterCancel(at: bench)
            time.advance(by: .minutes(33))
            try await eventually { bench.profileCount == 0 }
            try await bench.expectNothing(with: attacker, "after half an hour")
        }
    }

    @Test func `Neither browser nor attacker comes back: the victim is logged out when the code has ended`()
        async throws
    {
        let time = ShiftedTime(movingWaits: true, standing: true)
        try await GatewayBench.spread(time: time) { bench in
            let attacker = try await bench.register()
            _ = try bench.logIn(at: try await bench.begin(attacker))
            #expect(bench.profileCount == 1)
            time.advance(by: .minutes(33))
            try await eventually { bench.profileCount == 0 }
            #expect(try await bench.status(attacker).object["reason"] as? String == "code_ended")
            try await bench.expectNothing(with: attacker, "after half an hour")
        }
    }

    @Test func `So is one who signs in with a code that ends, although another sign-in begins right after it`()
        async throws
    {
        let time = ShiftedTime(movingWaits: true, standing: true)
        try await GatewayBench.spread(time: time) { bench in
            let attacker = try await bench.register()
            _ = try bench.logIn(at: try await bench.begin(attacker))
            time.advance(by: .minutes(30))
            #expect(try await bench.status(attacker).object["reason"] as? String == "code_ended")
            _ = try await bench.begin(attacker)
            #expect(bench.profileCount == 1)
            time.advance(by: .minutes(3))
            try await eventually { bench.profileCount == 0 }
        }
    }

    @Test func `A provider that confirms no logout does not keep the user of another one signed in`() async throws {
        let time = ShiftedTime(movingWaits: true, standing: true)
        try await GatewayBench.spread(time: time) { bench in
            let attacker = try await bench.register()
            for mvpd in ["SampleFiber", "SampleCable"] {
                let login = try await bench.begin(attacker, mvpd: mvpd)
                #expect(try await bench.ask("DELETE", "/v1/authentication", token: attacker).status == 200)
                _ = try bench.logIn(at: login)
            }
            #expect(bench.profileCount == 2)
            bench.sent.onAnswer { path, answer in
                guard path.contains("/logout/SampleFiber") else { return answer }
                return HTTPAnswer(HTTPResponse(status: .serviceUnavailable), body: [])
            }
            time.advance(by: .minutes(33))
            try await eventually { bench.profileCount == 0 }
        }
    }

    /// Three looks that fail end the others.
    @Test(arguments: [true, false])
    func `A store that was away for long keeps no user signed in`(_ isReadable: Bool) async throws {
        let time = ShiftedTime(movingWaits: true, standing: true)
        try await GatewayBench.spread(time: time) { bench in
            _ = try await loginAfterCancel(at: bench)
            bench.store.setAway(reading: !isReadable, writing: true)
            let asked = { isReadable ? bench.store.writes : bench.store.reads }
            let before = asked()
            try await eventually {
                time.advance(by: .minutes(1))
                return asked() >= before + 8
            }
            #expect(isReadable || bench.profileCount == 1)
            bench.store.setAway(false)
            try await eventually {
                time.advance(by: .minutes(1))
                return try await bench.service.metrics().contains("tve_gateway_sign_in_tasks 0\n")
            }
            #expect(bench.profileCount == 0)
        }
    }

    @Test func `After a reload, too, what nobody proves is logged out`() async throws {
        let time = ShiftedTime(movingWaits: true, standing: true)
        try await GatewayBench.spread(time: time) { bench in
            let (proving, cancelled) = (try await bench.register(), try await bench.register())
            let back = try bench.logIn(at: try await bench.begin(proving))
            _ = try bench.code(handedOverBy: try await Browser(of: bench).open(back))
            let login = try await bench.begin(cancelled)
            #expect(try await bench.ask("DELETE", "/v1/authentication", token: cancelled).status == 200)
            _ = try bench.logIn(at: login)
            let old = try #require(bench.service.service.state.gateway?.apps["tv"]?.sessions)
            #expect(old.count > 0 && bench.profileCount == 2)
            await bench.service.service.reload()
            // The time that requests have to end with the old gateway.
            time.advance(by: .seconds(11))
            try await eventually { old.count == 0 }
            time.advance(by: .minutes(2))
            try await eventually { bench.profileCount == 1 }
            time.advance(by: .minutes(33))
            try await eventually { bench.profileCount == 0 }
        }
    }

    @Test func `A provider that is remembered is logged out like one that the app names`() async throws {
        var world = SimulatedWorld.sample
        world.lifetimes.profile = .hours(1)
        let settings = ["broker.apps.tv.remembersProvider": "true"]
        try await GatewayBench.spread(settings, world: world) { bench in
            let attacker = try await bench.register()
            try await bench.signIn(attacker)
            bench.time.advance(by: .hours(2))
            let open = try await bench.ask(
                "POST", "/v1/authentication", #"{"returnTo":"myapp://done","secondScreen":false}"#, token: attacker)
            #expect(open.code == "open", "\(open.text)")
            let back = try bench.logIn(at: try #require(open.object["url"] as? String))
            _ = try bench.code(handedOverBy: try await Browser(of: bench).open(back))
            #expect(bench.profileCount == 1)
            bench.time.advance(by: .minutes(2))
            #expect(try await bench.status(attacker).object["reason"] as? String == "return_not_proved")
            #expect(bench.profileCount == 0)
        }
    }

    @Test func `The attacker guesses the one-time code, and replays it`() async throws {
        try await GatewayBench.spread { bench in
            let device = try await bench.register()
            let back = try bench.logIn(at: try await bench.begin(device))
            let code = try bench.code(handedOverBy: try await Browser(of: bench).open(back))
            #expect(code.utf8.count == 22, "128 bits")
            for guess in [
                "", "a", String(code.dropLast()), code + "A", String(repeating: "A", count: 22), code.lowercased(),
            ]
            where guess != code {
                let answer = try await bench.prove(device, guess)
                #expect(answer.status == (guess.isEmpty ? 400 : 403), "\(guess)")
            }
            #expect(try await bench.prove(device, code).code == "authenticated")
            // The answer may have been lost, so the app may ask again; but not after a logout, and no other device may.
            #expect(try await bench.prove(device, code).code == "authenticated")
            #expect(try await bench.prove(try await bench.register(), code).status == 403)
            #expect(try await bench.ask("POST", "/v1/logout", "{}", token: device).status == 200)
            #expect(try await bench.prove(device, code).status == 403)
            try await bench.expectNothing(with: device, "after the logout")
        }
    }

    @Test func `A code is good for two minutes`() async throws {
        try await GatewayBench.spread { bench in
            let device = try await bench.register()
            let back = try bench.logIn(at: try await bench.begin(device))
            let code = try bench.code(handedOverBy: try await Browser(of: bench).open(back))
            bench.time.advance(by: .minutes(2))
            #expect(try await bench.prove(device, code).status == 403)
            #expect(bench.profileCount == 0 || bench.profileCount == 1)
            try await bench.expectNothing(with: device, "after two minutes")
            #expect(bench.profileCount == 0)
        }
    }

    @Test func `The attacker opens the return address of the victim's device, and the victim that of the attacker's`()
        async throws
    {
        try await GatewayBench.spread { bench in
            let (victim, attacker) = (try await bench.register(), try await bench.register())
            let (own, foreign) = (try await bench.begin(victim), try await bench.begin(attacker))
            let (back, other) = (try bench.logIn(at: own), try bench.logIn(at: foreign, as: "nozip"))
            #expect(back != other)
            let code = try bench.code(handedOverBy: try await Browser(of: bench).open(back))
            let otherCode = try bench.code(handedOverBy: try await Browser(of: bench).open(other))
            #expect(try await bench.prove(attacker, code).status == 403)
            #expect(try await bench.prove(victim, otherCode).status == 403)
            try await bench.expectNothing(with: attacker, "with the code of another device")
            #expect(try await bench.prove(victim, code).code == "authenticated")
            try await bench.expectSignedIn(victim)
        }
    }

    @Test func `The attacker comes back first, by a cancel at the provider, and the victim signs in after that`()
        async throws
    {
        let time = ShiftedTime(movingWaits: true, standing: true)
        try await GatewayBench.spread(time: time) { bench in
            let attacker = try await bench.register()
            let login = try await bench.begin(attacker)
            let back = try bench.simulator.cancelLogin(code: try bench.code(of: login))
            let code = try bench.code(handedOverBy: try await Browser(of: bench).open(back))
            #expect(try await bench.prove(attacker, code).code == "pending")
            time.advance(by: .seconds(9))
            #expect(try await bench.status(attacker).object["reason"] as? String == "not_signed_in")
            _ = try bench.logIn(at: login)
            try await bench.expectNothing(with: attacker, "after a return without a profile")
            #expect(try await Browser(of: bench).open(back).status == 410)
            #expect(bench.profileCount == 0)
        }
    }

    @Test func `Two browsers come back to the same address: the sign-in is void, also after its proof`() async throws {
        try await GatewayBench.spread { bench in
            let attacker = try await bench.register()
            let login = try await bench.begin(attacker)
            let back = try bench.logIn(at: login)
            // The attacker, who knows the address from a cancel, is faster than the victim's browser.
            let code = try bench.code(handedOverBy: try await Browser(of: bench).open(back))
            #expect(try await bench.prove(attacker, code).code == "authenticated")
            #expect(try await Browser(of: bench).open(back).status == 410)
            #expect(bench.profileCount == 0)
            try await bench.expectNothing(with: attacker, "after the victim's return")
        }
    }

    /// The victim's return has read the record; before it changes that, the attacker proves, and is signed in.
    @Test func `The attacker proves while the victim's return is on its way`() async throws {
        try await GatewayBench.spread { bench in
            let attacker = try await bench.register()
            let back = try bench.logIn(at: try await bench.begin(attacker))
            let code = try bench.code(handedOverBy: try await Browser(of: bench).open(back))
            bench.store.actOnce(.afterRead) {
                let proved = try? await bench.prove(attacker, code)
                #expect(proved?.code == "authenticated")
            }
            #expect(try await Browser(of: bench).open(back).status == 410)
            #expect(bench.profileCount == 0)
            try await bench.expectNothing(with: attacker, "after the victim's return")
        }
    }

    @Test func `An app that hands its code in twice at once is signed in by both`() async throws {
        try await GatewayBench.spread { bench in
            let device = try await bench.register()
            let back = try bench.logIn(at: try await bench.begin(device))
            let code = try bench.code(handedOverBy: try await Browser(of: bench).open(back))
            // The first read is that of the admission.
            bench.store.actOnce(.afterRead) {
                bench.store.actOnce(.afterRead) {
                    let other = try? await bench.prove(device, code)
                    #expect(other?.code == "authenticated")
                }
            }
            #expect(try await bench.prove(device, code).code == "authenticated")
            try await bench.expectSignedIn(device)
        }
    }

    /// The attacker comes back before the victim has signed in, and loads the page again as soon as the victim has.
    @Test func `The attacker reloads the return within the second in which a profile is held back`() async throws {
        try await GatewayBench.spread(time: ShiftedTime(standing: true)) { bench in
            let (attacker, browser) = (try await bench.register(), Browser(of: bench))
            let login = try await bench.begin(attacker)
            let back = try bench.simulator.cancelLogin(code: try bench.code(of: login))
            let code = try bench.code(handedOverBy: try await browser.open(back))
            #expect(try await bench.prove(attacker, code).code == "pending")
            _ = try bench.logIn(at: login)
            #expect(try await browser.open(back).status == 303)
            #expect(try await bench.status(attacker).code == "pending")
            #expect(try await Browser(of: bench).open(back).status == 410)
            #expect(bench.profileCount == 0)
            try await bench.expectNothing(with: attacker, "after the victim's return")
        }
    }

    @Test func `What the attacker plays until the victim is back is revoked`() async throws {
        try await GatewayBench.spread(["sessions.store": "memory:"]) { bench in
            let attacker = try await bench.register()
            let back = try bench.logIn(at: try await bench.begin(attacker))
            let code = try bench.code(handedOverBy: try await Browser(of: bench).open(back))
            #expect(try await bench.prove(attacker, code).code == "authenticated")
            let play = try await bench.play(token: attacker)
            let session = try #require(play.object["session"] as? String, "\(play.text)")
            let cookie = try #require(play["Set-Cookie"]?.split(separator: ";").first.map { "Cookie: \($0)" })
            let uri = "/live/TestChannel/1.ts"
            #expect(try await bench.service.authorize([cookie], uri: uri).status == 200)
            #expect(try await Browser(of: bench).open(back).status == 410)
            #expect(try await bench.service.authorize([cookie], uri: uri).status == 401)
            let renewed = try await bench.ask(
                "POST", "/v1/playback-sessions/renew",
                #"{"session":"\#(session)","resource":"TestChannel"}"#)
            #expect(renewed.status == 401, "\(renewed.text)")
        }
    }

    @Test func `The place of what the attacker played is free for the victim`() async throws {
        try await GatewayBench.spread(["sessions.store": "memory:", "sessions.streams": "1"]) { bench in
            let attacker = try await bench.register()
            let back = try bench.logIn(at: try await bench.begin(attacker))
            let code = try bench.code(handedOverBy: try await Browser(of: bench).open(back))
            #expect(try await bench.prove(attacker, code).code == "authenticated")
            #expect(try await bench.play(token: attacker).code == "playing")
            #expect(try await Browser(of: bench).open(back).status == 410)
            let play = try await bench.play("OtherChannel", token: try await bench.signedIn())
            #expect(play.code == "playing", "\(play.text)")
        }
    }

    @Test func `A play that begins while the sign-in becomes void is not handed out`() async throws {
        try await GatewayBench.spread(["sessions.store": "memory:"]) { bench in
            let attacker = try await bench.register()
            let back = try bench.logIn(at: try await bench.begin(attacker))
            let code = try bench.code(handedOverBy: try await Browser(of: bench).open(back))
            #expect(try await bench.prove(attacker, code).code == "authenticated")
            // The play is noted with the next change of the device's record.
            bench.store.actOnce(.beforeWrite) { _ = try? await Browser(of: bench).open(back) }
            let play = try await bench.play(token: attacker)
            #expect(play.status == 409 && play.code == "sign_in_changed", "\(play.text)")
            #expect(play.object["session"] == nil && play["Set-Cookie"] == nil)
        }
    }

    @Test func `Two browsers come back before the proof`() async throws {
        try await GatewayBench.spread { bench in
            let attacker = try await bench.register()
            let back = try bench.logIn(at: try await bench.begin(attacker))
            let code = try bench.code(handedOverBy: try await Browser(of: bench).open(back))
            #expect(try await Browser(of: bench).open(back).status == 410)
            #expect(try await bench.prove(attacker, code).status == 403)
            #expect(bench.profileCount == 0)
        }
    }

    @Test func `The same browser may load the page once more`() async throws {
        try await GatewayBench.spread { bench in
            let (device, browser) = (try await bench.register(), Browser(of: bench))
            let back = try bench.logIn(at: try await bench.begin(device))
            let code = try bench.code(handedOverBy: try await browser.open(back))
            #expect(try bench.code(handedOverBy: try await browser.open(back)) == code)
            #expect(try await bench.prove(device, code).code == "authenticated")
            #expect(try await browser.open(back)["Location"] == GatewayBench.returnTo)
            try await bench.expectSignedIn(device)
        }
    }

    @Test func `A user who is signed in keeps their profile while another sign-in is under way, or is given up`()
        async throws
    {
        try await GatewayBench.spread { bench in
            let device = try await bench.register()
            try await bench.signIn(device)
            let login = try await bench.begin(device, mvpd: "SampleFiber")
            _ = try bench.logIn(at: login)
            let profile = try await bench.ask("GET", "/v1/profile?refresh=1", token: device)
            #expect(profile.status == 200 && profile.object["mvpd"] as? String == "SampleCable")
            #expect(try await bench.ask("DELETE", "/v1/authentication", token: device).status == 200)
            #expect(try await bench.status(device).object["mvpd"] as? String == "SampleCable")
            try await bench.expectSignedIn(device)
        }
    }

    @Test func `A device that gives up one sign-in after the other has to wait`() async throws {
        try await GatewayBench.spread(time: ShiftedTime(standing: true)) { bench in
            let device = try await bench.register()
            for _ in 0..<17 { _ = try await bench.begin(device) }
            let answer = try await bench.ask(
                "POST", "/v1/authentication", #"{"mvpd":"SampleCable","returnTo":"myapp://done","secondScreen":false}"#,
                token: device)
            #expect(answer.status == 429 && answer.code == "too_many_requests", "\(answer.text)")
            #expect((Int(answer["Retry-After"] ?? "") ?? 0) > 1500)
        }
    }
}
#endif
