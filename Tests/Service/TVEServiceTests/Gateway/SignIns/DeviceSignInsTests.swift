#if Service
import DeviceRecords
import EntitlementValues
import TVEService
import TextCodecs
import Testing

/// Which session of a device counts, and what becomes of the others.
@Suite struct DeviceSignInsTests {
    private let now = Timestamp(milliseconds: 1_780_000_000_000)

    private func begun(_ signIns: inout DeviceSignIns, _ state: String, keeping isLive: Bool = false) -> OpenSignIn {
        signIns.begin(state: state, returnTo: "app://done", keepingCurrent: isLive, at: now, until: now + .minutes(30))
    }

    @Test func `A sign-in takes the registered session, and requests get another one`() {
        var signIns = DeviceSignIns()
        #expect(begun(&signIns, "a").number == 0 && signIns.current == 1)
        #expect(signIns.promote("a", afterReturn: true, at: now) == 1)
        #expect(signIns.current == 0 && signIns.open == nil && signIns.proved?.state == "a")
    }

    @Test func `A user who is signed in keeps the session until another sign-in is proved`() {
        var signIns = DeviceSignIns()
        #expect(begun(&signIns, "a", keeping: true).number == 1 && signIns.current == 0)
        #expect(signIns.giveUp(because: .cancelled)?.number == 1)
        #expect(signIns.current == 0 && signIns.end == .cancelled && signIns.spent.map(\.number) == [1])
        #expect(begun(&signIns, "b", keeping: true).number == 2)
        #expect(signIns.promote("b", afterReturn: false, at: now) == 0)
        #expect(signIns.current == 2 && signIns.proved == nil)
    }

    @Test func `A session that was given up is never used again`() {
        var signIns = DeviceSignIns()
        var seen: [Int64] = []
        for state in ["a", "b", "c", "d"] {
            let number = begun(&signIns, state).number
            #expect(!seen.contains(number) && signIns.current != number)
            seen.append(number)
        }
        #expect(signIns.spent.map(\.number) == Array(seen.dropLast()))
        #expect(signIns.spent.allSatisfy { $0.number != signIns.current && $0.number != signIns.open?.number })
        #expect(signIns.sessions == Array(0...4))
    }

    @Test func `What has not left the gateway gives its session back`() {
        var signIns = DeviceSignIns()
        _ = begun(&signIns, "a")
        #expect(signIns.takeBack("b", keepingCurrent: false) == nil)
        #expect(signIns.open != nil)
        #expect(signIns.takeBack("a", keepingCurrent: false) == 1)
        #expect(signIns.open == nil && signIns.current == 0 && signIns.spent.isEmpty)
        _ = begun(&signIns, "b", keeping: true)
        #expect(signIns.takeBack("b", keepingCurrent: true) == 2)
        #expect(signIns.current == 0 && signIns.open == nil)
    }

    @Test func `Another state promotes nothing, and neither does one that was given up`() {
        var signIns = DeviceSignIns()
        _ = begun(&signIns, "a")
        #expect(signIns.promote("b", afterReturn: true, at: now) == nil && signIns.open?.state == "a")
        _ = signIns.giveUp(because: .notProved)
        #expect(signIns.promote("a", afterReturn: true, at: now) == nil && signIns.current == 1)
    }

    @Test func `A second browser makes a sign-in void for two minutes after its proof`() {
        var signIns = DeviceSignIns()
        _ = begun(&signIns, "a")
        _ = signIns.promote("a", afterReturn: true, at: now)
        var late = signIns
        #expect(signIns.void("b", at: now) == nil && signIns.current == 0)
        #expect(signIns.void("a", at: now + .seconds(119))?.number == 0)
        #expect(signIns.current == 2 && signIns.end == .notProved && signIns.spent.map(\.number) == [0])
        #expect(signIns.void("a", at: now) == nil)
        #expect(late.void("a", at: now + .minutes(2)) == nil && late.current == 0)
    }

    private func play(_ number: Int) -> NotedPlay { NotedPlay(session: "\(number)", until: now + .hours(1)) }

