#if Service
import EntitlementValues
import HostSystem
import OpenSSLBridge
import PlaybackSessions
import TextCodecs

/// Verifies playback sessions in the form of version 0.1, which nothing issues any more.
///
/// Deprecated: `/v1/authz` takes them for one version, so that sessions survive the update, and then no longer.
///
/// The text has eight fields, separated by dots: `1.KEY.EXPIRES.REQUESTOR.RESOURCE.MVPD.GUID.MAC`.
///
/// - `1` is the version of the form, and `KEY` the ID of the key that signed the session.
/// - `EXPIRES` is in milliseconds since the Unix epoch.
/// - The next four fields and `MAC` are Base64 in the URL-safe alphabet, without padding (RFC 4648 §5).
/// - `MAC` is HMAC-SHA-256 over everything before its dot, a line feed, and the client's address, which is empty if
///   sessions are not bound to one.
struct LegacySessionKeys: Sendable {
    private struct Key: Sendable {
        let id: String
        let secret: AuthenticationKey
    }

    private let keys: [Key]

    /// The longest session text that is read, in bytes.
    private static let maximumSessionLength = 1 << 15
    private static let version = "1"

    /// Takes the secrets among the keys of sessions; the old form knows no others.
    init(_ keys: SessionKeys) {
        self.keys = keys.keys.compactMap { key in
            guard let secret = key.secret,
                let code = try? secret.code(of: Array("tve session key\n".utf8))
            else { return nil }
            return Key(id: Hex.encode(Array(code.prefix(4))), secret: secret)
        }
    }

    /// Whether a text has the old form, as far as can be told at a glance.
    static func isLegacy(_ text: some StringProtocol) -> Bool { text.utf8.starts(with: "\(version).".utf8) }

    /// Verifies the text of a session.
    ///
    /// - Parameters:
    ///   - text: The text as the client presented it.
    ///   - client: The client that presents it.
    ///   - now: The instant at which the session must not have expired.
    /// - Returns: What the session allows.
    /// - Throws: The first check that failed.
    func grant(
        _ text: String,
        from client: SessionClient,
        at now: Timestamp
    ) throws(PlaybackSessionError) -> AccessGrant {
        guard text.utf8.count <= Self.maximumSessionLength else { throw .tooLarge(limit: Self.maximumSessionLength) }
        let fields = text.split(separator: ".", omittingEmptySubsequences: false)
        guard fields.count == 8, fields[0] == Self.version else { throw .malformed(.partCount(fields.count)) }
        // The decoder takes the standard alphabet and padding as well; what is not signed has one spelling.
        guard fields[7].utf8.allSatisfy(\.isURLSafe),
            let code = Base64.decode(Array(fields[7].utf8), options: [.urlSafe, .unpadded])
        else {
            throw .malformed(.notBase64URL)
        }
        guard let key = keys.first(where: { $0.id == fields[1] }) else { throw .unknownKey }
        let address = if case .address(let address) = client { address } else { "" }
        let message = "\(fields[..<7].joined(separator: "."))\n\(address)"
        let expected: [UInt8]
        do throws(OpenSSLFailure) {
            expected = try key.secret.code(of: Array(message.utf8))
        } catch {
            throw .undecided(reason: error.description)
        }
        guard isEqualInConstantTime(code, expected) else { throw .badSignature }
        guard let milliseconds = Int64(fields[2]), case let texts = fields[3..<7].compactMap(Self.text),
            texts.count == 4
        else { throw .malformed(.claims) }
        let expires = Timestamp(milliseconds: milliseconds)
        guard now <= expires else { throw .expired(at: expires, now: now) }
        return AccessGrant(legacy: texts, until: expires, signedBy: key.id)
    }

    private static func text(_ field: Substring) -> String? {
        guard let bytes = Base64.decode(Array(field.utf8), options: [.urlSafe, .unpadded]), bytes.isTextWithoutNUL
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
#endif
