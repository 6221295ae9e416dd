#if Service
import EntitlementKeys
import EntitlementValues
import HostSystem
import MediaTokens
import OpenSSLBridge
import TextCodecs

/// The right to play one resource for a limited time, given in exchange for a media token that is used up.
///
/// It holds for the requestor, resource and subscriber of the token, and usually outlives it.
struct PlaybackSession: Sendable, Hashable {
    let requestor: RequestorID
    let resource: ResourceID
    let mvpd: MVPDID
    let sessionGUID: SessionGUID
    let expires: Timestamp

    init(_ token: VerifiedMediaToken, expires: Timestamp) {
        requestor = token.requestor
        resource = token.resource
        mvpd = token.mvpd
        sessionGUID = token.sessionGUID
        self.expires = expires
    }

    /// Reads the five fields that `fields` writes; `nil` if one is malformed.
    fileprivate init?(fields: ArraySlice<Substring>) {
        let fields = Array(fields)
        guard fields.count == 5, let milliseconds = Int64(fields[0]), let requestor = Self.text(fields[1]),
            let resource = Self.text(fields[2]), let mvpd = Self.text(fields[3]), let guid = Self.text(fields[4])
        else { return nil }
        expires = Timestamp(milliseconds: milliseconds)
        self.requestor = RequestorID(requestor)
        self.resource = ResourceID(resource)
        self.mvpd = MVPDID(mvpd)
        sessionGUID = SessionGUID(guid)
    }

    private static func text(_ field: Substring) -> String? {
        guard let bytes = Base64.decode(Array(field.utf8), options: [.urlSafe, .unpadded]),
            bytes.isTextWithoutNUL
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The fields between the key's ID and the signature.
    fileprivate var fields: String {
        let texts = [requestor.rawValue, resource.rawValue, mvpd.rawValue, sessionGUID.rawValue]
        return "\(expires.milliseconds)."
            + texts.map { Base64.encodeURLSafe(Array($0.utf8)) }.joined(separator: ".")
    }
}

/// Signs playback sessions with the first of several keys, and verifies those signed with any of them.
///
/// The text of a session has eight fields, separated by dots: `1.KEY.EXPIRES.REQUESTOR.RESOURCE.MVPD.GUID.MAC`.
///
/// - `1` is the version of this format, and `KEY` the ID of the key that signed the session.
/// - `EXPIRES` is in milliseconds since the Unix epoch.
/// - The next four fields and `MAC` are Base64 in the URL-safe alphabet, without padding (RFC 4648 §5).
/// - `MAC` is HMAC-SHA-256 over everything before its dot, a line feed, and the client's address. The address is empty if
///   sessions are not bound to one; it is signed but not part of the text.
///
/// Why this is not a JSON Web Signature (RFC 7515): the service only reads what it signed itself, so no `alg` member has to
/// be trusted, no JSON is parsed on the path of each segment, and the address can be signed without being sent. The price is
/// that general tools cannot show a session, and that the JSON Web Tokens of `RequestorSigning`, which are RS256 only, share
/// no code with it.
struct SessionKeys: Sendable {
    private struct Key: Sendable {
        let id: String
        let secret: WipedBytes
    }

    private let keys: [Key]

    /// The longest session text that is read, in bytes.
    private static let maximumSessionLength = 1 << 15
    private static let version = "1"

    /// Reads the keys, of which the first one signs.
    ///
    /// - Parameters:
    ///   - paths: The files, each with the bytes of one key.
    ///   - faults: Takes what is wrong with them.
    init(contentsOfFiles paths: [String], faults: inout [SettingsFault]) {
        var keys: [Key] = []
        for path in paths {
            do throws(SecretFileFailure) {
                let secret = try SecretFile.key(path)
                guard let code = try? Self.code(of: "tve session key", address: "", key: secret) else {
                    faults.append(
                        SettingsFault(setting: path, code: "unreadable_key", detail: "libcrypto could not use the key"))
                    continue
                }
                keys.append(Key(id: Hex.encode(code.prefix(4)), secret: secret))
            } catch {
                let code = if case .keyTooSmall = error { "key_too_small" } else { "unreadable_key" }
                faults.append(SettingsFault(setting: path, code: code, detail: error.description))
            }
        }
        self.keys = keys
    }

    /// The IDs of the keys, which reveal nothing of the keys; the one that signs is the first.
    var names: [String] { keys.map(\.id) }

    /// Signs a session.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - address: The client's address; empty if sessions are not bound to one.
    /// - Returns: The text of the session, without characters that need an escape in cookies or URLs.
    /// - Throws: `SessionError.undecided` if libcrypto failed.
    func sign(_ session: PlaybackSession, for address: String) throws(SessionError) -> String {
        guard let key = keys.first else { throw .undecided }
        let text = "\(Self.version).\(key.id).\(session.fields)"
        do throws(OpenSSLFailure) {
            return "\(text).\(Base64.encodeURLSafe(try Self.code(of: text, address: address, key: key.secret)))"
        } catch {
            throw .undecided
        }
    }

    /// Verifies the text of a session.
    ///
    /// - Parameters:
    ///   - text: The text as the client presented it.
    ///   - address: The client's address; empty if sessions are not bound to one.
    ///   - now: The instant at which the session must not have expired.
    /// - Returns: The session; whether it is for the requested resource is not checked.
    /// - Throws: `SessionError`: the first check that failed.
    func session(
        _ text: some StringProtocol,
        from address: String,
        at now: Timestamp
    ) throws(SessionError) -> PlaybackSession {
        guard text.utf8.count <= Self.maximumSessionLength else { throw .malformed }
        let fields = Substring(text).split(separator: ".", omittingEmptySubsequences: false)
        guard fields.count == 8, fields[0] == Self.version,
            let code = Base64.decode(Array(fields[7].utf8), options: [.urlSafe, .unpadded])
        else { throw .malformed }
        guard let key = keys.first(where: { $0.id == fields[1] }) else { throw .unknownKey }
        let signed = fields[..<7].joined(separator: ".")
        let expected: [UInt8]
        do throws(OpenSSLFailure) {
            expected = try Self.code(of: signed, address: address, key: key.secret)
        } catch {
            throw .undecided
        }
        guard isEqualInConstantTime(code, expected) else { throw .altered }
        guard let session = PlaybackSession(fields: fields[2..<7]) else { throw .malformed }
        guard now <= session.expires else { throw .expired }
        return session
    }

    private static func code(of text: String, address: String, key: WipedBytes) throws(OpenSSLFailure) -> [UInt8] {
        let message = Array("\(text)\n\(address)".utf8)
        return try authenticationCode(of: message, key: key, digest: .sha256)
    }
}
#endif
