import EntitlementValues
import SealedRecords

extension RecordStoreCheck {
    static let reading = [
        RecordStoreCheck("a record is read as it was written") { trial in
            let contents: [[UInt8]] = [[], [0], Array(0...255), Array(repeating: 0, count: 3000)]
            for (number, bytes) in contents.enumerated() {
                for (half, durability) in [RecordDurability.normal, .full].enumerated() {
                    let subject = number.isMultiple(of: 2) ? RecordKey.numbered(900 + number) : nil
                    let written = StoredRecord(
                        bytes: bytes, version: 1 << 48, expires: trial.later, subject: subject)
                    let key = RecordKey.numbered(number * 2 + half)
                    try await trial.create(key, written, durability)
                    let found = try await trial.store.record(at: key)
                    trial.expect(found?.bytes, bytes, "bytes")
                    trial.expect(found, written, "record \(number)")
                    let version = try await trial.store.version(at: key)
                    trial.expect(version, 1 << 48, "version")
                }
            }
        },
        RecordStoreCheck("what is not there is absent in every method") { trial in
            let key = RecordKey.numbered(1)
            let record = try await trial.store.record(at: key)
            trial.expect(record, nil, "record")
            let version = try await trial.store.version(at: key)
            trial.expect(version, nil, "version")
            let isRemoved = try await trial.store.remove(at: key)
            trial.expect(isRemoved, false, "removing")
            try await trial.store.extend(at: key, until: trial.later)
            let extended = try await trial.store.version(at: key)
            trial.expect(extended, nil, "version after extending")
            let named = try await trial.store.key(of: key)
            trial.expect(named, nil, "key of a name")
            try await trial.store.remove(alias: key)
            let owned = try await trial.store.keys(of: key)
            trial.expect(owned, [], "keys of a subject")
            let page = try await trial.store.summaries(after: nil, limit: 10)
            trial.expect(page, RecordPage(summaries: [], next: nil), "page")
        },
    ]

    static let replacing = [
        RecordStoreCheck("only the expected version is replaced") { trial in
            let key = RecordKey.numbered(1), other = RecordKey.numbered(2)
            try await trial.create(key, trial.record("one", version: 7))
            for expected in [nil, 6, 8] as [Int64?] {
                let isWritten = try await trial.store.replace(
                    at: key, expecting: expected, with: trial.record("two", version: 8), durability: .normal)
                trial.expect(isWritten, false, "expecting \(expected as Any)")
            }
            let unchanged = try await trial.store.record(at: key)?.bytes
            trial.expect(unchanged, Array("one".utf8), "after wrong versions")
            for (version, durability) in [(Int64(7), RecordDurability.normal), (8, .full), (9, .normal)] {
                let isWritten = try await trial.store.replace(
                    at: key, expecting: version, with: trial.record("\(version)", version: version + 1),
                    durability: durability)
                trial.expect(isWritten, true, "expecting \(version)")
            }
            let found = try await trial.store.record(at: key)
            trial.expect(found?.version, 10, "version")
            trial.expect(found?.bytes, Array("9".utf8), "content")
            let missing = try await trial.store.replace(
                at: other, expecting: 1, with: trial.record("x", version: 2), durability: .normal)
            trial.expect(missing, false, "expecting a version where nothing is")
        },
        RecordStoreCheck("a removed record is gone, and can be made again") { trial in
            let key = RecordKey.numbered(1)
            try await trial.create(key, trial.record("one", version: 5))
            let isRemoved = try await trial.store.remove(at: key)
            trial.expect(isRemoved, true, "removing")
            let again = try await trial.store.remove(at: key)
            trial.expect(again, false, "removing again")
            let late = try await trial.store.replace(
                at: key, expecting: 5, with: trial.record("late", version: 6), durability: .normal)
            trial.expect(late, false, "writing in the place of a removed record")
            try await trial.create(key, trial.record("two", version: 9))
            let version = try await trial.store.version(at: key)
            trial.expect(version, 9, "version")
        },
        RecordStoreCheck("of those who make a record at the same time, one does") { trial in
            let store = trial.store, record = trial.record("x", version: 3)
            let winners = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<50 {
                    group.addTask {
                        try await store.replace(
                            at: .numbered(1), expecting: nil, with: record,
                            durability: number.isMultiple(of: 2) ? .normal : .full)
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            trial.expect(winners, 1, "winners")
        },
        RecordStoreCheck("changes at the same time lose nothing") { trial in
            let store = trial.store, end = trial.later, tasks = 8, turns = 40
            try await trial.create(.numbered(1), trial.record("", version: 1))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<tasks {
                    group.addTask {
                        for _ in 0..<turns { try await store.append(UInt8(task), to: .numbered(1), until: end) }
                    }
                }
                try await group.waitForAll()
            }
            let found = try await store.record(at: .numbered(1))
            trial.expect(found?.version, Int64(1 + tasks * turns), "version")
            for task in 0..<tasks {
                trial.expect(found?.bytes.count { $0 == UInt8(task) }, turns, "changes of task \(task)")
            }
        },
    ]

    static let limits = [
        RecordStoreCheck("records up to the limit are taken, and no larger ones") { trial in
            let limit = StoredRecord.maximumLength
            let largest = [UInt8](repeating: 0xA5, count: limit)
            try await trial.create(
                .numbered(1), StoredRecord(bytes: largest, version: 1, expires: trial.later))
            let found = try await trial.store.record(at: .numbered(1))?.bytes
            trial.expect(found, largest, "the largest record")
            let tooLarge = StoredRecord(bytes: largest + [0], version: 2, expires: trial.later)
            let error = await trial.error(writing: tooLarge, expecting: 1)
            trial.expect(error, .tooLarge(count: limit + 1, limit: limit), "one byte more")
        },
        RecordStoreCheck("versions are 1 to 2^53 - 1") { trial in
            for version in [Int64.min, 0, StoredRecord.maximumVersion + 1, .max] {
                let error = await trial.error(writing: trial.record("x", version: version), expecting: nil)
                trial.expect(error, .unusableVersion(version), "version \(version)")
            }
            let last = StoredRecord.maximumVersion
            try await trial.create(.numbered(1), trial.record("x", version: last - 1))
            let isWritten = try await trial.store.replace(
                at: .numbered(1), expecting: last - 1, with: trial.record("y", version: last), durability: .normal)
            trial.expect(isWritten, true, "the last version")
            let version = try await trial.store.version(at: .numbered(1))
            trial.expect(version, last, "the last version")
        },
    ]
}

extension RecordStoreTrial {
    fileprivate func error(writing record: StoredRecord, expecting version: Int64?) async -> RecordStoreError? {
        do throws(RecordStoreError) {
            _ = try await store.replace(at: .numbered(1), expecting: version, with: record, durability: .normal)
            return nil
        } catch {
            return error
        }
    }
}

extension RecordStore {
    /// Appends a byte to a record, again and again until no other task was faster.
    fileprivate func append(_ byte: UInt8, to key: RecordKey, until end: Timestamp) async throws {
        while true {
            guard let found = try await record(at: key) else { return }
            let changed = StoredRecord(bytes: found.bytes + [byte], version: found.version + 1, expires: end)
            if try await replace(at: key, expecting: found.version, with: changed, durability: .normal) { return }
        }
    }
}
