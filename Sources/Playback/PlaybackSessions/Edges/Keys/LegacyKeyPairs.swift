import TextCodecs

/// The key pairs that a content network knows: the first one signs, and all of them verify.
///
/// To rotate, give the new public key to the network, wait until it is deployed, put the pair first here, and take the
/// old one out of both once the last grant that it signed has ended.
public struct LegacyKeyPairs: Sendable {
    /// How many pairs there may be.
    public static let maximumCount = 8

    /// The pairs, of which the first one signs.
    public let pairs: [LegacyKeyPair]

    /// The pair that signs.
    let first: LegacyKeyPair

    /// Makes a ring.
    ///
    /// - Parameter pairs: The pairs; the first one signs, unless it is a public key: then the ring only verifies.
    /// - Throws: `.noKeys` for an empty ring; `.unusableKey` if a name is there twice, or there are too many.
    public init(_ pairs: [LegacyKeyPair]) throws(PlaybackSessionError) {
        guard let first = pairs.first else { throw .noKeys }
        guard pairs.count <= Self.maximumCount else {
            throw .unusableKey(
                file: pairs[Self.maximumCount].label.printable, code: "too_many_keys",
                reason: "there are at most \(Self.maximumCount) key pairs; take out those that are not used")
        }
        for (index, pair) in pairs.enumerated() where pairs[..<index].contains(where: { $0.id == pair.id }) {
            throw .unusableKey(
                file: pair.label.printable, code: "repeated_key",
                reason: "another key has the same key pair ID; leave one out")
        }
        (self.pairs, self.first) = (pairs, first)
    }
}
