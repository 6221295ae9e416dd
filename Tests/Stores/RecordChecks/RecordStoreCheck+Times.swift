import EntitlementValues
import SealedRecords

extension RecordStoreCheck {
    static let expiring = [
        RecordStoreCheck("what has expired is absent in every method") { trial in
            let key = RecordKey.numbered(1), subject = RecordKey.numbered(2), alias = RecordKey.numbered(3)
            try await trial.create(key, trial.record("old", version: 4, until: trial.soon, of: subject))
            try await trial.store.put(alias: alias, for: key, until: trial.soon)
            let before = try await trial.store.version(at: key)
            trial.expect(before, 4, "version before the end")
            try await trial.passSoon()
            let record = try await trial.store.record(at: key)
            trial.expect(record, nil, "record")
            let version = try await trial.store.version(at: key)
            trial.expect(version, nil, "version")
            let owned = try await trial.store.keys(of: subject)
            trial.expect(owned, [], "keys of the subject")
            let named = try await trial.store.key(of: alias)
            trial.expect(named, nil, "key of the name")
            let page = try await trial.store.summaries(after: nil, limit: 10)
            trial.expect(page.summaries, [], "page")
            try await trial.store.extend(at: key, until: trial.later)
            let revived = try await trial.store.version(at: key)
            trial.expect(revived, nil, "version after extending")
            let isWritten = try await trial.store.replace(
                at: key, expecting: 4, with: trial.record("new", version: 5), durability: .normal)
            trial.expect(isWritten, false, "expecting the old version")
            let isRemoved = try await trial.store.remove(at: key)
            trial.expect(isRemoved, false, "removing")
            try await trial.create(key, trial.record("new", version: 8))
        },
        RecordStoreCheck("an expired record makes room for a new one in its place") { trial in
            let key = RecordKey.numbered(1)
            try await trial.create(key, trial.record("old", version: 4, until: trial.soon, of: .numbered(2)))
            try await trial.passSoon()
            try await trial.create(key, trial.record("new", version: 2, of: .numbered(3)))
            let found = try await trial.store.record(at: key)
            trial.expect(found?.bytes, Array("new".utf8), "content")
            let old = try await trial.store.keys(of: .numbered(2)), new = try await trial.store.keys(of: .numbered(3))
            trial.expect(old, [], "keys of the old subject")
            trial.expect(new, [key], "keys of the new subject")
        },
        RecordStoreCheck("a record that is replaced by one which has ended is gone") { trial in
            let key = RecordKey.numbered(1), subject = RecordKey.numbered(2)
            try await trial.create(key, trial.record("x", version: 4, of: subject))
            let ended = StoredRecord(bytes: [], version: 4, expires: Timestamp(milliseconds: 0))
            let isStale = try await trial.store.replace(at: key, expecting: 3, with: ended, durability: .full)
            trial.expect(isStale, false, "expecting another version")
            let isGone = try await trial.store.replace(at: key, expecting: 4, with: ended, durability: .full)
            trial.expect(isGone, true, "expecting its version")
            let record = try await trial.store.record(at: key)
            trial.expect(record, nil, "record")
            let owned = try await trial.store.keys(of: subject)
            trial.expect(owned, [], "keys of the subject")
            try await trial.create(key, trial.record("new", version: 9))
        },
        RecordStoreCheck("an end moves to a later instant, and to no earlier one") { trial in
            let key = RecordKey.numbered(1), end = trial.soon, later = trial.later
            try await trial.create(key, trial.record("x", version: 4, until: end, of: .numbered(2)))
            try await trial.store.extend(at: key, until: end - .seconds(1))
            let early = try await trial.store.record(at: key)?.expires
            trial.expect(early, end, "after an earlier end")
            try await trial.store.extend(at: key, until: later)
            let record = try await trial.store.record(at: key)
            trial.expect(record?.expires, later, "after a later end")
            trial.expect(record?.version, 4, "version")
            trial.expect(record?.bytes, Array("x".utf8), "content")
            trial.expect(record?.subject, .numbered(2), "subject")
            try await trial.passSoon()
            let version = try await trial.store.version(at: key)
            trial.expect(version, 4, "version after the first end")
        },
        RecordStoreCheck("a new record has the end that it was given") { trial in
            let key = RecordKey.numbered(1)
            try await trial.create(key, trial.record("x", version: 1))
            let shorter = trial.soon
            _ = try await trial.store.replace(
                at: key, expecting: 1, with: trial.record("y", version: 2, until: shorter), durability: .normal)
            let found = try await trial.store.record(at: key)?.expires
            trial.expect(found, shorter, "a shorter end")
            try await trial.passSoon()
            let version = try await trial.store.version(at: key)
            trial.expect(version, nil, "version after it")
        },
    ]

