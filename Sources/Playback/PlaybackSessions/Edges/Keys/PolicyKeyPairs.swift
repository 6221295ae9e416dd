import EntitlementKeys
import OpenSSLBridge
import TextCodecs

/// The key pairs that a content network knows: the first one signs, and all of them verify.
///
/// To rotate, give the new public key to the network, wait until it is deployed, put the pair first here, and take the
/// old one out of both once the last grant that it signed has ended.
public struct PolicyKeyPairs: Sendable {
    /// How many pairs there may be.
    public static let maximumCount = 8

    /// The pairs, of which the first one signs.
    public let pairs: [PolicyKeyPair]

    /// The pair that signs.
    let first: PolicyKeyPair

    /// Makes a ring.
    ///
    /// - Parameter pairs: The pairs; the first one signs, unless it is a public key: then the ring only verifies.
    /// - Throws: `.noKeys` for an empty ring; `.unusableKey` if a name is there twice, or there are too many.
    public init(_ pairs: [PolicyKeyPair]) throws(PlaybackSessionError) {
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

/// A key that signs policies, and the name under which a content network knows it.
///
/// CloudFront takes RSA keys of 2048 bits and P-256 keys. Use a key for this alone, above all with SHA-1.
public struct PolicyKeyPair: Sendable {
    /// The name that the network gave to the public key: 1 to 64 letters and digits (`Key-Pair-Id`).
    public let id: String
    private let key: SessionKey

    /// The file's name, or the name given with a key in memory.
    public var label: String { key.label }

    /// Whether the key can sign; a public key only verifies.
    public var canSign: Bool { key.canSign }

    /// Whether everybody has the private key, since it is one of this project's test vectors.
    package var isPublishedTestKey: Bool { key.isPublishedTestKey }

    /// Whether the key can sign with SHA-1, too.
    var isRSA: Bool { if case .rsa = key.material { true } else { false } }

    /// Takes a key.
    ///
    /// - Parameters:
    ///   - id: The name that the network gave to the public key.
    ///   - key: A private RSA or P-256 key, or a public one, which only verifies.
    /// - Throws: `.unusableKey` for a secret or another name.
    public init(id: String, key: SessionKey) throws(PlaybackSessionError) {
        guard 1...64 ~= id.utf8.count, id.utf8.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit }) else {
            throw .unusableKey(
                file: key.label.printable, code: "bad_key_pair_id",
                reason: "the key pair ID is not 1 to 64 letters and digits; copy it from the network's list of keys")
        }
        if case .secret = key.material {
            throw .unusableKey(
                file: key.label.printable, code: "unsupported_key",
                reason: "neither an RSA nor a P-256 key; make one with: openssl genrsa -out FILE 2048")
        }
        (self.id, self.key) = (id, key)
    }

    /// Signs a text; `nil` for a public key.
    func sign(_ text: [UInt8], usingLegacySHA1 usesLegacySHA1: Bool) throws(OpenSSLFailure) -> [UInt8]? {
        switch key.material {
        case .rsa(_, let key) where usesLegacySHA1:
            try key?.sign(digest: Digest.insecureSHA1.hash(text), algorithm: .insecureSHA1)
        case .p256(let key): try key.sign(text, as: .der)
        default: try key.material.sign(text)
        }
    }

    /// Tells whether this key signed a text.
    func isValid(
        _ signature: [UInt8],
        of text: [UInt8],
        usingLegacySHA1 usesLegacySHA1: Bool
    ) throws(OpenSSLFailure) -> Bool {
        switch key.material {
        case .rsa(let key, _) where usesLegacySHA1:
            let digest = try Digest.insecureSHA1.hash(text)[...]
            let signature = signature[...]
            return try key.isValid(signature.span, digest: digest.span, algorithm: .insecureSHA1)
        case .p256(let key): return try key.isValid(signature, of: text, as: .der)
        default: return try key.material.isValid(signature, of: text)
        }
    }
}

extension PolicyKeyPair: CustomStringConvertible, CustomReflectable {
    /// The name.
    public var description: String { "key pair \(id)" }

    /// Shows the name only.
    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}
