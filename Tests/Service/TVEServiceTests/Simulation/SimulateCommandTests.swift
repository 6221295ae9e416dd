#if Service
import BrokerSimulation
import EntitlementKeys
import EntitlementValues
import Foundation
import MediaTokens
import Testing
import TestVectors

/// `tve simulate` as a process: its options, files, signals and exit codes.
@Suite struct SimulateCommandTests {
    @Test func `The first line has what is to be copied, and the keys last from start to start`() async throws {
        let folder = try Folder()
        let variables = ["XDG_STATE_HOME": folder.path("")]
        let first = try await SimulateProcess(["--login", "auto"], environment: variables)
        #expect(
            Set(first.banner.keys)
                == ["url", "requestor", "softwareStatement", "mediaKey", "metadataKey", "control"])
        #expect(first.banner["requestor"] == "REF30" && first.banner["control"] == "\(first.url)/sim")
        let file = try #require(first.banner["mediaKey"])
        #expect(file.hasPrefix(folder.path("")) && file.hasSuffix("tve/simulator/media.pem"))
        #expect(try Self.mode(file.replacing("media.pem", with: "media.key")) == 0o600)
        #expect(try Self.mode(file.replacing("media.pem", with: "access.key")) == 0o600)
        #expect(try Self.mode((file as NSString).deletingLastPathComponent) == 0o700)
        #expect(!FileManager.default.fileExists(atPath: file.replacing("media.pem", with: "state.json")))

        let device = try await first.device()
        let session = try await device.session()
        let login = try await first.ask("GET", try #require(session["url"] as? String))
        #expect(login.status == 302 && login["Location"] == "https://example.com/")
        let decision = try await device.authorize()
        let token = try #require(Self.token(in: decision))
        let verified = try Self.verified(token, by: file)
        #expect(verified.mvpd == "SampleCable")
        first.program.send(SIGTERM)
        #expect(try await first.program.end() == 0)

        let second = try await SimulateProcess([], environment: variables)
        #expect(second.banner["mediaKey"] == file)
        #expect(throws: Never.self) { try Self.verified(token, by: file) }
        #expect(try await second.ask("GET", "/sim/requests").text.contains(#""requests":[]"#))
        #expect(try await Self.status(of: device, at: second) == 401)
    }

    /// The status of a call of a device that registered with another run.
    private static func status(of old: SimulatedDevice, at run: SimulateProcess) async throws -> Int {
        try await run.ask("GET", "/api/v2/REF30/profiles", old.fields).status
    }

    @Test func `Nothing is kept with a hyphen, and the key itself is in the first line`() async throws {
        let folder = try Folder()
        let run = try await SimulateProcess(["--state", "-"], environment: ["XDG_STATE_HOME": folder.path("")])
        let pem = try #require(run.banner["mediaKey"])
        #expect(pem.hasPrefix("-----BEGIN CERTIFICATE-----"))
        #expect(try await run.ask("GET", "/sim/keys/media.pem").text == pem)
        #expect(!FileManager.default.fileExists(atPath: folder.path("tve")))
    }

    @Test func `What the user encrypted shares is decrypted with the key that is printed`() async throws {
        let folder = try Folder()
        let run = try await SimulateProcess([], environment: ["XDG_STATE_HOME": folder.path("")])
        let key = try #require(run.banner["metadataKey"])
        #expect(try Self.mode(key) == 0o600)
        let device = try await run.device()
        let code = try #require(try await device.session()["code"] as? String)
        #expect(try await run.ask("POST", "/sim/login", form: "code=\(code)&user=encrypted").status == 302)
        let profile = try #require(try await device.profiles()["SampleCable"] as? [String: Any])
        let zip = try #require((profile["attributes"] as? [String: Any])?["zip"] as? [String: Any])
        let value = try #require(zip["value"] as? String)
        let ended = try await Program.run(Program.built("tve"), ["decrypt", value, "--keys", key])
        #expect(ended.exitCode == 0 && ended.output == "[\"77754\"]\n")
    }

    @Test func `tve doctor knows a simulator's key, as the tool serves it and as the library makes it`() async throws {
        let folder = try Folder()
        let run = try await SimulateProcess(["--state", "-"])
        let made = try SimulatorKeys()
        let served = try await run.ask("GET", "/sim/keys/media.pem").text
        // A bare public key does not say whose it is.
        for (pem, isKnown) in [(served, true), (made.mediaPEM, true), (made.media.publicKeyPEM, false)] {
            let file = try folder.write(pem, to: "media.pem")
            let ended = try await Program.run(Program.built("tve"), ["doctor", "--keys", file])
            #expect(ended.exitCode == 0)
            #expect(ended.output.contains("a key of tve simulate") == isKnown)
        }
    }

