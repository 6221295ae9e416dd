#if Client
/// Remembers in 2 MiB that client addresses have been there: a Bloom filter in two generations.
///
/// It says of one in about forty new addresses that they have been there, which costs them their advance only. Once a
/// million addresses are in the younger generation, the older one is dropped, so that the filter never fills up.
struct ForgottenAddresses: Sendable {
    private static let words = 1 << 17
    private static let probes = 4
    private static let generationCapacity = 1 << 20

    private var younger: [UInt64] = []
    private var older: [UInt64] = []
    private var count = 0

    /// How many bytes there is room for.
    var byteCount: Int { (younger.capacity + older.capacity) * MemoryLayout<UInt64>.stride }

    /// Remembers an address.
    ///
    /// - Parameter key: The hash of the address.
    mutating func insert(_ key: Int) {
        if count == Self.generationCapacity { (older, younger, count) = (younger, [], 0) }
        // Most processes never forget an address, and need no memory for it.
        if younger.isEmpty { younger = [UInt64](repeating: 0, count: Self.words) }
        for bit in Self.bits(of: key) { younger[bit >> 6] |= 1 << UInt64(bit & 63) }
        count += 1
    }

    /// Whether an address has been there.
    ///
    /// - Parameter key: The hash of the address.
    /// - Returns: Sometimes `true` for one that has not; never `false` for one of the last million.
    func contains(_ key: Int) -> Bool {
        [younger, older].contains { words in
            !words.isEmpty && Self.bits(of: key).allSatisfy { words[$0 >> 6] & 1 << UInt64($0 & 63) != 0 }
        }
    }

    /// The places of a key: double hashing with the halves of its hash.
    private static func bits(of key: Int) -> [Int] {
        let hash = UInt64(bitPattern: Int64(key))
        let (first, step) = (hash & 0xFFFF_FFFF, hash >> 32 | 1)
        return (0..<UInt64(probes)).map { Int((first + $0 * step) % UInt64(words * 64)) }
    }
}
#endif
