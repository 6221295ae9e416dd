public import EntitlementValues
import Synchronization

/// How often a verification key matched a signature, and when it last did.
public struct KeyUse: Sendable, Hashable {
    /// Verified signatures of this key since the process first read it.
    public let count: Int
    /// The instant of the last verification that it matched; `nil` before the first.
    public let last: Timestamp?
}

/// How often a decryption key read a value, and how often it was tried on a value that no key read.
///
/// If a service that decrypts for others sees many failures, it should answer more slowly, or not at all. A memo answers
/// repeated values without a key: what it answers is not counted here, neither as a success nor as a failure.
public struct DecryptionUse: Sendable, Hashable {
    /// Values that the key read.
    public let successes: Int
    /// Values that the key was tried on and that no key of the ring read.
    public let failures: Int
}

/// Counts the uses of one verification key, for all copies of it and across reloads of its file.
///
/// Two relaxed atomics: a reader may see the count of one verification and the instant of another, which is good enough
/// to decide whether the key is still in use.
final class KeyUseCounter: Sendable {
    private let count = Atomic<Int>(0)
    private let last = Atomic<Int64>(.min)

    func note(_ instant: Timestamp) {
        count.wrappingAdd(1, ordering: .relaxed)
        // Verifications of a busy key often fall into one millisecond; each store would take the cache line from the
        // other cores.
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

/// Counts the uses of one decryption key, for all copies of it.
///
/// Two relaxed atomics: a decryption takes a thousand times as long as the counting.
final class DecryptionCounter: Sendable {
    private let count = Atomic<Int>(0)
    private let failures = Atomic<Int>(0)

    func note(success: Bool) {
        if success {
            count.wrappingAdd(1, ordering: .relaxed)
        } else {
            failures.wrappingAdd(1, ordering: .relaxed)
        }
    }

    var use: DecryptionUse {
        DecryptionUse(successes: count.load(ordering: .relaxed), failures: failures.load(ordering: .relaxed))
    }
}