    @Test func `The same seed makes the same ids, and the clock starts where it is set`() async throws {
        var seen: [[String]] = []
        for _ in 0..<2 {
            let run = try await SimulateProcess([
                "--state", "-", "--seed", "11", "--clock", "2030-01-02T03:04:05Z",
            ])
            let device = try await run.device()
            let session = try await device.session()
            seen.append([device.client, session["code"] as? String ?? "", session["sessionId"] as? String ?? ""])
            let health = try await run.ask("GET", "/sim/health").object
            let time = try #require(health["time"] as? Int64)
            #expect((1_893_553_445_000...1_893_554_045_000).contains(time))
        }
        #expect(seen[0] == seen[1] && !seen[0].contains(""))
    }

    @Test func `A world of one's own, lenient headers, a limit of requests and scenarios of requests`() async throws {
        let folder = try Folder()
        let other = try await SimulateProcess(["--state", "-"])
        var world = try await other.ask("GET", "/sim/state").text
        #expect(world.contains("Reference Brand"))
        world = world.replacing("Reference Brand", with: "My Brand")
        let file = try folder.write(world, to: "world.json")
        let run = try await SimulateProcess([
            "--state", "-", "--world", file, "--lenient", "--throttle", "1:3", "--request-scenarios",
        ])
        #expect(try await run.ask("GET", "/sim/state").text.contains("My Brand"))
        #expect(try await run.ask("GET", "/sim/throttle").object["mode"] as? String == "1:3")
        let device = try await run.device()
        let bare = device.fields.filter { $0.hasPrefix("Authorization") }
        #expect(try await run.ask("GET", "/api/v2/REF30/profiles", bare).status == 200)
        // The limit counts by the address that a request was forwarded for.
        let there = bare + ["X-Forwarded-For: 203.0.113.9"]
        #expect(
            try await run.ask("GET", "/api/v2/REF30/profiles", there + ["X-Sim-Scenario: status:503"]).status == 503)
        for _ in 0..<2 { #expect(try await run.ask("GET", "/api/v2/REF30/profiles", there).status == 200) }
        // At the same time: each second lets another one through.
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<200 {
                group.addTask { try await run.ask("GET", "/api/v2/REF30/profiles", there).status }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.contains(429))
    }

    @Test func `HTTPS with a certificate and its key`() async throws {
        let folder = try Folder()
        let keys = [folder.path("tls.key"), folder.path("tls.crt")]
        try await run(
            "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
            "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", keys[0], "-out", keys[1])
        let both = try folder.write(
            String(contentsOfFile: keys[1], encoding: .utf8) + String(contentsOfFile: keys[0], encoding: .utf8),
            to: "both.pem")
        let served = try await SimulateProcess(["--state", "-", "--certificate", both])
        #expect(served.url == "https://127.0.0.1:\(served.port)")
        let text = try await run("curl", "--silent", "--cacert", keys[1], "\(served.url)/sim/health")
        #expect(text.contains(#""simulated":true"#))
        let alone = try await SimulateProcess.refused(["--state", "-", "--certificate", keys[1]])
        #expect(alone.exitCode == 78 && alone.code == "certificate")
    }

    @Test(arguments: [
        (["--port", "70000"], Int32(64), "usage"), (["--throttle", "many"], 64, "usage"),
        (["--throttle", "0:1"], 64, "usage"), (["--login", "never"], 64, "usage"), (["--seed", "-1"], 64, "usage"),
        (["--clock", "noon"], 64, "usage"), (["--state", ""], 64, "usage"),
        (["--state", "-", "--host", "0.0.0.0"], 64, "usage"), (["--state", "-", "--host", "192.0.2.1"], 64, "usage"),
        (["--state", "-", "--world", "/nowhere.json"], 66, "no_such_file"),
        (["--state", "-", "--world", "/dev/null"], 78, "unreadable_world"),
        (["--state", "-", "--certificate", "/nowhere.pem"], 66, "no_such_file"),
        (["--state", "/dev/null"], 74, "folder"), (["--state", "/dev/null/state"], 74, "folder"),
        (["--state", "-", "--host", "192.0.2.1", "--listen-anywhere"], 69, "io"),
    ])
    func `A command line that cannot be carried out`(arguments: [String], exitCode: Int32, code: String) async throws {
        let refused = try await SimulateProcess.refused(arguments)
        #expect(refused.exitCode == exitCode)
        #expect(refused.code == code)
        #expect(refused.output.isEmpty)
    }

