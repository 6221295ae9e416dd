package import EntitlementValues

/// What becomes of a record that was read to be changed.
package enum Swap<Answer> {
    /// It stays as it is.
    case keep(Answer)
    /// Another one takes its place, if it is still there; else all is tried again.
    case put(StoredRecord, RecordDurability, Answer)
}

extension RecordStore {
    /// Changes a record by compare and swap, and tries again if others change it at the same time.
    ///
    /// The body decides what becomes of the record, or of its absence. It may run several times; what it answers counts
    /// only if its change was made, and is returned then. What it asks delays the change, so that others come first
    /// more easily.
    ///
    /// Attempts end, and wait, by `time`. A store that throws ends them at once: whether it wrote is not known. That
    /// the task was cancelled is noticed between two attempts, and only where they are patient. Throws `.store`,
    /// `.contended`, `.cancelled`, and what the body throws.
    package func change<Answer>(
        at key: RecordKey,
        by time: TimeSource,
        trying limit: ChangeLimit = .patient,
        _ body: (StoredRecord?) async throws(SealedTableError) -> Swap<Answer>
    ) async throws(SealedTableError) -> Answer {
        var attempts = ChangeAttempts(by: time, trying: limit)
        repeat {
            let found = try await rethrowing(awaiting: await record(at: key), as: SealedTableError.store)
            switch try await body(found) {
            case .keep(let answer): return answer
            case .put(let record, let durability, let answer):
                let isStored = try await rethrowing(
                    awaiting: await replace(at: key, expecting: found?.version, with: record, durability: durability),
                    as: SealedTableError.store)
                if isStored { return answer }
            }
        } while try await attempts.areGoingOn()
        throw .contended(attempts: attempts.count)
    }
}

extension ChangeAttempts {
    fileprivate mutating func areGoingOn() async throws(SealedTableError) -> Bool {
        do throws(CancellationError) {
            return try await goOn()
        } catch {
            throw .cancelled(attempts: count)
        }
    }
}
