public import EntitlementValues
public import SealedRecords
import Synchronization

/// Keeps the records of devices in a store, sealed.
///
/// ```swift
/// let directory = DeviceDirectory(in: store, sealer: RecordSealer(keys))
/// try await directory.checkKeys()
/// let kept = try await directory.change(device) { record in record.adopt(credentials, for: scope) }
/// ```
///
/// Copies of a directory share what they erase, and the decision times that are not written yet. A second directory that is made
/// for the same store knows neither. So make one directory for each store, and pass it on.
///
/// A record is kept for 400 days after the last use of its device. Reading is a use: it moves the end once a day, and
/// writes nothing otherwise.
public struct DeviceDirectory: Sendable {
    /// How long a record is kept after the last use of its device.
    public static let lifetime = TimeToLive.hours(400 * 24)
    /// How often a use moves the end of a record.
    public static let slidingStep = TimeToLive.hours(24)
    /// How often a change is tried at least before it fails as `.contended`; less often if that takes longer than a minute.
    public static let minimumAttempts = ChangeAttempts.minimum
    /// How long a change is tried at least before it fails as `.contended`: fast attempts may all be lost within a moment
    /// in which others change the record, too.
    public static let patience = ChangeAttempts.patience

    /// The end of records, of the mark of their keys, and of what a gateway keeps beside them.
    package static let slidingEnd = SlidingEnd(lifetime: lifetime, step: slidingStep)

    let table: SealedTable<DeviceRecord>
    let time: TimeSource
    private let decisions: DecisionBuffer
    private let erasureCount = ErasureCount()

    /// Makes a directory.
    ///
    /// - Parameters:
    ///   - store: Where the records are.
    ///   - sealer: Seals and opens them.
    ///   - time: By which records expire, and attempts wait.
    public init(in store: any RecordStore, sealer: RecordSealer, time: TimeSource = .system) {
        table = SealedTable(in: store, sealer: sealer, time: time)
        self.time = time
        decisions = DecisionBuffer(time: time)
    }

    /// Reads the record of a device.
    ///
    /// - Parameter device: The device.
    /// - Returns: The record; `nil` if there is none.
    /// - Throws: `DeviceRecordsError`.
    public func record(of device: DeviceKey) async throws(DeviceRecordsError) -> DeviceRecord? {
        try await read(device)?.record
    }

    /// Reads the record of a device again and again.
    ///
    /// The store is asked each time; bytes that are still the same are not opened again.
    ///
    /// - Parameters:
    ///   - device: The device.
    ///   - last: What was read last; `nil` for nothing.
    /// - Returns: The record; `nil` if there is none.
    /// - Throws: `DeviceRecordsError`.
    public func read(
        _ device: DeviceKey,
        after last: ReadRecord? = nil
    ) async throws(DeviceRecordsError) -> ReadRecord? {
        try await asking { table throws(SealedTableError) in
            let place = try table.place(of: device.rawValue)
            guard let found = try await table.entry(at: place, after: last?.found) else { return nil }
            await table.use(found, at: place, moving: Self.slidingEnd)
            return ReadRecord(found: found)
        }
    }

    /// Reads the version of a device's record, to see whether another session has changed it.
    ///
    /// - Parameter device: The device.
    /// - Returns: The version; `nil` if no record is stored.
    /// - Throws: `DeviceRecordsError`.
    public func version(of device: DeviceKey) async throws(DeviceRecordsError) -> Int64? {
        try await asking { table throws(SealedTableError) in
            try await table.version(at: try table.place(of: device.rawValue).key)
        }
    }

    /// Changes the record of a device, and tries again if others change it at the same time.
    ///
    /// If credentials or a profile change, the change has reached the disk when this returns, as far as the store has
    /// one. If nothing changes, nothing is written.
    ///
    /// - Parameters:
    ///   - device: The device. Without a record, the body changes an empty one.
    ///   - body: Changes the record. It may run several times, each time with the record as it is then; only what the
    ///     last run did counts. If it throws, nothing is written.
    /// - Returns: What the body returned.
    /// - Throws: What the body throws; `DeviceRecordsError`; `CancellationError` if the task is cancelled between two
    ///   attempts.
    @discardableResult
    public func change<Answer, Failure: Error>(
        _ device: DeviceKey,
        _ body: (inout DeviceRecord) throws(Failure) -> Answer
    ) async throws -> Answer {
        try await change(device, orDecisionTimes: false, body)
    }

    private func change<Answer, Failure: Error>(
        _ device: DeviceKey,
        orDecisionTimes countsDecisionTimes: Bool,
        evenIfRecent: Bool = false,
        _ body: (inout DeviceRecord) throws(Failure) -> Answer
    ) async throws -> Answer {
        var written: [DecisionBuffer.Noted] = []
        let outcome: Result<Answer, Failure>
        do throws(SealedTableError) {
            outcome = try await table.change(at: try table.place(of: device.rawValue)) { found in
                written = []
                let before = found?.record ?? DeviceRecord(of: device)
                // The body sees the decision times that go out with it, so that a logout can remove them.
                let noted = decisions.due(of: device, evenIfRecent: evenIfRecent)
                let offered = before.adding(noted)
                var after = offered
                let answer = Result { () throws(Failure) in try body(&after) }
                guard case .success = answer, after != (countsDecisionTimes ? before : offered) else {
                    return .keep(answer)
                }
                after.dropExpired(at: time.now)
                written = noted
                return .write(
                    after, until: Self.slidingEnd.end(of: found?.stored, usedAt: time.now),
                    durability: after.mustSurvivePowerLoss(over: before) ? .full : .normal, subject: after.subject,
                    answer: answer)
            }
        } catch .cancelled {
            throw CancellationError()
        } catch {
            throw DeviceRecordsError(error)
        }
        decisions.forget(written, of: device)
        return try outcome.get()
    }