    /// Each sign-in of a browser would fail.
    @Test func `A world without the user of the automatic login is refused`() async throws {
        let folder = try Folder()
        var sample = SimulatedWorld.sample
        sample.users.removeAll { $0.name == "ok" }
        let world = try folder.write(String(decoding: sample.json, as: UTF8.self), to: "world.json")
        let refused = try await Program.run(
            Program.built("tve"), ["simulate", "--state", "-", "--world", world, "--login", "auto"])
        #expect(refused.exitCode == 78)
        #expect(refused.error.contains("--world: \(world): the world has no user named ok, whom --login auto signs in"))
        #expect(refused.error.contains("[unknown_user]"))
        let form = try await SimulateProcess(["--state", "-", "--world", world])
        #expect(try await form.ask("GET", "/sim/health").status == 200)
    }

    @Test func `A state that cannot be used names its file, and ends as its fault does`() async throws {
        let folder = try Folder()
        let state = folder.path("state")
        let first = try await SimulateProcess(["--state", state])
        first.program.send(SIGTERM)
        #expect(try await first.program.end() == 0)
        func refused() async throws -> Program.Outcome {
            try await Program.run(Program.built("tve"), ["simulate", "--port", "0", "--state", state])
        }
        try Data("{".utf8).write(to: URL(filePath: "\(state)/state.json"))
        let damaged = try await refused()
        #expect(damaged.exitCode == 78)
        #expect(
            damaged.error.contains("tve: --state: \(state)/state.json: the state of an earlier run is refused: "),
            "\(damaged.error)")
        // What the system refuses is a fault of input, wherever in the folder it is.
        for name in ["state.json", "state.lock", "access.key", "media.pem"] {
            let file = "\(state)/\(name)"
            try FileManager.default.removeItem(atPath: file)
            try FileManager.default.createDirectory(
                atPath: file, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            let outcome = try await refused()
            #expect(outcome.exitCode == 74, "\(outcome.error)")
            #expect(outcome.error.contains("tve: --state: \(state)"), "\(outcome.error)")
            #expect(outcome.error.contains("take a folder that this user may read and write [folder]"))
        }
    }

