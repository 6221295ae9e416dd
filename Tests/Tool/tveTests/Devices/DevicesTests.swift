import DeviceRecords
import EntitlementValues
import Foundation
import SQLiteStores
import SealedRecords
import Testing

@Suite struct DevicesTests {
    private func devices(_ command: String, _ arguments: [String], input: String = "") async throws -> Tool.Outcome {
        try await Tool.run(["devices", command] + arguments, input: input)
    }

    // MARK: list

    @Test func `Listing needs no keys, and tells place, version and end`() async throws {
        let sample = try await DeviceStoreSample(devices: 3)
        let kept = try #require(try await sample.directory().keptRecord(of: "tv-1"))
        try FileManager.default.removeItem(atPath: sample.keysPath)
        let text = try await devices("list", ["--store", sample.address])
        #expect(text.exitCode == 0 && text.error.isEmpty)
        #expect(text.lines.count == 3)
        #expect(text.output.contains("\(kept.key)  version \(kept.version)  until \(kept.expires)\n"))
        let json = try await devices("list", ["--store", sample.address, "--output", "json"]).objects
        let found = try #require(json.first { $0["record"] as? String == "\(kept.key)" })
        #expect(json.count == 3)
        #expect(found["version"] as? Int64 == kept.version)
        #expect(found["expires"] as? Int64 == kept.expires.milliseconds)
        #expect(Set(found.keys) == ["record", "version", "expires"])
        #expect(try await devices("list", ["--store", sample.address, "--limit", "2"]).lines.count == 2)
    }

