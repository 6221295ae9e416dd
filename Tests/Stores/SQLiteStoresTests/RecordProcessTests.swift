import BrokerMessages
import DeviceRecords
import EntitlementValues
import Foundation
import SQLiteStores
import SealedRecords
import Testing

/// Several processes that change one device, some of which are killed.
@Suite struct RecordProcessTests {
    static let device: DeviceKey = "the device of all processes"

    let folder: TemporaryFolder
    let path: String
    let keys: SealingKeys
    var keysPath: String { folder.path("keys") }

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("records.sqlite")
        keys = try SealingKeys.generate(id: "test")
        try keys.write(to: folder.path("keys"))
    }

    /// A process that changes the record of the device: the executable `RecordChanger`.
    private func changer(_ number: Int, count: Int, atOnce: Int = 2, limit: Int? = nil) throws -> StoreProcess {
        let arguments = [path, keysPath, "\(number)", "\(count)", "\(atOnce)"]
        return try StoreProcess("RecordChanger", arguments, folder, limit: limit)
    }

    private func directory() throws -> DeviceDirectory {
        DeviceDirectory(in: try SQLiteRecordStore(path: path, patience: .seconds(60)), sealer: RecordSealer(keys))
    }

    /// The epochs that a process says it made, and whose credentials it was told to keep in each turn.
    private func answers(_ lines: [String]) -> (epochs: [Int], kept: [Int: String]) {
        var kept: [Int: String] = [:]
        let epochs = lines.compactMap { line -> Int? in
            let words = line.split(separator: " ")
            if words.count == 4, words[1] == "kept", let turn = Int(words[2]) { kept[turn] = String(words[3]) }
            return words.first.flatMap { Int($0) }
        }
        return (epochs, kept)
    }

    /// `TVE_CHANGES` sets how many changes each process makes, a multiple of 500.
    @Test func `Four processes that change one device ten thousand times lose nothing`() async throws {
        let (processes, count) = (4, ProcessInfo.processInfo.environment["TVE_CHANGES"].flatMap { Int($0) } ?? 2500)
        let changers = try (0..<processes).map { try changer($0, count: count) }
        var lines: [[String]] = []
        for changer in changers { lines.append(try await changer.lines()) }
        #expect(lines.joined().first { $0.hasPrefix("failed") } == nil)
        let all = lines.map(answers)
        // Each change made an epoch of its own, and none was made twice.
        let isWhole = all.flatMap(\.epochs).sorted() == Array(1...processes * count)
        #expect(isWhole)
        let record = try #require(try await directory().record(of: Self.device))
        #expect(record["REF30"].epoch == Int64(processes * count))
        #expect(record.registrations.count == (processes + 1) * count / 500)
        for process in 0..<processes {
            for turn in stride(from: 0, to: count, by: 500) {
                let own = record.registrations[scope("\(process)", turn)]?.credentials
                #expect(own?.clientID == "client-\(process)-\(turn)")
                #expect(own?.clientSecret == "secret-\(process)-\(turn)")
                // All were told to keep the same credentials, and those were kept.
                let shared = record.registrations[scope("all", turn)]?.credentials.clientID
                #expect(shared == all[process].kept[turn])
            }
        }
    }

    private func scope(_ owner: String, _ turn: Int) -> RegistrationScope {
        RegistrationScope(origin: "https://broker.example", application: "\(owner)-\(turn)")
    }

    @Test func `A process killed at any point leaves a readable store with all its answers`() async throws {
        var kills = Kills(usually: 40)
        var last: Int64 = 0
        for run in 0..<kills.count {
            let changer = try changer(run, count: 1 << 20, atOnce: 4)
            try await kills.kill(changer, inRun: run)
            let lines = try await changer.lines()
            #expect(lines.first { $0.hasPrefix("failed") } == nil)
            let epochs = answers(lines).epochs
            if kills.isAfterAnswers(run: run) { #expect(!epochs.isEmpty) }
            let record = try await directory().record(of: Self.device)
            let epoch = record?["REF30"].epoch ?? 0
            #expect(epoch >= Int64(epochs.max() ?? 0))
            // Changes of the killed process that were not answered may be there.
            #expect(epoch >= last + Int64(epochs.count) && epoch <= last + Int64(epochs.count) + 4)
            last = epoch
        }
    }

    @Test func `A fork needs a store of its own`() async throws {
        let lines = try await StoreProcess("RecordChanger", [path, keysPath, "fork"], folder).lines()
        #expect(lines.count == 2)
        #expect(lines.first == "1")
        #expect(lines.last?.hasPrefix("failed") == true)
        #expect(lines.last?.contains("forked") == true)
    }

    @Test func `A full disk refuses changes and loses none`() async throws {
        let lines = try await changer(0, count: 600, atOnce: 1, limit: 200).lines()
        let refused = lines.filter { $0.hasPrefix("failed") }
        let epochs = answers(lines).epochs
        #expect(!epochs.isEmpty)
        #expect(!refused.isEmpty)
        #expect(refused.allSatisfy { $0.contains("did not answer") }, "\(refused.first ?? "")")
        let record = try #require(try await directory().record(of: Self.device))
        #expect(record["REF30"].epoch == Int64(epochs.max() ?? 0))
        try await directory().change(Self.device) { record in _ = record["REF30"].raiseEpoch() }
    }

    @Test func `A wrong key is an error and overwrites nothing`() async throws {
        try await directory().change(Self.device) { record in _ = record["REF30"].raiseEpoch() }
        let store = try SQLiteRecordStore(path: path)
        let place = try RecordSealer(keys).key(of: Self.device.rawValue, for: .device)
        let before = try await store.record(at: place)
        let text = try String(contentsOfFile: keysPath, encoding: .utf8)
        // The index key stays, so the record is found; the sealing key is another one under its name, or renamed.
        let digits = String(repeating: "0", count: 64)
        let rings = [
            (String(text.dropLast(65)) + digits, SealingError.doesNotOpen(keyID: "test")),
            (text.replacing("seal test ", with: "seal other "), .unknownKey(id: "test")),
        ]
        for (number, (ring, expected)) in rings.enumerated() {
            let file = folder.path("ring-\(number)")
            #expect(
                FileManager.default.createFile(
                    atPath: file, contents: Data(ring.utf8), attributes: [.posixPermissions: 0o600]))
            let wrong = DeviceDirectory(in: store, sealer: RecordSealer(try SealingKeys(contentsOfFile: file)))
            await #expect(throws: DeviceRecordsError.sealing(expected)) { try await wrong.record(of: Self.device) }
            await #expect(throws: DeviceRecordsError.sealing(expected)) {
                try await wrong.change(Self.device) { record in record.subject = "x" }
            }
        }
        #expect(try await store.record(at: place) == before)
        #expect(try await directory().record(of: Self.device)?["REF30"].epoch == 1)
    }
}