    @Test func `A key that no simulator made is refused, and so is one that others can read`() async throws {
        let folder = try Folder()
        let state = folder.path("state")
        await #expect(throws: Never.self) { try await SimulateProcess(["--state", state]).program.send(SIGKILL) }
        let foreign = folder.path("foreign.key")
        try await run("openssl", "genrsa", "-out", foreign, "2048")
        try FileManager.default.removeItem(atPath: "\(state)/media.key")
        try FileManager.default.copyItem(atPath: foreign, toPath: "\(state)/media.key")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: "\(state)/media.key")
        let refused = try await SimulateProcess.refused(["--port", "0", "--state", state])
        #expect(refused.exitCode == 78 && refused.code == "foreign_key")
        // A new key is made, but the certificate beside it is the old one's, and verifiers would read that.
        try FileManager.default.removeItem(atPath: "\(state)/media.key")
        let stray = try await SimulateProcess.refused(["--port", "0", "--state", state])
        #expect(stray.exitCode == 78 && stray.code == "folder")
        try FileManager.default.removeItem(atPath: "\(state)/media.pem")
        await #expect(throws: Never.self) { try await SimulateProcess(["--state", state]).program.send(SIGKILL) }
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: "\(state)/access.key")
        let open = try await SimulateProcess.refused(["--port", "0", "--state", state])
        #expect(open.exitCode == 78 && open.code == "folder")
    }

    /// What a run says until it is stopped: on standard output, and on standard error.
    private static func said(_ arguments: [String]) async throws -> (output: String, errors: String) {
        let pipes = [Pipe(), Pipe()]
        let program = try StartedProgram(
            Program.built("tve"), ["simulate", "--port", "0", "--state", "-"] + arguments, output: .pipe(pipes[0]),
            errors: .pipe(pipes[1]))
        let readers = pipes.map { PipeReader($0) }
        for reader in readers { reader.start() }
        // The banner is all there when its last line is.
        try await eventually {
            let text = readers[0].text
            return text.hasSuffix("Ctrl-C stops it.\n") || text.hasPrefix("{") && text.hasSuffix("\n")
        }
        program.send(SIGTERM)
        #expect(try await program.end() == 0)
        return (try await readers[0].wholeText(), try await readers[1].wholeText())
    }

    @Test func `People are warned of other machines in the banner, and programs on standard error`() async throws {
        let people = try await Self.said(["--listen-anywhere"])
        #expect(people.output.contains("\nWARNING: other machines can reach it, and it protects nothing.\n"))
        #expect(people.errors.contains("warning: other machines can reach this simulator"), "\(people.errors)")
        #expect(people.errors.contains("[listens_anywhere]"), "\(people.errors)")
        let programs = try await Self.said(["--listen-anywhere", "--output", "json"])
        #expect(!programs.output.contains("WARNING") && programs.output.split(separator: "\n").count == 1)
        let note = try JSONSerialization.jsonObject(with: Data(programs.errors.utf8)) as? [String: [String: String]]
        #expect(note?["error"]?["code"] == "listens_anywhere", "\(programs.errors)")
        let alone = try await Self.said([])
        #expect(alone.output.hasPrefix("A simulated broker: nothing in it is real.\n"))
        #expect(!alone.output.contains("WARNING") && alone.errors.isEmpty, "\(alone.errors)")
    }

    @Test func `Signals end it after running requests`() async throws {
        let run = try await SimulateProcess(["--state", "-"])
        let device = try await run.device()
        let scenario = #"{"scenario":"network:delay:1500","endpoints":["profiles"]}"#
        #expect(try await run.ask("PUT", "/sim/scenarios/late", json: scenario).status == 200)
        async let late = run.ask("GET", "/api/v2/REF30/profiles", device.fields)
        // Until the request is there, which the journal shows before its answer.
        try await eventually {
            try await run.ask("GET", "/sim/requests").text.contains(#""endpoint":"profiles""#)
        }
        run.program.send(SIGINT)
        #expect(try await late.status == 200)
        #expect(try await run.program.end() == 0)
    }

    // MARK: The report

    @Test(arguments: ["txt", "json", "xml"], [SIGINT, SIGTERM])
    func `A report is written when a signal stops it`(ending: String, signal: Int32) async throws {
        let folder = try Folder()
        let file = folder.path("acceptance.\(ending)")
        let run = try await SimulateProcess(["--state", "-", "--report", file])
        // Looked at from the start, and written at the end.
        #expect(!FileManager.default.fileExists(atPath: file) && !FileManager.default.fileExists(atPath: file + ".new"))
        _ = try await run.device().profiles()
        let shown = try await run.ask("GET", "/sim/report").text
        #expect(shown.contains("R1"))
        run.program.send(signal)
        #expect(try await run.program.end() == 0)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.contains("R1"), "\(text)")
        switch ending {
        case "json":
            let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
            #expect((object?["items"] as? [Any])?.isEmpty == false, "\(text)")
        case "xml":
            #expect(text.hasPrefix("<?xml") && text.contains("<testsuite"), "\(text)")
        default:
            #expect(!text.hasPrefix("{") && !text.hasPrefix("<"), "\(text)")
        }
    }

    @Test func `A report that cannot be written is told at the start`() async throws {
        let folder = try Folder()
        try FileManager.default.createDirectory(atPath: folder.path("taken.json"), withIntermediateDirectories: false)
        try Data("a".utf8).write(to: URL(filePath: folder.path("file")))
        for (name, exitCode, code) in [
            ("nowhere/report.json", 66, "no_such_file"), ("file/report.json", 66, "no_such_file"),
            ("taken.json", 74, "io"), ("taken.json/", 74, "io"),
        ] {
            let refused = try await SimulateProcess.refused(
                ["--port", "0", "--state", "-", "--report", folder.path("") + "/" + name])
            #expect(refused.exitCode == Int32(exitCode) && refused.code == code, "\(name): \(refused)")
            #expect(refused.output.isEmpty)
        }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path("")).sorted() == ["file", "taken.json"])
    }

    @Test func `A report that cannot be written in the end ends it with 74`() async throws {
        let folder = try Folder()
        let file = folder.path("acceptance.json")
        let run = try await SimulateProcess(["--state", "-", "--report", file])
        try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
        run.program.send(SIGTERM)
        #expect(try await run.program.end() == 74)
    }

    @Test(arguments: ["http://127.0.0.1", "127.0.0.1:80", "a b", "[::1]", "localhost/"])
    func `What is no host is told with its option`(host: String) async throws {
        let ended = try await Program.run(
            Program.built("tve"), ["simulate", "--port", "0", "--state", "-", "--host", host])
        #expect(ended.exitCode == 64 && ended.error.hasPrefix("Error: --host takes a host name"), "\(ended.error)")
    }

    private static func mode(_ path: String) throws -> Int? {
        (try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue
    }

    static func token(in decision: Answer) -> String? {
        let decisions = decision.object["decisions"] as? [[String: Any]]
        return (decisions?.first?["token"] as? [String: Any])?["serializedToken"] as? String
    }

    @discardableResult
    static func verified(_ token: String, by file: String) throws -> VerifiedMediaToken {
        let verifier = MediaTokenVerifier(keys: try VerificationKeys(contentsOfFile: file))
        return try verifier.verify(token, expecting: .init(requestor: "REF30", resource: "live"))
    }
}
#endif
