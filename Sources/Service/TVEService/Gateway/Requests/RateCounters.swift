#if Service
package import EntitlementValues
package import SealedRecords

/// Counts requests, so that none of their senders sends too many.
///
/// Each count lets a number through at once, and then so many in each minute: of ten, the eleventh has to wait for six
/// seconds. The counts are in the store of devices if that is a server, which all replicas share; else each process has its
/// own, and what is allowed multiplies with the replicas.
package struct RateCounters: Sendable {
    private static let schema: UInt32 = 1
    private static let minute: Int64 = 60_000
    /// After so many others came first, a request is refused, whatever the limit.
    private static let maximumRaces = 64

    private let store: any RecordStore
    private let sealer: RecordSealer
    private let time: TimeSource

    /// Makes counters in a store.
    ///
    /// The sealer makes their keys, so that the store does not tell whose counts they are.
    package init(in store: any RecordStore, sealer: RecordSealer, time: TimeSource) {
        (self.store, self.sealer, self.time) = (store, sealer, time)
    }

    /// Counts a request; returns how long to wait before the next one, or `nil` if this one is let through.
    ///
    /// `name` says who sent it, for example a network, and `kind` what it was for: other kinds are counted apart.
    /// `limit`, 1 at least, is how many are let through in a minute. Throws if the store cannot tell: nothing is let
    /// through then.
    package func count(_ name: String, as kind: String, limit: Int) async throws -> Duration? {
        let key = try sealer.key(of: "\(kind) \(name)", for: .rate)
        let step = Self.minute / Int64(max(1, limit))
        let attempts = min(max(1, limit), Self.maximumRaces) + 1
        do throws(SealedTableError) {
            return try await store.change(at: key, by: time, trying: .atMost(attempts)) { found in
                Self.count(in: found, each: step, at: time.now.milliseconds)
            }
        } catch {
            // No pattern after `catch`: where every error is thrown on, Swift 6.3.1 crashes on it as it optimises.
            guard case .contended = error else { throw error }
            // An attempt fails only because another request was counted at the same moment. After this many, the
            // request is over its limit, too; and a flood of requests cannot keep the store at work without end.
            return .milliseconds(step)
        }
    }

    /// Counts a request, and says how long to wait if it has come too early.
    private static func count(in found: StoredRecord?, each step: Int64, at now: Int64) -> Swap<Duration?> {
        // When all that was let through would have been let through one by one.
        var due = max(found.flatMap { instant($0.bytes) } ?? now, now)
        // Further ahead than a count can be: the clock was set back since, or another program wrote this. It counts as
        // absent, so that it locks no client out for longer than the limit itself would, and the sum does not overflow.
        if due > now + 2 * minute - step { due = now }
        let next = due + step
        let wait = next - (now + minute)
        guard wait <= 0 else { return .keep(.milliseconds(wait)) }
        let record = StoredRecord(
            bytes: bytes(next), version: StoredRecord.version(after: found),
            expires: Timestamp(milliseconds: next + minute))
        return .put(record, .normal, nil)
    }

    // MARK: Content

    /// Nothing secret: the form of a record that is not sealed, and the instant in milliseconds, big-endian.
    private static func bytes(_ instant: Int64) -> [UInt8] {
        header + stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: instant >> $0) }
    }

    private static func instant(_ bytes: [UInt8]) -> Int64? {
        guard bytes.count == header.count + 8, bytes.starts(with: header) else { return nil }
        return bytes.dropFirst(header.count).reduce(0) { $0 << 8 | Int64($1) }
    }

    /// What marks a record that is not sealed, so that a search through the store leaves it alone.
    private static let header: [UInt8] = {
        let nothing = [UInt8]()[...]
        let place = RecordKey(Array(repeating: 0, count: RecordKey.length))
        let context = place.map { RecordContext(purpose: .rate, schema: schema, key: $0, version: 1) }
        return context.flatMap { try? RecordSealer.unsealed.seal(nothing.span, in: $0) } ?? []
    }()
}
#endif
