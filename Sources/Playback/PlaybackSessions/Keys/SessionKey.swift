public import EntitlementKeys
import EntitlementValues
import HostSystem
import OpenSSLBridge
import TextCodecs

/// A key that signs and verifies playback sessions, or only verifies them.
///
/// What its file holds decides on the algorithm: a private RSA key signs with RS256, a private EC key of P-256 with ES256, a
/// public key or a certificate only verifies, and any other 32 to 4096 bytes are a secret for HS256. So a public key is never
/// taken for a secret, with which a client could sign sessions itself (RFC 8725 §2.1).
public struct SessionKey: Sendable {
    /// The name of the key in sessions (`kid`), which follows from the key and reveals nothing of it.
    ///
    /// For RS256 and ES256 it is the thumbprint of the JSON Web Key (RFC 7638), for HS256 16 hexadecimal digits.
    public let id: String
    /// The file's name, or the name given with a key in memory.
    public let label: String
    let material: SessionKeyMaterial
    /// The first part of every session of this key: the header of the JWS in Base64url.
    let header: [UInt8]
    /// Hides the addresses that sessions are bound to; `nil` for a public key, which cannot check them.
    let clientKey: AuthenticationKey?

    /// The file as it was read; `nil` for a key from memory.
    private var origin: ReadFile?

    /// Whether its own file is unchanged, as `ReadFile` says it; a key from memory has no file.
    package var isInItsFile: Bool { origin?.isUnchanged ?? false }

    /// How the key signs.
    public var algorithm: SessionAlgorithm { material.algorithm }

    /// Whether the key can sign; a public key only verifies.
    public var canSign: Bool {
        switch material {
        case .secret: true
        case .rsa(_, let signing): signing != nil
        case .p256(let key): key.canSign
        }
    }

    /// Whether everybody has the private key, since it is one of this project's test vectors.
    package var isPublishedTestKey: Bool {
        switch material {
        case .secret: false
        case .rsa(let key, _): key.isPublishedTestKey
        case .p256(let key): key.isPublishedTestKey
        }
    }

    /// Reads a key from a file.
    ///
    /// - Parameters:
    ///   - path: A private or public RSA key of at least 2048 bits, an EC key of P-256, or a certificate, in PEM or DER; or
    ///     the bytes of a secret, for example of `(umask 077 && openssl rand -out FILE 32)`. It is refused if every
    ///     user may change it, or a stranger has put it into a folder like `/tmp`.
    ///   - password: Opens an encrypted private key; ignored if nothing is encrypted.
    /// - Throws: `.unusableKey`.
    public init(contentsOfFile path: String, password: KeyPassword? = nil) throws(PlaybackSessionError) {
        self = try rethrowing(Self(keyFile: path, password: password), as: PlaybackSessionError.init)
    }

    /// Reads a key from a file as ``init(contentsOfFile:password:)`` does, and throws what other readers of keys throw.
    ///
    /// The password opens an encrypted private key. Without it, `.passwordRequired` is thrown for such a key.
    package init(keyFile path: String, password: KeyPassword?) throws(KeyError) {
        let content = try rethrowing(Files.readSecret(path, maximumSize: Self.maximumFileSize)) {
            (failure: FileFailure) in
            KeyError(failure, reading: path)
        }
        try self.init(content, of: path, password: password)
        origin = try ReadFile(path, holding: content)
    }

    /// Takes a key from memory, in the same forms as from a file.
    ///
    /// - Parameters:
    ///   - content: What a key file would hold.
    ///   - name: Names the key in errors and lists.
    ///   - password: Opens an encrypted private key; ignored if nothing is encrypted.
    /// - Throws: `.unusableKey`.
    public init(
        _ content: Span<UInt8>,
        named name: String,
        password: KeyPassword? = nil
    ) throws(PlaybackSessionError) {
        try self.init(WipedBytes(content), named: name, password: password)
    }

    /// Takes a key from an array, in the same forms as from a file; the caller wipes the array.
    ///
    /// - Parameters:
    ///   - content: What a key file would hold.
    ///   - name: Names the key in errors and lists.
    ///   - password: Opens an encrypted private key; ignored if nothing is encrypted.
    /// - Throws: `.unusableKey`.
    public init(
        _ content: [UInt8],
        named name: String,
        password: KeyPassword? = nil
    ) throws(PlaybackSessionError) {
        try self.init(WipedBytes(content), named: name, password: password)
    }

    private init(_ content: WipedBytes, named name: String, password: KeyPassword?) throws(PlaybackSessionError) {
        self = try rethrowing(Self(content, of: name, password: password), as: PlaybackSessionError.init)
    }

    private init(_ content: WipedBytes, of name: String, password: KeyPassword?) throws(KeyError) {
        material = try SessionKeyMaterial(content, named: name, password: password)
        label = String(name.split(separator: "/").last ?? Substring(name))
        do throws(OpenSSLFailure) {
            id = try material.id
            clientKey = try material.clientKey
        } catch {
            throw .unreadable(file: name, reason: error.description)
        }
        header = SessionHeader.encoded(algorithm: material.algorithm, keyID: id)
    }

    /// A key file is small; other files are refused at once.
    private static let maximumFileSize = 1 << 16
}

extension SessionKey: CustomStringConvertible, CustomReflectable {
    /// The algorithm and the name; nothing of the key.
    public var description: String { "session key \(id) (\(algorithm.rawValue)\(canSign ? "" : ", verifies only"))" }

    /// Shows nothing of the key.
    public var customMirror: Mirror { Mirror(self, children: ["id": id, "algorithm": algorithm]) }
}

extension PlaybackSessionError {
    /// A key file that cannot be used.
    init(_ error: KeyError) {
        let prefix = "\(error.file): "
        let text = error.description
        let reason = text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text
        self = .unusableKey(file: error.file.printable, code: error.code, reason: reason)
    }
}

/// How the text of a playback session is signed (RFC 7518 §3).
///
/// The key fixes it; a text's own word is never believed.
public enum SessionAlgorithm: String, Sendable, Hashable, CaseIterable {
    /// HMAC with SHA-256: who can check a session can also make one, so the secret stays with the service and its edges.
    case hs256 = "HS256"
    /// RSASSA-PKCS1-v1_5 with SHA-256: edges check with the public key, which the JWK set publishes.
    case rs256 = "RS256"
    /// ECDSA with P-256 and SHA-256: as RS256, with shorter sessions, which take less time to sign.
    case es256 = "ES256"
}
