public import EntitlementValues
public import MediaTokens
import OpenSSLBridge
import TextCodecs

/// The right to play one resource for a limited time, given in exchange for a media token that is used up.
///
/// A value of this type proves nothing: ``PlaybackSessionIssuer`` makes its text, and what a text says can be relied on
/// only as part of a ``VerifiedPlaybackSession``.
public struct PlaybackSession: Sendable, Hashable {
    /// The name of the session, which it keeps when it is renewed.
    public let id: PlaybackSessionID
    /// The brand whose resource may be played.
    public let requestor: RequestorID
    /// The resource that may be played.
    public let resource: ResourceID
    /// The provider that authorized the play.
    public let mvpd: MVPDID
    /// The subscriber, by the session GUID of the media token.
    public let subscriber: SessionGUID
    /// When the text was signed: at the start, or at the last renewal.
    ///
    /// Whole seconds.
    public let issued: Timestamp
    /// The first instant at which the session is not good any more.
    ///
    /// Whole seconds.
    public let expires: Timestamp
    /// The latest end that renewals can reach.
    ///
    /// Whole seconds.
    public let ceiling: Timestamp
    /// The client that the session is bound to.
    public let client: SessionClient

    /// Describes a session.
    ///
    /// - Parameters:
    ///   - id: The name of the session.
    ///   - requestor: The brand whose resource may be played.
    ///   - resource: The resource.
    ///   - mvpd: The provider that authorized the play.
    ///   - subscriber: The subscriber, by the session GUID of the media token.
    ///   - issued: When the session is signed; cut to whole seconds, as are the other instants.
    ///   - expires: The first instant at which the session is not good any more.
    ///   - ceiling: The latest end that renewals can reach.
    ///   - client: The client that the session is bound to.
    public init(
        id: PlaybackSessionID,
        requestor: RequestorID,
        resource: ResourceID,
        mvpd: MVPDID,
        subscriber: SessionGUID,
        issued: Timestamp,
        expires: Timestamp,
        ceiling: Timestamp,
        client: SessionClient
    ) {
        (self.id, self.requestor, self.resource, self.mvpd) = (id, requestor, resource, mvpd)
        (self.subscriber, self.client) = (subscriber, client)
        (self.issued, self.expires, self.ceiling) = (issued.wholeSecond, expires.wholeSecond, ceiling.wholeSecond)
    }

    /// Describes the session that a media token is exchanged for.
    ///
    /// - Parameters:
    ///   - token: The token: verified, and redeemed before the session is handed out.
    ///   - id: The name of the session.
    ///   - lifetimes: How long the session is good, with and without renewals.
    ///   - client: The client that the session is bound to.
    ///   - now: When the session begins.
    ///   - end: An instant after which the session is not good, also if it is renewed; `nil` for none but those of the
    ///     lifetimes. Temporary access has such an end.
    public init(
        for token: VerifiedMediaToken,
        id: PlaybackSessionID,
        lifetimes: SessionLifetimes,
        client: SessionClient,
        at now: Timestamp = .now,
        notAfter end: Timestamp? = nil
    ) {
        let start = now.wholeSecond
        let ceiling = end.map { min($0, start + lifetimes.ceiling) } ?? start + lifetimes.ceiling
        self.init(
            id: id, requestor: token.requestor, resource: token.resource, mvpd: token.mvpd,
            subscriber: token.sessionGUID, issued: start, expires: min(start + lifetimes.session, ceiling),
            ceiling: ceiling, client: client)
    }

    /// The same session with a later end: one lifetime from now, but not after the ceiling.
    ///
    /// The end never moves to an earlier instant, also if the clock was set back.
    ///
    /// - Parameters:
    ///   - lifetimes: How long the session is good from now on.
    ///   - now: When it is renewed.
    /// - Returns: The session.
    public func renewed(for lifetimes: SessionLifetimes, at now: Timestamp = .now) -> PlaybackSession {
        let start = now.wholeSecond
        return PlaybackSession(
            id: id, requestor: requestor, resource: resource, mvpd: mvpd, subscriber: subscriber, issued: start,
            expires: min(max(expires, start + lifetimes.session), ceiling), ceiling: ceiling, client: client)
    }
}

extension PlaybackSession: CustomStringConvertible, CustomReflectable {
    /// The ID, requestor, resource and end; not the subscriber.
    public var description: String {
        "playback session \(id) for \(requestor.rawValue.printable), until \(expires)"
    }

    /// Shows what the description shows.
    public var customMirror: Mirror { Mirror(self, children: ["id": id, "expires": expires]) }
}

/// The name of a playback session: 128 random bits, written as 22 characters of Base64url.
///
/// A renewed session keeps its ID, so revoking the ID ends the session in all its texts. The ID opens no stream: it may
/// be logged.
public struct PlaybackSessionID: Sendable, Hashable, CustomStringConvertible {
    /// How many bytes an ID has.
    public static let length = 16

    /// The 16 bytes.
    public let bytes: [UInt8]

    /// Takes the bytes of an ID; `nil` unless there are 16.
    ///
    /// - Parameter bytes: The 16 bytes.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = bytes
    }

    /// Reads the text that ``description`` gives; `nil` for any other.
    ///
    /// - Parameter text: 22 characters of Base64url (RFC 4648 §5), without padding.
    public init?(text: String) {
        guard let id = text.withBytes({ Self(reading: $0) }) else { return nil }
        self = id
    }

    /// Reads such a text, given as bytes.
    init?(reading text: Span<UInt8>) {
        guard let bytes = Base64.decode(text, in: 0..<text.count, options: .compact) else { return nil }
        self.init(bytes)
    }

    /// Draws a new ID.
    ///
    /// - Returns: The ID.
    /// - Throws: `.undecided` if the random generator fails.
    public static func random() throws(PlaybackSessionError) -> PlaybackSessionID {
        guard let drawn = PlaybackSessionID(try PlaybackSessionError.mapping(randomBytes(length))) else {
            throw .undecided(reason: "libcrypto gave too few random bytes")
        }
        return drawn
    }

    /// The 22 characters.
    public var description: String { Base64.encodeURLSafe(bytes) }
}
