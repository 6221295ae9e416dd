package import EntitlementValues
package import SealedRecords
import TestVectors

/// One promise of `RecordStore`, as a check that any store can be put to.
///
/// A test target runs all of them against its store, each with an empty one:
///
/// ```swift
/// @Test(arguments: RecordStoreCheck.all)
/// func theStoreKeepsItsPromises(_ check: RecordStoreCheck) async throws {
///     #expect(try await check.failures(of: store, by: clock) == [])
/// }
/// ```
package struct RecordStoreCheck: Sendable, CustomStringConvertible {
    /// What the store promises.
    package let description: String
    private let body: @Sendable (inout RecordStoreTrial) async throws -> Void

    init(_ description: String, _ body: @escaping @Sendable (inout RecordStoreTrial) async throws -> Void) {
        (self.description, self.body) = (description, body)
    }

    /// All checks.
    package static let all = reading + replacing + expiring + naming + listing + limits

    /// Puts a store to the check.
    ///
    /// - Parameters:
    ///   - store: A store without records.
    ///   - clock: The clock by which its records expire.
    /// - Returns: What the store did not do as promised; empty if it passed.
    /// - Throws: What the store threw.
    package func failures(of store: any RecordStore, by clock: StoreClock) async throws -> [String] {
        var trial = RecordStoreTrial(store: store, clock: clock)
        try await body(&trial)
        return trial.failures
    }
}

/// The clock of a store, and a way to let time pass by it.
package struct StoreClock: Sendable {
    let now: @Sendable () -> Timestamp
    let pass: @Sendable (TimeToLive) async throws -> Void

    /// Describes a clock.
    ///
    /// - Parameters:
    ///   - now: Reads it.
    ///   - pass: Lets time pass: moves a clock of a test, or waits.
    package init(
        now: @escaping @Sendable () -> Timestamp,
        pass: @escaping @Sendable (TimeToLive) async throws -> Void
    ) {
        (self.now, self.pass) = (now, pass)
    }
}

/// A check under way: the store, and what it did not do as promised.
struct RecordStoreTrial {
    let store: any RecordStore
    let clock: StoreClock
    private(set) var failures: [String] = []

    init(store: any RecordStore, clock: StoreClock) { (self.store, self.clock) = (store, clock) }

    /// An end that the check does not reach.
    var later: Timestamp { clock.now() + .hours(400 * 24) }
    /// An end that the check reaches by `passSoon`.
    var soon: Timestamp { clock.now() + .seconds(2) }

    /// Lets time pass until what ended `soon` has ended.
    func passSoon() async throws { try await clock.pass(TimeToLive(milliseconds: 2100)) }

    mutating func expect<Value: Equatable>(_ found: Value, _ wanted: Value, _ what: String) {
        if found != wanted { failures.append("\(what): \(found), not \(wanted)") }
    }

    /// Writes a record where none may be.
    mutating func create(_ key: RecordKey, _ record: StoredRecord, _ durability: RecordDurability = .normal)
        async throws
    {
        let isWritten = try await store.replace(at: key, expecting: nil, with: record, durability: durability)
        expect(isWritten, true, "a new record is written")
    }

    func record(_ text: String, version: Int64 = 1, until end: Timestamp? = nil, of subject: RecordKey? = nil)
        -> StoredRecord
    {
        StoredRecord(bytes: Array(text.utf8), version: version, expires: end ?? later, subject: subject)
    }
}

extension RecordKey {
    /// A key that is the same for the same number, and spread like a hash.
    static func numbered(_ number: Int) -> RecordKey {
        var noise = Noise(seed: UInt64(truncatingIfNeeded: number))
        guard let key = RecordKey(noise.bytes(RecordKey.length)) else { preconditionFailure("32 bytes are a key") }
        return key
    }
}
