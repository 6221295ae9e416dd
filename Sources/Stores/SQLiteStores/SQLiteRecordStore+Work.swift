import EntitlementValues
import SealedRecords
import TokenRedemption

// Where work is done: by the calling thread if nothing is to be waited for, and by a thread of the store otherwise.
extension SQLiteRecordStore {
    func read<Answer: Sendable>(
        _ work: @escaping @Sendable (RecordFile, Timestamp) throws(SQLiteStoreError) -> Answer
    ) async throws(RecordStoreError) -> Answer {
        try await answer { () async throws(SQLiteStoreError) in
            // The connection that writes comes first: unlike the other one, it need not read again what it wrote. But a
            // thread that uses it is not waited for.
            if let answer = try readAtOnce(work, in: writing, by: writer, looking: 1) { return answer }
            if let answer = try readAtOnce(work, in: reading, by: reader, looking: FileWorker.maximumLooks) {
                return answer
            }
            return try await reader.run { [reading, time] () throws(SQLiteStoreError) in try work(reading, time.now) }
        }
    }

    private func readAtOnce<Answer: Sendable>(
        _ work: (RecordFile, Timestamp) throws(SQLiteStoreError) -> Answer,
        in records: RecordFile,
        by worker: FileWorker,
        looking looks: Int
    ) throws(SQLiteStoreError) -> Answer? {
        try worker.runAtOnce(looking: looks) { () throws(SQLiteStoreError) in
            try records.file.readingAtOnce { () throws(SQLiteStoreError) in try work(records, time.now) }
        }
    }

    func write<Answer: Sendable>(
        _ durability: RecordDurability = .normal,
        _ work: @escaping @Sendable (RecordFile, Timestamp) throws(SQLiteStoreError) -> Answer
    ) async throws(RecordStoreError) -> Answer {
        try await answer { () async throws(SQLiteStoreError) in
            if durability == .normal, writing.mayWriteAtOnce() {
                let answer = try writer.runAtOnce { () throws(SQLiteStoreError) in try writeAtOnce(work) }
                if let answer { return answer }
            }
            return try await writer.run(survivingPowerLoss: durability == .full) {
                [writing, time] () throws(SQLiteStoreError) in try work(writing, time.now)
            }
        }
    }

    private func writeAtOnce<Answer>(
        _ work: (RecordFile, Timestamp) throws(SQLiteStoreError) -> Answer
    ) throws(SQLiteStoreError) -> Answer? {
        try writing.file.setSurvivesPowerLoss(false)
        return try writing.file.transactionAtOnce { () throws(SQLiteStoreError) in
            let now = time.now
            let answer = try work(writing, now)
            try writing.dropExpired(at: now, after: 1)
            return answer
        }
    }

    private func answer<Answer>(
        _ work: () async throws(SQLiteStoreError) -> Answer
    ) async throws(RecordStoreError) -> Answer {
        guard !process.isForked else { throw .unavailable(reason: ProcessGuard.reason) }
        return try await rethrowing(awaiting: await work()) { (error: SQLiteStoreError) in
            RecordStoreError.unavailable(reason: error.description)
        }
    }
}
