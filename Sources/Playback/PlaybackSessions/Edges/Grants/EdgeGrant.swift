public import EntitlementValues
import TextCodecs

/// What an edge lets a client fetch without a question to the service: some paths, until an instant.
///
/// A value of this type proves nothing: an edge takes it as one of the forms that ``LegacySecureLinks``, ``EdgeTokens``
/// and ``LegacySignedPolicies`` issue.
public struct EdgeGrant: Sendable, Hashable {
    /// The longest time that a grant can be good: 7 days, as long as a session can be renewed.
    public static let maximumLifetime = SessionLifetimes.maximumCeiling

    /// The paths that are open.
    public let path: EdgePath
    /// The first instant at which the grant is not good any more.
    ///
    /// Whole seconds.
    public let expires: Timestamp
    /// The client that the grant is bound to; an address is in its one spelling, without a port.
    public let client: SessionClient
    /// The session that the grant belongs to; `nil` if there is none.
    ///
    /// Only ``EdgeTokens`` tells the edge.
    public let session: PlaybackSessionID?

    /// Describes a grant.
    ///
    /// - Parameters:
    ///   - path: The paths that are open.
    ///   - expires: The first instant at which the grant is not good any more; cut to whole seconds.
    ///   - client: The client that the grant is bound to, by the address that the edge sees.
    ///   - session: The session that the grant belongs to.
    /// - Throws: `.unsuitable` if the address is not one, or the instant cannot be written.
    public init(
        path: EdgePath,
        expires: Timestamp,
        client: SessionClient = .unbound,
        session: PlaybackSessionID? = nil
    ) throws(PlaybackSessionError) {
        (self.path, self.expires, self.session) = (path, expires.wholeSecond, session)
        // Edges compare texts: with one as the proxy happened to write it, a grant would be good at some of them.
        let address = client.ipAddress
        self.client = address.map { .address($0.text) } ?? .unbound
        guard 1...Self.latestSecond ~= seconds else { throw .unsuitable(.instants) }
        guard client == .unbound || address != nil else { throw .unsuitable(.edgeAddress) }
    }

    /// Describes a grant that ends with a session, and is bound as the session is.
    ///
    /// - Parameters:
    ///   - session: The session; after a renewal it needs another grant.
    ///   - path: The paths of its resource at the edge.
    /// - Throws: `.unsuitable`.
    public init(for session: PlaybackSession, path: EdgePath) throws(PlaybackSessionError) {
        try self.init(path: path, expires: session.expires, client: session.client, session: session.id)
    }

    /// The end in seconds since 1970, as all forms write it.
    var seconds: Int64 { expires.milliseconds / 1000 }

    /// The address that the grant is bound to; `nil` if there is none.
    var address: String? { if case .address(let address) = client { address } else { nil } }

    /// Ten digits.
    private static let latestSecond: Int64 = 9_999_999_999

    /// Reads an end as the forms write it: decimal digits, of which the first is not 0.
    static func instant(_ text: some StringProtocol) -> Timestamp? {
        let digits = Array(text.utf8)
        guard digits.first != UInt8(ascii: "0"),
            let seconds = digits.withSpan({ $0.decimal(in: 0..<$0.count, maximumDigits: 10) })
        else { return nil }
        return Timestamp(milliseconds: seconds * 1000)
    }

    /// Checks the time of a grant whose signature is good.
    ///
    /// The forms do not say when they were issued. One that ends later than any grant can was issued after now: this
    /// machine's clock or the issuer's was stepped.
    static func check(_ expires: Timestamp, at now: Timestamp) throws(PlaybackSessionError) {
        guard now < expires else { throw .expired(at: expires, now: now) }
        let earliest = expires - maximumLifetime
        guard earliest <= now + .seconds(60) else { throw .notYetValid(issued: earliest, now: now) }
    }
}