    /// Notes when a resource was decided on, without writing.
    ///
    /// A play writes nothing: the times go out with the next change of the device's record by this directory or a copy
    /// of it, at most once a minute. Those of a process that ends before are lost.
    ///
    /// - Parameters:
    ///   - decision: The times.
    ///   - requestor: The requestor that asked.
    ///   - device: The device.
    public func note(_ decision: DecisionTime, requestor: RequestorID, of device: DeviceKey) {
        decisions.note(decision, requestor: requestor, of: device)
    }

    /// Writes the decision times that were noted, at most once a minute, without waiting for another change.
    ///
    /// - Parameter device: The device.
    /// - Throws: `DeviceRecordsError`; `CancellationError`.
    public func writeNotedDecisions(of device: DeviceKey) async throws {
        try await change(device, orDecisionTimes: true) { _ in }
    }

    /// Writes the noted decision times at once, if they belong to the record.
    ///
    /// A session that ends calls this, so that no time is lost that it noted within a minute after the last writing.
    ///
    /// - Parameters:
    ///   - device: The device.
    ///   - isSame: Whether the record is the one for which they were noted: one that was erased must not begin anew with
    ///     them.
    /// - Throws: `DeviceRecordsError`; `CancellationError`, also if the record is another one.
    package func handOverNotedDecisions(of device: DeviceKey, ifIn isSame: (DeviceRecord) -> Bool) async throws {
        try await change(device, orDecisionTimes: true, evenIfRecent: true) { record throws(CancellationError) in
            guard isSame(record) else { throw CancellationError() }
        }
    }

    /// The decision times that were noted here and are not written yet.
    ///
    /// - Parameters:
    ///   - requestor: The requestor that asked.
    ///   - device: The device.
    /// - Returns: The times, in the order in which they were noted.
    public func notedDecisions(requestor: RequestorID, of device: DeviceKey) -> [DecisionTime] {
        decisions.noted(requestor: requestor, of: device)
    }

    /// Drops decision times that were noted and are not written yet: the user has signed out at the provider.
    ///
    /// - Parameters:
    ///   - mvpd: The provider that decided.
    ///   - requestor: The requestor that asked.
    ///   - device: The device.
    public func dropNotedDecisions(mvpd: MVPDID, requestor: RequestorID, of device: DeviceKey) {
        decisions.drop(mvpd: mvpd, requestor: requestor, of: device)
    }

    /// Drops all decision times of a device that were noted and are not written yet: its record was erased elsewhere.
    ///
    /// - Parameter device: The device.
    package func dropNotedDecisions(of device: DeviceKey) { decisions.forget(device) }

    /// Forgets a device: its record is removed, and decision times that are not written yet are dropped.
    ///
    /// A broker of this directory, or of a copy of it, does not use the device's access token any more.
    ///
    /// - Parameter device: The device.
    /// - Returns: Whether there was a record.
    /// - Throws: `DeviceRecordsError`.
    @discardableResult
    public func forget(_ device: DeviceKey) async throws(DeviceRecordsError) -> Bool {
        decisions.forget(device)
        return try await remove(at: try key(of: device))
    }

    /// How many records were erased through this directory and its copies.
    ///
    /// A process that keeps something of a device in memory has to look at its record again when the number has changed.
    package var erasures: Int { erasureCount.number.load(ordering: .acquiring) }

    /// Removes a record.
    ///
    /// - Parameter key: Its place.
    /// - Returns: Whether there was one.
    /// - Throws: `DeviceRecordsError`.
    func remove(at key: RecordKey) async throws(DeviceRecordsError) -> Bool {
        // Also if it fails, since the record may be gone all the same.
        defer { erasureCount.number.add(1, ordering: .acquiringAndReleasing) }
        return try await asking { table throws(SealedTableError) in try await table.remove(at: key) }
    }

    /// Removes a record if it is a subscriber's still.
    ///
    /// - Parameters:
    ///   - key: Its place.
    ///   - subject: The subscriber.
    /// - Returns: Whether it was removed.
    /// - Throws: `DeviceRecordsError`; `.contended` if others changed it each time.
    func remove(at key: RecordKey, of subject: RecordKey) async throws(DeviceRecordsError) -> Bool {
        defer { erasureCount.number.add(1, ordering: .acquiringAndReleasing) }
        return try await asking { table throws(SealedTableError) in
            try await table.store.change(at: key, by: time) { stored in
                guard let stored, stored.subject == subject else { return .keep(false) }
                // Stores remove a record whatever its version. One that has ended and is empty counts as absent in each of
                // them, and takes the place of this version alone.
                let ended = StoredRecord(bytes: [], version: stored.version, expires: Timestamp(milliseconds: 0))
                return .put(ended, .full, true)
            }
        }
    }

    /// Asks the table, whose errors are those of the directory.
    func asking<Answer>(
        _ body: (SealedTable<DeviceRecord>) async throws(SealedTableError) -> Answer
    ) async throws(DeviceRecordsError) -> Answer {
        try await rethrowing(awaiting: await body(table), as: DeviceRecordsError.init(_:))
    }
}

/// The record of a device as it was read, which saves work when it is read again: `DeviceDirectory.read(_:after:)`.
public struct ReadRecord: Sendable {
    fileprivate let found: SealedTable<DeviceRecord>.Entry

    /// The record.
    public var record: DeviceRecord { found.record }
}

/// Counts the records that were erased.
private final class ErasureCount: Sendable {
    let number = Atomic(0)
}
