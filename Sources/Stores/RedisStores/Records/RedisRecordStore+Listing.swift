#if Redis
public import EntitlementKeys
import EntitlementValues
public import SealedRecords
import TextCodecs

extension RedisRecordStore {
    /// How many records a page may have: the server looks at as many keys in one step.
    private static let maximumPage = 1000
    /// How many records are read at the same time: at most half of what may wait, since others use the server, too.
    private var readers: Int { max(1, min(64, pool.settings.maximumWaiting / 2)) }

    /// Lists records without their content; all pages together look at all keys of the server.
    ///
    /// - Parameters:
    ///   - cursor: Where the page begins; `nil` for the first page.
    ///   - limit: About how many records the page should have, up to 1000; a page may have a few more, or none although
    ///     more pages follow.
    /// - Returns: A page.
    /// - Throws: `RecordStoreError.unavailable` if the server cannot tell, or the cursor is that of another store.
    public func summaries(after cursor: RecordCursor?, limit: Int) async throws(RecordStoreError) -> RecordPage {
        let (heads, next) = try await heads(after: cursor, limit: limit)
        return RecordPage(
            summaries: heads.map { RecordSummary(key: $0.key, version: $0.head.version, expires: $0.head.expires) },
            next: next)
    }

    /// Finds the records of a subscriber; it looks at all keys of the server.
    ///
    /// - Parameter subject: The subscriber.
    /// - Returns: The keys of the records, in any order.
    /// - Throws: `RecordStoreError.unavailable` if the server cannot tell.
    public func keys(of subject: RecordKey) async throws(RecordStoreError) -> [RecordKey] {
        var found: Set<RecordKey> = []
        var cursor: RecordCursor?
        repeat {
            let (heads, next) = try await heads(after: cursor, limit: Self.maximumPage)
            found.formUnion(heads.lazy.filter { $0.head.subject == subject }.map(\.key))
            cursor = next
        } while cursor != nil
        return Array(found)
    }

    /// Takes another password, or other certificates, into use, without losing a call.
    ///
    /// - Parameters:
    ///   - password: The new password; `nil` for none.
    ///   - encryption: The files that an address of `rediss://` uses; they are read again.
    /// - Throws: `RedisReloadError`: a file that cannot be used, which changes nothing; or the server's refusal.
    public func use(
        password: KeyPassword?,
        encryption: RedisEncryption = .system
    ) async throws(RedisReloadError) {
        try await pool.use(password: password, encryption: encryption)
    }

    /// A page of what comes before the contents of live records.
    private func heads(
        after cursor: RecordCursor?,
        limit: Int
    ) async throws(RecordStoreError) -> (heads: [(key: RecordKey, head: RecordForm.Head)], next: RecordCursor?) {
        let place = cursor?.rawValue ?? "0"
        guard 1...20 ~= place.utf8.count, place.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else {
            throw .unavailable(reason: "the cursor is not one of this store")
        }
        let count = min(max(1, limit), Self.maximumPage)
        let reply = try await ask(
            RedisCommand.encode(["SCAN", place, "MATCH", pattern, "COUNT", "\(count)"]), expecting: .list)
        guard case .list(let parts) = reply, parts.count == 2, case .text(let next) = parts[0],
            case .list(let names) = parts[1]
        else { throw unavailable(.nonsense) }
        var keys: Set<RecordKey> = []
        for case .text(let name) in names {
            guard let key = RecordForm.key(name.dropFirst(recordPrefix.utf8.count)) else { continue }
            keys.insert(key)
        }
        let found = try await heads(of: keys)
        let end = String(decoding: next, as: UTF8.self)
        return (found, end == "0" ? nil : RecordCursor(end))
    }

    /// Reads what comes before the contents of live records, many at the same time: the pool sends them together.
    private func heads(
        of keys: Set<RecordKey>
    ) async throws(RecordStoreError) -> [(key: RecordKey, head: RecordForm.Head)] {
        let answers = await withTaskGroup(of: HeadAnswer.self) { group in
            var rest = keys.makeIterator()
            func read(_ key: RecordKey) {
                group.addTask { HeadAnswer(key: key, head: await self.answer(at: key)) }
            }
            for _ in 0..<readers { if let key = rest.next() { read(key) } }
            var answers: [HeadAnswer] = []
            while let answer = await group.next() {
                answers.append(answer)
                // One failure is that of the page.
                if case .success = answer.head, let key = rest.next() { read(key) }
            }
            return answers
        }
        let now = time.now
        var heads: [(key: RecordKey, head: RecordForm.Head)] = []
        for answer in answers {
            if let head = try answer.head.get(), head.expires > now { heads.append((answer.key, head)) }
        }
        return heads
    }

    /// What the server said of one record.
    ///
    /// A type of its own: with a tuple in its place, optimised programs crashed (Swift 6.3.1).
    private struct HeadAnswer: Sendable {
        let key: RecordKey
        let head: Result<RecordForm.Head?, RecordStoreError>
    }

    private func answer(at key: RecordKey) async -> Result<RecordForm.Head?, RecordStoreError> {
        do throws(RecordStoreError) {
            return .success(try await head(at: key))
        } catch {
            return .failure(error)
        }
    }

    /// The pattern of the server's keys of records; what has a meaning in patterns is escaped.
    private var pattern: String {
        recordPrefix.map { "*?[]^\\".contains($0) ? "\\\($0)" : "\($0)" }.joined() + "*"
    }
}
#endif
