import HostSystem
package import OpenSSLBridge
import Synchronization

/// Remembers what encrypted values said, so that a repeat costs microseconds instead of an RSA decryption.
///
/// In lists of rows one user's value comes back again and again. Give one memo to all decrypters and threads of a job:
///
/// ```swift
/// let decrypter = MetadataDecrypter(keys: keys, memo: MetadataMemo(capacity: 100_000))
/// ```
///
/// Values are told apart by SHA-256 over the keys and their order, the padding, what the attribute must look like, and
/// the encrypted bytes, so a memo never answers for another ring or another attribute. Values that no key reads are
/// remembered too. Texts are overwritten when they are forgotten.
public final class MetadataMemo: Sendable {
    /// How many values are remembered at most.
    public let capacity: Int

    private let state = Mutex(Generations())

    /// Makes an empty memo.
    ///
    /// - Parameter capacity: How many values are remembered at most; their texts take 64 bytes for each of them at
    ///   most, taken together. Of `capacity` values in use, at least the half used last is there.
    public init(capacity: Int) {
        self.capacity = max(0, capacity)
    }

    /// How many values are remembered.
    public var count: Int { state.withLock { $0.young.count + $0.old.count } }

    /// Forgets everything.
    public func removeAll() {
        let forgotten = state.withLock { state in
            let forgotten = state
            state = Generations()
            return forgotten
        }
        // Overwriting takes its time, and nobody should wait for it.
        _ = consume forgotten
    }

    /// What is known of a value; `nil` where nothing is.
    package func outcome(for key: MemoKey) -> MemoOutcome? {
        guard capacity > 0 else { return nil }
        let (outcome, forgotten) = state.withLock { state -> (MemoOutcome?, [Generation]) in
            if let outcome = state.young.outcomes[key] { return (outcome, []) }
            guard let outcome = state.old.outcomes[key] else { return (nil, []) }
            return (outcome, state.insert(outcome, for: key, capacity: capacity))
        }
        _ = consume forgotten
        return outcome
    }

    /// Remembers a value.
    package func remember(_ outcome: MemoOutcome, for key: MemoKey) {
        guard capacity > 0 else { return }
        let forgotten = state.withLock { $0.insert(outcome, for: key, capacity: capacity) }
        _ = consume forgotten
    }
}

/// Tells values apart.
package struct MemoKey: Hashable, Sendable {
    private let words: (UInt64, UInt64, UInt64, UInt64)

    /// Digests a value and everything else that its outcome depends on.
    package init(_ ciphertext: Span<UInt8>, ring identity: [UInt8], shape: PlausibleText) throws(OpenSSLFailure) {
        let text = [UInt8](capacity: identity.count + 1 + ciphertext.count) { output in
            for byte in identity { output.append(byte) }
            output.append(shape.rawValue)
            for index in ciphertext.indices { output.append(ciphertext[index]) }
        }
        let digest = try Digest.sha256.hash(text.span, in: 0..<text.count)
        func word(_ start: Int) -> UInt64 { (start..<start + 8).reduce(0) { $0 << 8 | UInt64(digest[$1]) } }
        words = (word(0), word(8), word(16), word(24))
    }

    package static func == (left: Self, right: Self) -> Bool { left.words == right.words }

    /// Digests are as good as random already: one word tells enough.
    package func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}

/// What is known of a value: its text, or that no key reads it.
package struct MemoOutcome: Sendable {
    package let reading: Reading?

    package init(reading: Reading?) { self.reading = reading }
}

/// Values that were used since some moment.
private struct Generation {
    var outcomes: [MemoKey: MemoOutcome] = [:]
    var bytes = 0

    var count: Int { outcomes.count }
}

/// Two generations: a value used again moves to the young one; when that is full, it becomes the old one, and the old
/// one is forgotten as a whole.
private struct Generations {
    var young = Generation()
    var old = Generation()

    /// Puts a value into the young generation.
    ///
    /// - Returns: The values to forget, which the caller releases when it holds the lock no more.
    mutating func insert(_ outcome: MemoOutcome, for key: MemoKey, capacity: Int) -> [Generation] {
        // Cut where the bytes below could not be counted any more.
        let maximumValues = min(max(capacity / 2, 1), 1 << 48)
        // Room for some values of several blocks, however small the memo.
        let maximumBytes = max(maximumValues * 64, 2048)
        let length = outcome.reading?.text.count ?? 0
        guard length <= maximumBytes else { return [] }
        var forgotten: [Generation] = []
        if young.count >= maximumValues || young.bytes + length > maximumBytes {
            // One value alone leaves no room for an old generation.
            forgotten = capacity > 1 ? [old] : [young]
            old = capacity > 1 ? young : Generation()
            young = Generation()
        }
        if young.outcomes.updateValue(outcome, forKey: key) == nil { young.bytes += length }
        return forgotten
    }
}
