public import EntitlementValues
import Synchronization

/// Says how often a key matched a signature, and when it last did.
public struct KeyUse: Sendable, Hashable {
    /// Signatures that this key made, since the process first read it.
    public let count: Int
    /// The instant of the last verification that it matched; `nil` before the first.
    public let last: Timestamp?
}

/// Counts the uses of one key, for all copies of it and across reloads of its file.
///
/// Two relaxed atomics: a reader may see the count of one verification and the instant of another, which is no matter
/// for the question whether anybody still signs with this key.
final class KeyUseCounter: Sendable {
    private let count = Atomic<Int>(0)
    private let last = Atomic<Int64>(.min)

    func note(_ instant: Timestamp) {
        count.wrappingAdd(1, ordering: .relaxed)
        // Most verifications of a busy key fall into one millisecond or close to it; a store would take the cache line
        // from the other cores each time.
        if last.load(ordering: .relaxed) < instant.milliseconds {
            last.store(instant.milliseconds, ordering: .relaxed)
        }
    }

    var use: KeyUse {
        let last = last.load(ordering: .relaxed)
        return KeyUse(
            count: count.load(ordering: .relaxed),
            last: last == .min ? nil : Timestamp(milliseconds: last)
        )
    }
}
