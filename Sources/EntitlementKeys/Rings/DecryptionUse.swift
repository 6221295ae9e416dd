import Synchronization

/// Says how often a key decrypted a value, and how often it was tried on one that no key read.
///
/// Many failures in a service that decrypts for others are a reason to answer more slowly, or not at all.
public struct DecryptionUse: Sendable, Hashable {
    /// Values that the key read.
    public let count: Int
    /// Values that the key was tried on and that no key of the ring read.
    public let failures: Int
}

/// Counts the uses of one key, for all copies of it.
///
/// Two relaxed atomics: each decryption takes a thousand times as long as the counting.
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
        DecryptionUse(count: count.load(ordering: .relaxed), failures: failures.load(ordering: .relaxed))
    }
}