    @Test func `Plays are noted at whatever age, the last 32 that are not over`() {
        var signIns = DeviceSignIns()
        for number in 0..<40 { #expect(signIns.note(play(number), of: 0, after: 0, at: now) == .noted) }
        #expect(signIns.plays == (8..<40).map { play($0) })
        let late = NotedPlay(session: "late", until: now + .hours(2))
        #expect(signIns.note(late, of: 0, after: 0, at: now + .hours(1)) == .noted)
        #expect(signIns.plays == [late])
    }

    @Test func `A logout ends the plays of each age, and those that were permitted before it`() throws {
        var signIns = DeviceSignIns()
        let later = now + .minutes(2)
        _ = begun(&signIns, "a")
        _ = signIns.promote("a", afterReturn: true, at: now)
        #expect(signIns.note(play(1), of: 0, after: 0, at: now) == .noted)
        #expect(signIns.playing.isEmpty)
        // Another sign-in takes its place, when nothing can make it void any more.
        _ = begun(&signIns, "b", keeping: true)
        #expect(signIns.promote("b", afterReturn: true, at: later) == 0)
        #expect(signIns.playing == [play(1)] && signIns.overtaken.isEmpty)
        let current = signIns.current
        #expect(signIns.note(play(2), of: current, after: 0, at: later) == .noted)
        #expect(try read(signIns) == signIns)
        #expect(signIns.signOut(of: current - 1).isEmpty, "another user's logout")
        let ended = signIns.signOut(of: current)
        #expect(Set(ended) == [play(1), play(2)])
        #expect(signIns.note(play(3), of: current, after: 0, at: later) == .signInChanged)
        #expect(Set(signIns.plays) == Set(ended), "until they have ended")
        signIns.forget(ended)
        #expect(signIns.plays.isEmpty)
        #expect(try read(signIns) == signIns)
        #expect(signIns.note(play(3), of: current, after: 1, at: later) == .noted)
    }

    @Test func `All of it survives the record`() throws {
        var signIns = DeviceSignIns()
        _ = begun(&signIns, "a")
        _ = signIns.promote("a", afterReturn: true, at: now)
        _ = begun(&signIns, "b", keeping: true)
        signIns.change("b") { open in
            (open.mvpd, open.kind, open.phase) = ("SampleCable", .code, .returned(at: now))
            (open.activationCode, open.deviceName, open.mark, open.proof) = ("ABC\u{2028}", "TV \"1\"", "m", "p")
            open.isThere = false
        }
        _ = begun(&signIns, "c", keeping: true)
        signIns.change("c") { $0.phase = .proven(at: now) }
        signIns.logout = OpenLogout(state: "l", returnTo: nil, until: now, pages: 2)
        #expect(signIns.note(NotedPlay(session: "play", until: now + .hours(1)), of: 0, after: 0, at: now) == .noted)
        #expect(try read(signIns) == signIns && signIns.proved?.plays.count == 1)
        #expect(try read(DeviceSignIns()) == DeviceSignIns())
        var voided = signIns
        #expect(voided.void("a", at: now)?.plays.count == 1)
        #expect(try read(voided) == voided)
        _ = signIns.giveUp(because: .codeEnded)
        #expect(try read(signIns) == signIns)
    }

    private func text(of signIns: DeviceSignIns) -> [UInt8] {
        var object = JSONWriter(escaping: .minimal)
        signIns.write(to: &object)
        return object.finished
    }

    private func read(_ signIns: DeviceSignIns) throws -> DeviceSignIns {
        let text = text(of: signIns)[...]
        let object = try JSONObject(text.span, in: 0..<text.count)
        return try DeviceSignIns(object, in: text.span)
    }

    @Test(arguments: [
        #"{"current":0}"#, #"{"current":"0","last":0}"#, #"{"current":0,"last":0,"open":{}}"#,
        #"{"current":0,"last":0,"open":{"number":0,"kind":"other","state":"a","begun":0,"until":0}}"#,
        #"{"current":0,"last":0,"spent":[1]}"#, #"{"current":0,"last":0,"logout":{"state":"","until":0}}"#,
    ])
    func `Another form is refused`(text: String) {
        let bytes = Array(text.utf8)[...]
        #expect(throws: JSONFault.self) {
            let object = try JSONObject(bytes.span, in: 0..<bytes.count)
            return try DeviceSignIns(object, in: bytes.span)
        }
    }

    @Test func `A session's key leads back to its device`() {
        let device: DeviceKey = "AbC-_0123456789012345x"
        #expect(device.session(0) == device && device.session(12).rawValue == "\(device.rawValue).12")
        #expect(device.session(12).deviceOfSession == device && device.deviceOfSession == device)
    }

    @Test func `Descriptions and mirrors show no state and no code`() {
        var signIns = DeviceSignIns()
        _ = begun(&signIns, "secret-1")
        _ = signIns.promote("secret-1", afterReturn: true, at: now)
        _ = begun(&signIns, "secret-2")
        _ = begun(&signIns, "secret-3")
        signIns.change("secret-3") { open in
            (open.activationCode, open.proof, open.mark) = ("secret", "secret", "secret")
        }
        signIns.logout = OpenLogout(state: "secret-4", returnTo: nil, until: now)
        var dumped = ""
        dump([signIns.open as Any, signIns.proved as Any, signIns.spent, signIns.logout as Any], to: &dumped)
        #expect(!dumped.contains("secret") && !"\(signIns)".contains("secret"))
    }
}
#endif
