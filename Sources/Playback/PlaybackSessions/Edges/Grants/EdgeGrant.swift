public import EntitlementValues
import TextCodecs

/// What an edge lets a client fetch without a question to the service: some paths, until an instant.
///
/// A value of this type proves nothing: an edge takes it as one of the forms that ``SecureLinks``, ``EdgeTokens``,
/// ``SignedPolicies`` and ``CommonAccessTokens`` issue.
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
    /// Only ``EdgeTokens`` and ``CommonAccessTokens`` tell the edge.
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
        return instant(seconds)
    }

    /// An end in seconds since 1970; `nil` for one that cannot be written.
    static func instant(_ seconds: Int64) -> Timestamp? {
        1...latestSecond ~= seconds ? Timestamp(milliseconds: seconds * 1000) : nil
    }

    /// Checks the time of a grant whose signature is good.
    ///
    /// The forms do not say when they were issued, or `begun` is when. One that ends later than any grant can was issued
    /// after now: this machine's clock or the issuer's was stepped.
    static func check(
        _ expires: Timestamp,
        begun: Timestamp? = nil,
        at now: Timestamp
    ) throws(PlaybackSessionError) {
        guard now < expires else { throw .expired(at: expires, now: now) }
        let earliest = max(begun ?? expires - maximumLifetime, expires - maximumLifetime)
        guard earliest <= now + .seconds(60) else { throw .notYetValid(issued: earliest, now: now) }
    }
}

/// A form of grants that edges check by themselves.
public enum EdgeGrantForm: String, Sendable, Hashable, CaseIterable {
    /// A link of nginx's `secure_link`, with MD5: ``SecureLinks``.
    case secureLink = "legacy-link"
    /// A token with an ACL: ``EdgeTokens``.
    case edgeToken = "edge-token"
    /// A signed URL or signed cookies, with SHA-256: ``SignedPolicies``.
    case signedPolicy = "policy"
    /// A signed URL or signed cookies, with SHA-1: ``SignedPolicies/usesLegacySHA1``.
    case legacySignedPolicy = "legacy-policy"
    /// A Common Access Token: ``CommonAccessTokens``.
    case commonAccess = "cat"
}

/// A grant in a form that an edge checks.
///
/// Its description shows nothing that opens a stream.
public struct IssuedEdgeGrant: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// What the edge lets the client fetch.
    public let grant: EdgeGrant
    /// The query parameters that carry it.
    ///
    /// A player adds them to every request: see ``PlaylistRewriter``.
    public let parameters: [EdgeField]
    /// The cookies that carry it; empty if the edge takes none.
    public let cookies: [EdgeField]
    /// What stands before the path instead of parameters; `nil` if the edge takes no such thing.
    ///
    /// Relative addresses in playlists inherit it by themselves.
    public let pathPrefix: String?

    /// The name of the form.
    public var description: String { "a grant for \(grant.path)" }

    /// Shows the paths only.
    public var customMirror: Mirror { Mirror(self, children: ["path": grant.path.text]) }
}

/// A grant whose signature, time, paths and client were found to be good.
public struct VerifiedEdgeGrant: Sendable, Hashable {
    /// What the client may fetch.
    public let grant: EdgeGrant
    /// The name of the key that signed it.
    public let keyID: String
}

/// What a grant says of itself, without any check: anyone can write such a text.
///
/// For diagnosis only.
public struct UnverifiedEdgeGrant: Sendable, Hashable {
    /// Its form.
    public let form: EdgeGrantForm
    /// The end that it states.
    public let expires: Timestamp
    /// What it says it opens, as it is written; `nil` for links, and for tokens and policies of a file, whose signature
    /// covers a path that they do not state.
    public let opens: String?
    /// The address that it says it is bound to; `nil` if there is none, and for links, which never say it.
    public let address: String?
    /// The session that it says it belongs to; only tokens of both forms say it.
    public let session: PlaybackSessionID?
    /// The name of the key that it says signed it; tokens with an ACL name none.
    public let keyID: String?

    /// Reads the grant of a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - form: The form to look for.
    ///   - mount: What links in paths begin with.
    ///   - name: The name of the parameter or cookie that holds a token.
    /// - Throws: `.malformed` or `.tooLarge` if there is none of this form.
    public init(
        parsing request: EdgeRequest,
        as form: EdgeGrantForm,
        mount: String = "/s",
        tokenNamed name: String = "__token__"
    ) throws(PlaybackSessionError) {
        self.form = form
        switch form {
        case .secureLink:
            let fields = try SecureLinks.Fields(request, mount: mount)
            (expires, keyID) = (fields.expires, fields.keyID)
            (opens, address, session) = (nil, nil, nil)
        case .edgeToken:
            let token = try EdgeTokenText(EdgeTokens.text(in: request, named: name))
            guard let expires = EdgeGrant.instant(token.expires) else { throw .malformed(.fields) }
            (self.expires, opens, address, keyID) = (expires, token.acl, token.address, nil)
            session = token.session.flatMap { PlaybackSessionID(text: $0) }
        case .signedPolicy, .legacySignedPolicy:
            let fields = try SignedPolicyFields(of: request, usingLegacySHA1: form == .legacySignedPolicy)
            keyID = fields.keyID
            session = nil
            if let end = fields.expires {
                guard let expires = EdgeGrant.instant(end) else { throw .malformed(.fields) }
                (self.expires, opens, address) = (expires, nil, nil)
            } else {
                let policy = try SignedPolicy(fields.policy ?? [])
                (expires, opens, address) = (policy.expires, policy.resource, policy.address)
            }
        case .commonAccess:
            let token = try CommonAccessText(CommonAccessTokens.text(in: request))
            let grant = try CommonAccessClaims(reading: token.payload).grant
            (expires, opens, address, session) = (grant.expires, grant.path.text, grant.address, grant.session)
            keyID = String(decoding: token.keyID, as: UTF8.self)
        }
    }
}