    static let naming = [
        RecordStoreCheck("a name leads to its record, and can be given to another") { trial in
            let name = RecordKey.numbered(1), one = RecordKey.numbered(2), other = RecordKey.numbered(3)
            try await trial.store.put(alias: name, for: one, until: trial.later)
            let first = try await trial.store.key(of: name)
            trial.expect(first, one, "key")
            try await trial.store.put(alias: name, for: other, until: trial.later)
            let second = try await trial.store.key(of: name)
            trial.expect(second, other, "key of a name that was given again")
            try await trial.store.remove(alias: name)
            let none = try await trial.store.key(of: name)
            trial.expect(none, nil, "key of a removed name")
        },
        RecordStoreCheck("a name may have the bytes of a record's key") { trial in
            let key = RecordKey.numbered(1), other = RecordKey.numbered(2)
            try await trial.create(key, trial.record("x"))
            try await trial.store.put(alias: key, for: other, until: trial.later)
            let record = try await trial.store.record(at: key)?.bytes
            trial.expect(record, Array("x".utf8), "record")
            try await trial.store.remove(at: key)
            let named = try await trial.store.key(of: key)
            trial.expect(named, other, "key of the name")
        },
        RecordStoreCheck("records are found by the subject that they have now") { trial in
            let subject = RecordKey.numbered(100), other = RecordKey.numbered(101)
            for number in 1...5 {
                try await trial.create(.numbered(number), trial.record("x", version: 1, of: subject))
            }
            _ = try await trial.store.replace(
                at: .numbered(1), expecting: 1, with: trial.record("y", version: 2, of: other), durability: .normal)
            _ = try await trial.store.replace(
                at: .numbered(2), expecting: 1, with: trial.record("y", version: 2), durability: .normal)
            _ = try await trial.store.replace(
                at: .numbered(3), expecting: 1, with: trial.record("y", version: 2, of: subject), durability: .normal)
            try await trial.store.remove(at: .numbered(4))
            let found = Set(try await trial.store.keys(of: subject))
            trial.expect(found, [.numbered(3), .numbered(5)], "records of the subject")
            let others = try await trial.store.keys(of: other)
            trial.expect(others, [.numbered(1)], "records of the other one")
        },
    ]

    static let listing = [
        RecordStoreCheck("every record is on a page") { trial in
            let end = trial.later
            for number in 0..<60 {
                let record = trial.record("x", version: Int64(number + 1), until: end)
                try await trial.create(.numbered(number), record)
            }
            for limit in [1, 7, 60, 1000] {
                var found: [RecordKey: RecordSummary] = [:]
                var cursor: RecordCursor?
                var pages = 0
                repeat {
                    let page = try await trial.store.summaries(after: cursor, limit: limit)
                    for summary in page.summaries { found[summary.key] = summary }
                    cursor = page.next
                    pages += 1
                } while cursor != nil && pages < 10_000
                trial.expect(found.count, 60, "records, with pages of \(limit)")
                let summary = RecordSummary(key: .numbered(41), version: 42, expires: end)
                trial.expect(found[.numbered(41)], summary, "summary")
            }
        }
    ]
}
