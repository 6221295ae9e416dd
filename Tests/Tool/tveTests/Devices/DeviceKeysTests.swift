import Foundation
import SealedRecords
import Testing

/// `tve devices keys`: the ring that records of devices are sealed with.
@Suite struct DeviceKeysTests {
    @Test func `A ring is made for its owner alone, and is not overwritten`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("ring")
        let outcome = try await Tool.run(["devices", "keys", path])
        #expect(outcome.exitCode == 0 && outcome.output.isEmpty && outcome.error.isEmpty)
        #expect(try SealingKeys(contentsOfFile: path).ids == ["1"])
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let before = try Data(contentsOf: URL(filePath: path))
        #expect(try await Tool.run(["devices", "keys", path]).exitCode == 74)
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
    }

    @Test func `A further key seals from now on, and the older ones still open`() async throws {
        let folder = try TemporaryFolder()
        let (old, new) = (folder.path("old"), folder.path("new"))
        #expect(try await Tool.run(["devices", "keys", old]).exitCode == 0)
        #expect(try await Tool.run(["devices", "keys", "--from", old, "--id", "2026-11", new]).exitCode == 0)
        #expect(try SealingKeys(contentsOfFile: new).ids == ["1", "2026-11"])
        let lines = try String(contentsOfFile: old, encoding: .utf8).split(separator: "\n")
        #expect(try String(contentsOfFile: new, encoding: .utf8).split(separator: "\n").starts(with: lines))
    }

    @Test(
        arguments: [
            (["--id", "a b"], 78), (["--from", "/nowhere"], 66), (["--from", "/dev/null"], 78),
        ] as [([String], Int32)])
    func `What cannot be a ring is refused, and no file is made`(options: [String], exitCode: Int32) async throws {
        let folder = try TemporaryFolder()
        let outcome = try await Tool.run(["devices", "keys", folder.path("ring")] + options)
        #expect(outcome.exitCode == exitCode, "\(outcome.error)")
        #expect(!FileManager.default.fileExists(atPath: folder.path("ring")))
    }

    @Test func `A key is not added under the name of another one`() async throws {
        let folder = try TemporaryFolder()
        #expect(try await Tool.run(["devices", "keys", folder.path("old")]).exitCode == 0)
        #expect(
            try await Tool.run(["devices", "keys", "--from", folder.path("old"), folder.path("new")]).exitCode == 78)
    }
}
