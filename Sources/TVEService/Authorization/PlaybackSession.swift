#if Service
import TextCodecs
import HostSystem
import EntitlementKeys
import EntitlementValues
import MediaTokens
import OpenSSLBridge

/// What a spent media token entitles to for a while: one resource, for the subscriber it was issued to.
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
            bytes.span.isTextWithoutNUL
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    fileprivate var fields: String {
        let texts = [requestor.rawValue, resource.rawValue, mvpd.rawValue, sessionGUID.rawValue]
        return "\(expires.milliseconds)."
            + texts.map { Base64.encodeURLSafe(Array($0.utf8)) }.joined(separator: ".")
    }
}

/// Says why a session does not entitle to anything.
struct SessionFault: Error, Sendable, Hashable {
    let status: MediaTokenStatus
    let code: String
    let detail: String

    static let malformed = SessionFault(
        status: .invalidTokenFormat, code: "bad_session", detail: "not a playback session of this service")
    static let unknownKey = SessionFault(
        status: .invalidSignature, code: "retired_session_key",
        detail: "the playback session was signed with a key that is not, or no longer, configured")
    static let altered = SessionFault(
        status: .invalidSignature, code: "bad_session_signature",
        detail: "the playback session was changed on its way, or belongs to another client address")
    static let expired = SessionFault(
        status: .tokenExpired, code: "session_expired",
        detail: "the playback session is over; start with a new token")
    static let undecided = SessionFault(
        status: .errorUnknown, code: "internal", detail: "libcrypto could not decide; try again")

    /// Every value that `code` can have.
    static let allCodes = [malformed, unknownKey, altered, expired, undecided].map(\.code)
}

/// Signs playback sessions with the first of some keys, and takes those signed with any of them.
///
/// A session reads `1.KEY.EXPIRES.REQUESTOR.RESOURCE.MVPD.GUID.MAC`: milliseconds since the epoch, Base64 in the URL-safe
/// alphabet without padding, and HMAC-SHA-256 over what stands before it, a line feed, and the client's address, which
/// is empty where sessions are not bound to one.
struct SessionKeys: Sendable {
    private struct Key: Sendable {
        let id: String
        let secret: WipedBytes
    }

    private let keys: [Key]

    /// Bytes of the longest session that is looked at.
    private static let maximumSessionLength = 1 << 15
    private static let version = "1"

    /// Reads the keys, of which the first one signs.
    init(contentsOfFiles paths: [String], _ faults: inout [SettingsFault]) {
        var keys: [Key] = []
        for path in paths {
            do throws(SecretFileFailure) {
                let secret = try SecretFile.key(path)
                guard let code = try? Self.code(of: "tve session key", address: "", secret) else {
                    faults.append(SettingsFault(path, "unreadable_key", "libcrypto could not use the key"))
                    continue
                }
                keys.append(Key(id: Hex.encode(code.prefix(4)), secret: secret))
            } catch {
                let code = if case .keyTooSmall = error { "key_too_small" } else { "unreadable_key" }
                faults.append(SettingsFault(path, code, error.description))
            }
        }
        self.keys = keys
    }

    /// Names of the keys, which say nothing of them; the one that signs first.
    var names: [String] { keys.map(\.id) }

    func sign(_ session: PlaybackSession, for address: String) throws(SessionFault) -> String {
        guard let key = keys.first else { throw .undecided }
        let text = "\(Self.version).\(key.id).\(session.fields)"
        do throws(OpenSSLFailure) {
            return "\(text).\(Base64.encodeURLSafe(try Self.code(of: text, address: address, key.secret)))"
        } catch {
            throw .undecided
        }
    }

    func session(_ text: some StringProtocol, from address: String, at now: Timestamp) throws(SessionFault)
        -> PlaybackSession
    {
        guard text.utf8.count <= Self.maximumSessionLength else { throw .malformed }
        let fields = Substring(text).split(separator: ".", omittingEmptySubsequences: false)
        guard fields.count == 8, fields[0] == Self.version,
            let code = Base64.decode(Array(fields[7].utf8), options: [.urlSafe, .unpadded])
        else { throw .malformed }
        guard let key = keys.first(where: { $0.id == fields[1] }) else { throw .unknownKey }
        let signed = fields[..<7].joined(separator: ".")
        let expected: [UInt8]
        do throws(OpenSSLFailure) {
            expected = try Self.code(of: signed, address: address, key.secret)
        } catch {
            throw .undecided
        }
        guard isEqualInConstantTime(code.span, expected.span) else { throw .altered }
        guard let session = PlaybackSession(fields: fields[2..<7]) else { throw .malformed }
        guard now <= session.expires else { throw .expired }
        return session
    }

    private static func code(of text: String, address: String, _ secret: WipedBytes) throws(OpenSSLFailure)
        -> [UInt8]
    {
        let message = Array("\(text)\n\(address)".utf8)
        return try secret.withSpan { key throws(OpenSSLFailure) in
            try authenticationCode(of: message.span, key: key, digest: .sha256)
        }
    }
}
#endif
