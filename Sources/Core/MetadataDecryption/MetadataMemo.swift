import HostSystem
package import OpenSSLBridge
import Synchronization

/// Caches decrypted values, so that a repeated value takes microseconds instead of an RSA decryption.
///
/// Lists of rows often repeat one user's value. Share one memo among all decrypters and threads of a job:
///
/// ```swift
/// let decrypter = MetadataDecrypter(keys: keys, memo: MetadataMemo(capacity: 100_000))
/// ```
///
/// The key of an entry is SHA-256 over the keys of the ring in their order, the padding, the form of the attribute's text
/// and the encrypted bytes, so a memo never answers for another ring or another form of text. Values that no key decrypts are
/// remembered too. Texts are overwritten when they are removed.
public final class MetadataMemo: Sendable {
    /// The maximum number of remembered values.
    public let capacity: Int

    private let state = Mutex(Generations())

    /// Makes an empty memo.
    ///
    /// - Parameter capacity: The maximum number of remembered values. Their texts together take at most 64 bytes for each
    ///   of them. At least the `capacity / 2` most recently used values are remembered.
    public init(capacity: Int) {
        self.capacity = max(0, capacity)
    }

    /// The number of remembered values.
    public var count: Int { state.withLock { $0.young.count + $0.old.count } }

    /// Removes every value.
    public func removeAll() {
        let forgotten = state.withLock { state in
            let forgotten = state
            state = Generations()
            return forgotten
        }
        // Overwriting takes time, so it happens outside the lock.
        _ = consume forgotten
    }

    /// Looks a value up.
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

/// Identifies an encrypted value together with everything else that its text depends on.
package struct MemoKey: Hashable, Sendable {
    private let words: (UInt64, UInt64, UInt64, UInt64)

    /// Hashes a value's encrypted bytes together with everything else that its text depends on.
    package init(_ ciphertext: Span<UInt8>, ring identity: [UInt8], shape: PlausibleText) throws(OpenSSLFailure) {
        let text = [UInt8](capacity: identity.count + 1 + ciphertext.count) { output in
            for byte in identity { output.append(byte) }
            output.append(shape.rawValue)
            for index in ciphertext.indices { output.append(ciphertext[index]) }
        }
        let digest = try Digest.sha256.hash(text)
        func word(_ start: Int) -> UInt64 { (start..<start + 8).reduce(0) { $0 << 8 | UInt64(digest[$1]) } }
        words = (word(0), word(8), word(16), word(24))
    }

    package static func == (left: Self, right: Self) -> Bool { left.words == right.words }

    /// A digest is as good as random already, so one word of it is enough.
    package func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}

/// A remembered value: its text, or that no key decrypts it.
package struct MemoOutcome: Sendable {
    /// The text; `nil` if no key decrypts the value.
    package let text: KeyText?

    package init(text: KeyText?) { self.text = text }
}

/// The values that were used since a certain moment.
private struct Generation {
    var outcomes: [MemoKey: MemoOutcome] = [:]
    var bytes = 0

    var count: Int { outcomes.count }
}

/// Two generations of values, of which the old one is removed as a whole.
///
/// A value that is used again moves to the young one. When that is full, it becomes the old one.
private struct Generations {
    var young = Generation()
    var old = Generation()

    /// Puts a value into the young generation.
    ///
    /// Returns the values to remove, which the caller releases after it has left the lock.
    mutating func insert(_ outcome: MemoOutcome, for key: MemoKey, capacity: Int) -> [Generation] {
        // Limited so that the multiplication below cannot overflow.
        let maximumValues = min(max(capacity / 2, 1), 1 << 48)
        // Room for some values of several blocks, however small the memo.
        let maximumBytes = max(maximumValues * 64, 2048)
        let length = outcome.text?.bytes.count ?? 0
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
