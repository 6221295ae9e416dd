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

    @Test func `After SIGKILL at any time the next start reads a whole state`() async throws {
        let folder = try Folder()
        let state = folder.path("state")
        var counts: [Int] = []
        for round in 0..<8 {
            let run = try await SimulateProcess(["--state", state])
            let kept = try SimulatedCounts.clients(in: state)
            #expect(kept >= (counts.last ?? 0), "clients were lost that an earlier run had kept")
            for _ in 0..<6 { _ = try await run.device() }
            try await eventually { try SimulatedCounts.clients(in: state) >= kept + 6 }
            // What comes now is written about 250 ms later: each time killed at another point of the writing.
            _ = try await run.device()
            try await Task.sleep(for: .milliseconds(37 * round))
            run.program.send(SIGKILL)
            _ = try await run.program.end()
            counts.append(try SimulatedCounts.clients(in: state))
        }
        #expect(counts.last ?? 0 >= 48)
        #expect(counts == counts.sorted())
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
    static func clients(in state: String) throws -> Int {
        guard let data = FileManager.default.contents(atPath: "\(state)/state.json") else { return 0 }
        let object = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        return (object?["clients"] as? [Any])?.count ?? 0
    }
}
#endif
