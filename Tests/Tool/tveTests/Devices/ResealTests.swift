import DeviceRecords
import EntitlementValues
import Foundation
import SQLiteStores
import SealedRecords
import TestVectors
import Testing

@Suite struct ResealTests {
    /// A store whose records are sealed with the key `old`, and its ring with a newer one.
    private struct Rotated {
        let sample: DeviceStoreSample
        let keys: SealingKeys
        let store: [String]

        init(devices count: Int) async throws {
            sample = try await DeviceStoreSample(devices: count)
            keys = try sample.keys.addingKey(id: "new")
            let path = sample.folder.path("ring")
            try keys.write(to: path)
            store = ["--store", sample.address, "--sealing-keys", path]
        }

        /// Waits until the tool has resealed some of so many records.
        func waitForFirst(of count: Int) async throws {
            let directory = try sample.directory(keys)
            try await eventually("a resealed record") {
                for number in stride(from: 0, to: count, by: 50) {
                    if try await directory.keptRecord(of: DeviceKey("tv-\(number)"))?.sealingKey == "new" {
                        return true
                    }
                }
                return false
            }
        }

        func run(_ more: String...) async throws -> Tool.Outcome {
            try await Tool.run(["devices", "reseal"] + store + more)
        }

        /// The ring without the old key.
        func newestAlone() throws -> SealingKeys {
            let lines = try sample.folder.text(sample.folder.path("ring")).split(separator: "\n")
            let path = sample.folder.path("newest")
            try sample.folder.write(
                lines.filter { !$0.hasPrefix("seal old ") }.map { "\($0)\n" }.joined(), to: path)
            return try SealingKeys(contentsOfFile: path)
        }
    }

    @Test func `After resealing no record needs the old key, and none has changed`() async throws {
        let rotated = try await Rotated(devices: 40)
        let before = try #require(try await rotated.sample.directory().keptRecord(of: "tv-7"))
        let trial = try await rotated.run("--dry-run", "--output", "json")
        #expect(trial.exitCode == 0 && trial.object["resealed"] as? Int == 40)
        #expect(trial.object["dryRun"] as? Bool == true)
        #expect(try await rotated.sample.directory().keptRecord(of: "tv-7")?.sealingKey == "old")
        let outcome = try await rotated.run()
        #expect(outcome.exitCode == 0)
        #expect(outcome.output == "resealed 40, current 0, gone 0, unsealed 0, failed 0\n")
        #expect(outcome.error.isEmpty, "no progress in a pipe")
        let newest = try rotated.sample.directory(try rotated.newestAlone())
        try await newest.checkKeys()
        let after = try #require(try await newest.keptRecord(of: "tv-7"))
        #expect(after.sealingKey == "new" && after.version == before.version + 1)
        #expect(after.record == before.record && after.expires == before.expires)
        #expect(try await newest.devices(of: "subscriber-secret").count == 40)
        let again = try await rotated.run("--output", "json")
        #expect(again.object["current"] as? Int == 40 && again.object["resealed"] as? Int == 0)
    }

    @Test func `A run that was stopped goes on where it was`() async throws {
        let rotated = try await Rotated(devices: 60)
        let directory = try rotated.sample.directory(rotated.keys)
        for number in 0..<25 {
            let key = try directory.key(of: DeviceKey("tv-\(number)"))
            #expect(try await directory.reseal(at: key) == .resealed)
        }
        let outcome = try await rotated.run()
        #expect(outcome.output == "resealed 35, current 25, gone 0, unsealed 0, failed 0\n")
    }

    @Test func `A signal stops the run with its exit code`() async throws {
        let rotated = try await Rotated(devices: 4000)
        let run = try PipedProgram(Tool.executable, ["devices", "reseal"] + rotated.store)
        try await rotated.waitForFirst(of: 4000)
        run.program.send(SIGTERM)
        let text = try await run.rest()
        #expect(try await run.end() == 143)
        #expect(text.hasSuffix(", stopped before the end\n"), "\(text)")
        let rest = try await rotated.run("--output", "json").object
        #expect((rest["resealed"] as? Int ?? 0) + (rest["current"] as? Int ?? 0) == 4000)
    }

    @Test func `Records that do not open are named, counted and left alone`() async throws {
        let rotated = try await Rotated(devices: 3)
        let store = try SQLiteRecordStore(path: rotated.sample.path)
        let place = try rotated.sample.directory().key(of: "tv-1")
        let stored = try #require(try await store.record(at: place))
        var bytes = stored.bytes
        bytes[bytes.count - 1] ^= 1
        let damaged = StoredRecord(bytes: bytes, version: stored.version + 1, expires: stored.expires)
        #expect(
            try await store.replace(at: place, expecting: stored.version, with: damaged, durability: .normal))
        let outcome = try await rotated.run()
        #expect(outcome.exitCode == 78)
        #expect(outcome.output == "resealed 2, current 0, gone 0, unsealed 0, failed 1\n")
        #expect(outcome.error.contains("record \(place): ") && outcome.error.contains("[record_does_not_open]"))
        #expect(try await store.record(at: place) == damaged)
    }

    @Test func `Servers go on while their records are sealed anew`() async throws {
        let rotated = try await Rotated(devices: 1)
        // A server that knows the new key, and changes a device all the time.
        let directory = try rotated.sample.directory(rotated.keys)
        let (changes, told) = AsyncStream.makeStream(of: Int64.self, bufferingPolicy: .bufferingNewest(1))
        let writer = Task {
            var count: Int64 = 0
            while !Task.isCancelled {
                try await directory.change("tv-0") { record in _ = record["REF32"].raiseEpoch() }
                count += 1
                told.yield(count)
            }
            return count
        }
        var iterator = changes.makeAsyncIterator()
        for _ in 0..<5 {
            // The writer has changed the device since the last run.
            _ = await iterator.next()
            #expect(try await rotated.run().exitCode == 0)
        }
        writer.cancel()
        let count = try await writer.value
        let kept = try #require(try await directory.keptRecord(of: "tv-0"))
        #expect(kept.sealingKey == "new" && kept.record["REF32"].epoch == count && count > 0)
    }
}
