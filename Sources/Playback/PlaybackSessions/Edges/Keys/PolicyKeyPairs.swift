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

/// An RSA key that signs with SHA-1, as some content networks demand, and the name under which the network knows it.
///
/// SHA-1 no longer resists collisions: use the key for this alone.
public struct PolicyKeyPair: Sendable {
    /// The name that the network gave to the public key: 1 to 64 letters and digits (`Key-Pair-Id`).
    public let id: String
    /// The file's name, or the name given with a key in memory.
    public let label: String
    private let verifying: VerificationKey
    private let signing: SigningKey?

    /// Whether the key can sign; a public key only verifies.
    public var canSign: Bool { signing != nil }

    /// Takes a key.
    ///
    /// - Parameters:
    ///   - id: The name that the network gave to the public key.
    ///   - key: A private RSA key, or a public one, which only verifies.
    /// - Throws: `.unusableKey` for a secret or another name.
    public init(id: String, key: SessionKey) throws(PlaybackSessionError) {
        guard 1...64 ~= id.utf8.count, id.utf8.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit }) else {
            throw .unusableKey(
                file: key.label.printable, code: "bad_key_pair_id",
                reason: "the key pair ID is not 1 to 64 letters and digits; copy it from the network's list of keys")
        }
        guard case .rsa(let verifying, let signing) = key.material else {
            throw .unusableKey(
                file: key.label.printable, code: "unsupported_key",
                reason: "not an RSA key; make one with: openssl genrsa -out FILE 2048")
        }
        (self.id, label) = (id, key.label)
        (self.verifying, self.signing) = (verifying, signing)
    }

    /// Signs a text; `nil` for a public key.
    func sign(_ text: [UInt8]) throws(OpenSSLFailure) -> [UInt8]? {
        try signing?.sign(digest: Digest.insecureSHA1.hash(text), algorithm: .insecureSHA1)
    }

    /// Tells whether this key signed a text.
    func isValid(_ signature: [UInt8], of text: [UInt8]) throws(OpenSSLFailure) -> Bool {
        let digest = try Digest.insecureSHA1.hash(text)[...]
        let signature = signature[...]
        return try verifying.isValid(signature.span, digest: digest.span, algorithm: .insecureSHA1)
    }
}

extension PolicyKeyPair: CustomStringConvertible, CustomReflectable {
    /// The name.
    public var description: String { "key pair \(id)" }

    /// Shows the name only.
    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}
