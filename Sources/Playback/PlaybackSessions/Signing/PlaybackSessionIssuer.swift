public import EntitlementValues
public import MediaTokens
import OpenSSLBridge
import TextCodecs

/// Issues playback sessions as JSON Web Signatures in compact form, signed with the first key of a ring.
///
/// ```swift
/// let keys = try SessionKeys(contentsOfFiles: ["session.key"])
/// let lifetimes = try SessionLifetimes(session: .minutes(5), ceiling: .hours(8))
/// let issuer = try PlaybackSessionIssuer(keys: keys, name: "play.example.org", lifetimes: lifetimes)
/// let issued = try issuer.issue(for: token, client: .unbound)
/// ```
///
/// The claims are `iss` (the issuer's name), `sub` (the session GUID), `aud` (the requestor), `iat`, `exp` and `jti`
/// (RFC 7519 §4.1), then `resource`, `mvpd`, `ceiling` (seconds, as `exp`) and, if the session is bound, `client`: a
/// keyed hash of the ID and the address, from which the address cannot be told without the key.
public struct PlaybackSessionIssuer: Sendable {
    /// The maximum length of a session's text, in bytes.
    ///
    /// Browsers keep cookies of up to 4096 bytes.
    public static let maximumLength = 8192

    /// The keys, of which the first one signs.
    public let keys: SessionKeys
    /// The name of this service in sessions (`iss`).
    public let name: String
    /// How long sessions are good.
    public let lifetimes: SessionLifetimes

    /// Makes an issuer.
    ///
    /// - Parameters:
    ///   - keys: The keys, of which the first one signs.
    ///   - name: The name of this service in sessions (`iss`), which verifiers expect.
    ///   - lifetimes: How long sessions are good.
    /// - Throws: `.cannotSign` if the first key is public; `.unsuitable` if the name is empty.
    public init(keys: SessionKeys, name: String, lifetimes: SessionLifetimes) throws(PlaybackSessionError) {
        guard keys.keys.first?.canSign == true else { throw .cannotSign }
        guard !name.isEmpty else { throw .unsuitable(.empty(field: "name of the issuer")) }
        (self.keys, self.name, self.lifetimes) = (keys, name, lifetimes)
    }

    /// Issues a new session for a media token.
    ///
    /// Redeem the token before the text is handed out: one token is worth one session.
    ///
    /// - Parameters:
    ///   - token: The verified token.
    ///   - client: The client that the session is bound to.
    ///   - now: When the session begins.
    ///   - end: An instant after which the session is not good, also if it is renewed; `nil` for none but those of the
    ///     lifetimes.
    /// - Returns: The session and its text.
    /// - Throws: `.undecided`, or `.unsuitable`, also if `end` is less than a second after `now`.
    public func issue(
        for token: VerifiedMediaToken,
        client: SessionClient,
        at now: Timestamp = .now,
        notAfter end: Timestamp? = nil
    ) throws(PlaybackSessionError) -> IssuedPlaybackSession {
        try issue(
            PlaybackSession(for: token, id: .random(), lifetimes: lifetimes, client: client, at: now, notAfter: end))
    }

    /// Issues a verified session again with a later end, signed with the key that signs now.
    ///
    /// - Parameters:
    ///   - session: The session, which must still be good.
    ///   - now: When it is renewed.
    /// - Returns: The session and its new text; the old text stays good until its own end.
    /// - Throws: `.unsuitable` or `.undecided`.
    public func renew(
        _ session: VerifiedPlaybackSession,
        at now: Timestamp = .now
    ) throws(PlaybackSessionError) -> IssuedPlaybackSession {
        try issue(session.session.renewed(for: lifetimes, at: now))
    }

    /// Signs a session that the caller has described.
    ///
    /// - Parameter session: The session.
    /// - Returns: The session and its text.
    /// - Throws: `.unsuitable` or `.undecided`.
    public func issue(_ session: PlaybackSession) throws(PlaybackSessionError) -> IssuedPlaybackSession {
        guard let key = keys.keys.first else { throw .noKeys }
        let signed = try signedPart(of: session, for: key)
        guard let signature = try PlaybackSessionError.mapping(key.material.sign(signed)) else { throw .cannotSign }
        let text = "\(String(decoding: signed, as: UTF8.self)).\(Base64.encodeURLSafe(signature))"
        return IssuedPlaybackSession(session: session, text: text)
    }

    /// Refuses a session that ``issue(_:)`` would refuse, without signing it.
    package func check(_ session: PlaybackSession) throws(PlaybackSessionError) {
        guard let key = keys.keys.first else { throw .noKeys }
        _ = try signedPart(of: session, for: key)
    }

    /// The first two parts of a session's text; throws `.unsuitable` also if it would be too long with its signature.
    private func signedPart(of session: PlaybackSession, for key: SessionKey) throws(PlaybackSessionError) -> [UInt8] {
        let claims = SessionClaims(session, issuer: name, clientHash: try key.hash(of: session.client, in: session.id))
        try claims.check()
        let signed = key.header + [UInt8(ascii: ".")] + Array(Base64.encodeURLSafe(claims.json).utf8)
        // Base64 without padding.
        let signatureLength = (key.material.signatureLength * 4 + 2) / 3
        guard signed.count + 1 + signatureLength <= Self.maximumLength else { throw .unsuitable(.sessionLength) }
        return signed
    }
}

/// A playback session with the text that a client presents.
public struct IssuedPlaybackSession: Sendable {
    /// What the session allows.
    public let session: PlaybackSession
    /// The JWS in compact form (RFC 7515 §7.1): letters, digits, `-`, `_` and two dots, so it needs no escape in cookies
    /// and URLs.
    ///
    /// Every client that has it can play: keep it out of logs.
    public let text: String

    init(session: PlaybackSession, text: String) { (self.session, self.text) = (session, text) }
}

extension IssuedPlaybackSession: CustomStringConvertible, CustomReflectable {
    /// The session without its text.
    public var description: String { session.description }

    /// Shows the session without its text.
    public var customMirror: Mirror { Mirror(self, children: ["session": session]) }
}

/// How long playback sessions are good.
public struct SessionLifetimes: Sendable, Hashable {
    /// How long a session is good after it was issued or renewed.
    public let session: TimeToLive
    /// How long a session can be good with all its renewals.
    public let ceiling: TimeToLive

    /// The longest ceiling: 7 days.
    public static let maximumCeiling = TimeToLive.hours(7 * 24)

    /// Five minutes, and twelve hours with renewals.
    public static let standard = SessionLifetimes(unchecked: .minutes(5), .hours(12))

    private init(unchecked session: TimeToLive, _ ceiling: TimeToLive) {
        (self.session, self.ceiling) = (session, ceiling)
    }

    /// Sets the lifetimes.
    ///
    /// - Parameters:
    ///   - session: How long a session is good after it was issued or renewed: whole seconds, at least one.
    ///   - ceiling: How long it can be good with all its renewals: whole seconds, at least `session` and at most 7 days.
    /// - Throws: `.unsuitable` for other lengths.
    public init(session: TimeToLive, ceiling: TimeToLive) throws(PlaybackSessionError) {
        for length in [session, ceiling] {
            guard length.milliseconds % 1000 == 0, .seconds(1)...Self.maximumCeiling ~= length else {
                throw .unsuitable(.lifetime(length))
            }
        }
        guard session <= ceiling else { throw .unsuitable(.lifetime(session)) }
        (self.session, self.ceiling) = (session, ceiling)
    }
}
