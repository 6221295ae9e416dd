public import EntitlementKeys
import OpenSSLBridge
import TextCodecs

/// The ring of keys of playback sessions: the first one signs, and all of them verify.
///
/// To rotate, put a new key first. With several hosts, put it second everywhere before, since a key must be known where
/// its sessions are checked. An old key keeps verifying as long as it is in the ring; take it out when the last session
/// that it signed has expired. A key that must not be trusted any more is taken out at once, and its sessions end with
/// it.
public struct SessionKeys: Sendable {
    /// How many keys a ring may have.
    public static let maximumCount = 32

    /// The keys, of which the first one signs.
    public let keys: [SessionKey]

    /// Makes a ring.
    ///
    /// - Parameter keys: The keys; the first one signs, unless it is a public key: then the ring only verifies.
    /// - Throws: `.noKeys` for an empty ring; `.unusableKey` if a key is there twice, or there are too many.
    public init(_ keys: [SessionKey]) throws(PlaybackSessionError) {
        guard !keys.isEmpty else { throw .noKeys }
        guard keys.count <= Self.maximumCount else {
            throw .unusableKey(
                file: keys[Self.maximumCount].label.printable, code: "too_many_keys",
                reason: "a ring has at most \(Self.maximumCount) keys; take out those that are not used")
        }
        for (index, key) in keys.enumerated() where keys[..<index].contains(where: { $0.id == key.id }) {
            throw .unusableKey(
                file: key.label.printable, code: "repeated_key", reason: "the ring has this key already; leave one out")
        }
        self.keys = keys
    }

    /// Reads a ring from files, each with one key.
    ///
    /// - Parameters:
    ///   - paths: The files; the first one has the key that signs.
    ///   - password: Opens encrypted private keys; ignored if nothing is encrypted.
    /// - Throws: `.unusableKey` or `.noKeys`.
    public init(contentsOfFiles paths: [String], password: KeyPassword? = nil) throws(PlaybackSessionError) {
        var keys: [SessionKey] = []
        for path in paths { keys.append(try SessionKey(contentsOfFile: path, password: password)) }
        try self.init(keys)
    }

    /// The names of the keys; the one that signs is the first.
    public var ids: [String] { keys.map(\.id) }

    /// The public keys as a JWK set (RFC 7517 §5) in JSON, for edges that check sessions themselves.
    ///
    /// Secrets are not in it, so it is empty if all keys are for HS256.
    ///
    /// - Returns: The JSON on one line.
    /// - Throws: `.undecided` if libcrypto failed.
    public func jwkSet() throws(PlaybackSessionError) -> String {
        var members: [JSONWriter] = []
        for key in keys {
            guard let publicKey = try PlaybackSessionError.mapping(key.material.publicKey) else { continue }
            members.append(publicKey.member(id: key.id))
        }
        var object = JSONWriter(escaping: .minimal)
        object.member("keys", members)
        return String(decoding: object.finished, as: UTF8.self)
    }
}

extension SessionKeys: CustomStringConvertible, CustomReflectable {
    /// The names of the keys.
    public var description: String { "session keys \(ids.joined(separator: ", "))" }

    /// Shows the names only.
    public var customMirror: Mirror { Mirror(self, children: ["ids": ids]) }
}

/// A public key, as a JSON Web Key has it.
struct SessionJWK {
    private let type: String
    private let algorithm: SessionAlgorithm
    /// What makes the key, by names in the order of the alphabet.
    private let parts: [(name: String, value: String)]

    /// Takes the numbers of an RSA key (RFC 7518 §6.3.1).
    init(_ key: VerificationKey) throws(OpenSSLFailure) {
        let information = key.subjectPublicKeyInfo[...]
        let numbers = try PKey(subjectPublicKeyInfo: information.span).rsaPublicNumbers
        (type, algorithm) = ("RSA", .rs256)
        parts = [("e", Base64.encodeURLSafe(numbers.exponent)), ("n", Base64.encodeURLSafe(numbers.modulus))]
    }

    /// Takes the curve and the point of an EC key (RFC 7518 §6.2.1).
    init(_ key: P256Key) {
        let (x, y) = key.coordinates
        (type, algorithm) = ("EC", .es256)
        parts = [("crv", "P-256"), ("x", Base64.encodeURLSafe(x)), ("y", Base64.encodeURLSafe(y))]
    }

    /// What the thumbprint of the key is the hash of: the required members in the order of the alphabet (RFC 7638 §3.2).
    var thumbprintInput: [UInt8] {
        var object = JSONWriter(escaping: .minimal)
        for (name, value) in (parts + [("kty", type)]).sorted(by: { $0.name < $1.name }) { object.member(name, value) }
        return object.finished
    }

    /// The key as a member of a set (RFC 7517 §4).
    func member(id: String) -> JSONWriter {
        var object = JSONWriter(escaping: .minimal)
        object.member("kty", type)
        object.member("use", "sig")
        object.member("alg", algorithm.rawValue)
        object.member("kid", id)
        for (name, value) in parts { object.member(name, value) }
        return object
    }
}