    @Test func `Looking at a store that is not there makes none`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("none.sqlite")
        for command in [["list"], ["show", "tv"], ["erase", "tv", "--yes"], ["reseal"]] {
            let outcome = try await devices(
                command[0], Array(command.dropFirst()) + ["--store", "sqlite:\(path)", "--output", "json"])
            #expect(outcome.exitCode == 66, "\(command)")
            #expect((outcome.report["error"] as? [String: Any])?["code"] as? String == "no_such_file")
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    // MARK: show

    @Test(arguments: ["text", "json"])
    func `Showing a device tells what is there, and no secret`(form: String) async throws {
        let sample = try await DeviceStoreSample()
        let outcome = try await devices("show", ["--store", sample.address, "--output", form, "tv-0"])
        #expect(outcome.exitCode == 0 && outcome.error.isEmpty)
        #expect(!outcome.output.contains("secret"))
        for fact in ["https://broker.example", "REF30", "REF31", "TestMVPD", "OtherMVPD", "Test TV", "old"] {
            #expect(outcome.output.contains(fact), "\(fact)")
        }
        guard form == "json" else {
            for line in [
                "subscriber    known", "identifier    kept", "credentials, access token until", "a code waits until",
                "by one session", "1 attributes, not shown", "not confirmed by the broker", "decisions       1, ",
                "last sign-in    TestMVPD", "other profile   LeftMVPD, at the broker as of ", "for temporary access",
            ] {
                #expect(outcome.output.contains(line), "\(line)")
            }
            return
        }
        let device = try #require((outcome.object["devices"] as? [[String: Any]])?.first)
        #expect(device["device"] as? String == "tv-0")
        #expect(device["hasSubscriber"] as? Bool == true && device["hasIdentifier"] as? Bool == true)
        #expect(device["sealingKey"] as? String == "old")
        let requestor = try #require((device["requestors"] as? [[String: Any]])?.first)
        #expect(requestor["epoch"] as? Int == 1 && requestor["decisions"] as? Int == 1)
        #expect(requestor["hasIdentity"] as? Bool == true)
        #expect((requestor["profile"] as? [String: Any])?["notAfter"] as? Int == 4_102_444_800_000)
        #expect((requestor["profile"] as? [String: Any])?["attributes"] as? Int == 1)
        #expect(requestor["lastSignIn"] as? String == "TestMVPD")
        let others = try #require(requestor["otherProfiles"] as? [[String: Any]])
        #expect(others.map { $0["mvpd"] as? String } == ["LeftMVPD"] && others.first?["known"] as? Int != nil)
        #expect(requestor["codeUntil"] != nil && requestor["pollingUntil"] != nil)
    }

    @Test func `A device is found by its name, its place and its subscriber`() async throws {
        let sample = try await DeviceStoreSample(devices: 2)
        let place = try #require(try await sample.directory().keptRecord(of: "tv-1")).key
        let store = ["--store", sample.address]
        #expect(try await devices("show", store + ["-"], input: "tv-1\r\ntv-0\n").output.contains("device tv-1\n"))
        #expect(try await devices("show", store + ["--record", "\(place)"]).output.hasPrefix("device tv-1\n"))
        let all = try await devices(
            "show", store + ["--subscriber", "-", "--output", "json"], input: "subscriber-secret\n")
        #expect((all.object["devices"] as? [Any])?.count == 2)
        let none = try await devices("show", store + ["--subscriber", "somebody"])
        #expect(none.exitCode == 17 && none.error.contains("[no_such_device]") && !none.error.contains("somebody"))
        let part = try await devices("show", store + ["tv-0", "tv-9"])
        #expect(part.exitCode == 17 && part.output.contains("device tv-0\n") && !part.error.contains("tv-9"))
    }

    @Test func `Looking is not a use`() async throws {
        let sample = try await DeviceStoreSample()
        let before = try await devices("list", ["--store", sample.address]).output
        #expect(try await devices("show", ["--store", sample.address, "tv-0"]).exitCode == 0)
        #expect(try await devices("list", ["--store", sample.address]).output == before)
    }

    // MARK: Keys

    @Test func `Other keys, and none, are refused`() async throws {
        let sample = try await DeviceStoreSample()
        let others = sample.folder.path("others.keys")
        try SealingKeys.generate(id: "old").write(to: others)
        let store = ["--store", sample.address]
        let wrong = try await devices("show", store + ["--sealing-keys", others, "tv-0"])
        #expect(wrong.exitCode == 78 && wrong.error.contains("[record_does_not_open]"))
        #expect(try await devices("show", store + ["--unsealed", "tv-0"]).error.contains("[record_is_sealed]"))
        let missing = try await devices("show", store + ["--sealing-keys", sample.folder.path("none"), "tv-0"])
        #expect(missing.exitCode == 66)
        try sample.folder.setPermissions(0o644, of: sample.keysPath)
        let open = try await devices("reseal", store)
        #expect(open.exitCode == 78 && open.error.contains("[sealing_keys_open_to_others]"))
    }

    // MARK: erase

    @Test func `Erasing removes the record of a device, and says so`() async throws {
        let sample = try await DeviceStoreSample(devices: 3)
        let place = try #require(try await sample.directory().keptRecord(of: "tv-2")).key
        let store = ["--store", sample.address]
        #expect(try await devices("erase", store + ["tv-0"]).exitCode == 64, "without --yes")
        #expect(try await devices("list", store).lines.count == 3)
        #expect(try await devices("erase", store + ["tv-0", "--yes"]).output == "erased 1\n")
        #expect(try await devices("erase", store + ["tv-0", "--yes"]).output == "erased 0\n")
        let byPlace = try await devices("erase", store + ["--record", "\(place)", "--yes", "--output", "json"])
        #expect(byPlace.object["erased"] as? Int == 1)
        #expect(try await devices("list", store).lines.count == 1)
    }

    @Test func `Erasing a subscriber removes all of their devices, also those that do not open`() async throws {
        let sample = try await DeviceStoreSample(devices: 3)
        let directory = try sample.directory()
        try await directory.change("of another") { record in record.subject = "another" }
        let store = ["--store", sample.address]
        let outcome = try await devices("erase", store + ["--subscriber", "-", "--yes"], input: "subscriber-secret")
        #expect(outcome.exitCode == 0 && outcome.output == "erased 3\n")
        #expect(try await directory.record(of: "of another") != nil)
        #expect(try await devices("list", store).lines.count == 1)
    }

    // MARK: Command line

    @Test(arguments: [
        ["list"], ["list", "--store", ""], ["list", "--store", "memory:"], ["list", "--store", "ftp://x"],
        ["list", "--store", "sqlite:a", "--store", "sqlite:b"], ["list", "--store", "sqlite:a", "--limit", "0"],
        ["list", "--store", "sqlite:a", "--store-timeout", "5"],
        ["list", "--store", "redis://h", "--store-ca-file", "x"],
        ["list", "--store", "redis://h", "--store-timeout", "0"],
        ["list", "--store", "rediss://h", "--store-key-file", "x"],
        ["show", "--store", "sqlite:a"], ["show", "--store", "sqlite:a", ""],
        ["show", "--store", "sqlite:a", "tv", "--subscriber", "s"], ["show", "--store", "sqlite:a", "-", "tv"],
        ["show", "--store", "sqlite:a", "--record", "ABCD"], ["show", "--store", "sqlite:a", "--subscriber", ""],
        ["reseal", "--store", "sqlite:a", "--unsealed", "--sealing-keys", "k"], ["erase", "--store", "sqlite:a", "tv"],
        ["show", "--store", "redis://h:1/0", "tv"],
    ])
    func `A wrong command line is refused`(arguments: [String]) async throws {
        let outcome = try await Tool.run(["devices"] + arguments)
        #expect(outcome.exitCode == 64, "\(outcome.error)")
        #expect(outcome.output.isEmpty)
    }

    @Test func `A file that is not a store of records is left as it is`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("text")
        try folder.write("a text\n", to: path)
        #expect(try await devices("list", ["--store", "sqlite:\(path)"]).exitCode == 78)
        #expect(try folder.text(path) == "a text\n")
    }
}
