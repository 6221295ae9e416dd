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

    @Test func `After SIGKILL in the middle of writing the next start reads a whole state`() async throws {
        let folder = try Folder()
        let (state, world) = (folder.path("state"), folder.path("world.json"))
        let temporary = "\(state)/state.json.new"
        try folder.write(try await Self.largeWorld(), to: "world.json")
        var devices: [[String]] = []
        var isPartial = false
        for round in 0..<20 where !isPartial {
            let run = try await SimulateProcess(["--state", state] + (round == 0 ? ["--world", world] : []))
            // What an earlier run left is read whole.
            for fields in devices {
                #expect(try await run.ask("GET", "/api/v2/REF30/profiles", fields).status == 200)
            }
            devices.append(try await run.device().fields)
            let count = devices.count
            // After that no temporary file is left, neither of this run nor of one before.
            try await eventually("the state") { try SimulatedCounts.clients(in: state) == count }
            try await eventually("a temporary file") {
                _ = try await run.ask("POST", "/sim/clock", json: #"{"advance":1}"#)
                // Written a quarter of a second later, and gone soon: whoever looks now and then does not see it.
                for _ in 0..<20_000 where FileManager.default.fileExists(atPath: temporary) {
                    run.program.send(SIGKILL)
                    return true
                }
                return false
            }
            _ = try await run.program.end()
            #expect(try SimulatedCounts.clients(in: state) == count)
            let written = try SimulatedCounts.size(of: temporary)
            isPartial = try written.map { try $0 < SimulatedCounts.size(of: "\(state)/state.json") ?? 0 } ?? false
        }
        #expect(isPartial, "no round ended in the middle of writing")
        let last = try await SimulateProcess(["--state", state])
        for fields in devices {
            #expect(try await last.ask("GET", "/api/v2/REF30/profiles", fields).status == 200)
        }
        try await eventually("the end of the temporary file") { !FileManager.default.fileExists(atPath: temporary) }
        #expect(try SimulatedCounts.clients(in: state) == devices.count)
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
        "", "{", #"{"schema":1}"#, #"{"schema":2}"#, #"{"schema":2,"world":{},"clock":{},"clients":[{}]}"#,
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

/// Counts what a state file holds.
private enum SimulatedCounts {
    /// The bytes of a file; `nil` if there is none.
    static func size(of file: String) throws -> Int? {
        guard FileManager.default.fileExists(atPath: file) else { return nil }
        return try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int
    }

    static func clients(in state: String) throws -> Int {
        guard let data = FileManager.default.contents(atPath: "\(state)/state.json") else { return 0 }
        let object = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        return (object?["clients"] as? [Any])?.count ?? 0
    }
}
#endif
