#if Service
import Foundation
import Testing
import TestVectors

/// What `tve simulate --state DIR` keeps.
@Suite struct SimulateStateTests {
    @Test func `Clients, sign-ins, sessions, clock and scenarios outlive the process`() async throws {
        let folder = try Folder()
        let state = folder.path("state")
        let first = try await SimulateProcess(["--state", state, "--seed", "3", "--login", "auto"])
        let device = try await first.device()
        let session = try await device.session()
        _ = try await first.ask("GET", try #require(session["url"] as? String))
        let waiting = try await device.session(
            "mvpd=SampleFiber&domainName=example.com&redirectUrl=https%3A%2F%2Fexample.com%2F")
        let trial = try await device.authorize(mvpd: "TempPass")
        #expect(trial.status == 200)
        _ = try await first.ask("POST", "/sim/clock", json: #"{"advance":60000}"#)
        _ = try await first.ask("PUT", "/sim/scenarios/s", json: #"{"scenario":"status:503","endpoints":["logout"]}"#)
        _ = try await first.ask("PUT", "/sim/throttle", json: #"{"mode":"9:99"}"#)
        let before = try await first.ask("GET", "/api/v2/REF30/profiles", device.fields).text
        #expect(before.contains("SampleCable"))
        first.program.send(SIGTERM)
        #expect(try await first.program.end() == 0)
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(state)/state.json")
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)

        let second = try await SimulateProcess(["--state", state, "--seed", "3"])
        #expect(try await second.ask("GET", "/api/v2/REF30/profiles", device.fields).text == before)
        #expect(
            try await second.ask("GET", "/sim/login?code=\(try #require(waiting["code"] as? String))").status == 200)
        #expect(try await second.ask("GET", "/sim/clock").object["offset"] as? Int == 60_000)
        #expect(try await second.ask("GET", "/sim/scenarios").text.contains("status:503"))
        #expect(try await second.ask("GET", "/sim/throttle").object["mode"] as? String == "9:99")
        // The row of ids goes on; it does not begin again.
        let next = try await second.device()
        #expect(next.client != device.client)
    }

    @Test func `One folder keeps the state of one simulator`() async throws {
        let folder = try Folder()
        let state = folder.path("state")
        let first = try await SimulateProcess(["--state", state])
        let second = try await SimulateProcess.refused(["--port", "0", "--state", state])
        #expect(second.exitCode == 78 && second.code == "folder")
        let device = try await first.device()
        first.program.send(SIGKILL)
        _ = try await first.program.end()
        #expect(!device.client.isEmpty)
        await #expect(throws: Never.self) { try await SimulateProcess(["--state", state]).program.send(SIGKILL) }
    }

    @Test func `After SIGKILL, also in the middle of writing, the next start reads a whole state`() async throws {
        let folder = try Folder()
        let (state, world) = (folder.path("state"), folder.path("world.json"))
        let (file, temporary) = ("\(state)/state.json", "\(state)/state.json.new")
        try folder.write(try await Self.largeWorld(), to: "world.json")
        var devices: [[String]] = []
        for round in 0..<5 {
            let run = try await SimulateProcess(["--state", state] + (round == 0 ? ["--world", world] : []))
            // What an earlier run left is read whole.
            for fields in devices {
                #expect(try await run.ask("GET", "/api/v2/REF30/profiles", fields).status == 200)
            }
            devices.append(try await run.device().fields)
            let count = devices.count
            try await eventually("the state") { try SimulatedState.clients(in: file) == count }
            let before = try SimulatedState.lastChange(of: file)
            _ = try await run.ask("POST", "/sim/clock", json: #"{"advance":1}"#)
            // It is written soon, and most kills meet the writing; one that comes after it must do no harm, either.
            try await eventually("a write") {
                for _ in 0..<20_000 where FileManager.default.fileExists(atPath: temporary) { return true }
                return try SimulatedState.lastChange(of: file) != before
            }
            run.program.send(SIGKILL)
            _ = try await run.program.end()
            #expect(try SimulatedState.clients(in: file) == count)
        }
        // What a kill in the middle of writing leaves, wherever those above have hit.
        let whole = try #require(FileManager.default.contents(atPath: file))
        try Data(whole.prefix(whole.count / 2)).write(to: URL(filePath: temporary))
        let last = try await SimulateProcess(["--state", state])
        for fields in devices {
            #expect(try await last.ask("GET", "/api/v2/REF30/profiles", fields).status == 200)
        }
        _ = try await last.ask("POST", "/sim/clock", json: #"{"advance":1}"#)
        try await eventually("the end of the temporary file") { !FileManager.default.fileExists(atPath: temporary) }
        #expect(try SimulatedState.clients(in: file) == devices.count)
    }

    /// The sample's world with a user whose attribute has some MB, so that the writing takes its time.
    private static func largeWorld() async throws -> String {
        let run = try await SimulateProcess(["--state", "-"])
        let sample = try await run.ask("GET", "/sim/state").text
        let value = String(repeating: "a", count: 4_000_000)
        let user = #"{"name":"large","guid":"0","attributes":[{"name":"large","value":"\#(value)"}]}"#
        let world = sample.replacing(#""users":["#, with: #""users":[\#(user),"#)
        try #require(world.utf8.count > sample.utf8.count)
        return world
    }

    @Test(arguments: [
        "", "{", #"{"schema":1}"#, #"{"schema":3}"#, #"{"schema":3,"world":{},"clock":{},"clients":[{}]}"#,
    ])
    func `A state that cannot be read is refused, and stays as it is`(text: String) async throws {
        let folder = try Folder()
        let state = folder.path("state")
        try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
        try folder.write(text, to: "state/state.json")
        let refused = try await SimulateProcess.refused(["--port", "0", "--state", state])
        #expect(refused.exitCode == 78 && refused.code == "unreadable_state")
        #expect(try String(contentsOfFile: "\(state)/state.json", encoding: .utf8) == text)
    }
}

/// Looks at a state file.
private enum SimulatedState {
    /// When it was written; `nil` if there is none.
    static func lastChange(of file: String) throws -> Date? {
        guard FileManager.default.fileExists(atPath: file) else { return nil }
        return try FileManager.default.attributesOfItem(atPath: file)[.modificationDate] as? Date
    }

    /// How many clients it holds.
    static func clients(in file: String) throws -> Int {
        guard let data = FileManager.default.contents(atPath: file) else { return 0 }
        let object = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        return (object?["clients"] as? [Any])?.count ?? 0
    }
}
#endif
