public import EntitlementValues

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
    /// The session that it says it belongs to; only tokens say it.
    public let session: PlaybackSessionID?
    /// The name of the key that it says signed it; tokens name none.
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
        case .legacyLink:
            let fields = try LegacySecureLinks.Fields(request, mount: mount)
            (expires, keyID) = (fields.expires, fields.keyID)
            (opens, address, session) = (nil, nil, nil)
        case .edgeToken:
            let token = try EdgeTokenText(EdgeTokens.text(in: request, named: name))
            guard let expires = EdgeGrant.instant(token.expires) else { throw .malformed(.fields) }
            (self.expires, opens, address, keyID) = (expires, token.acl, token.address, nil)
            session = token.session.flatMap { PlaybackSessionID(text: $0) }
        case .legacyPolicy:
            let fields = try SignedPolicyFields(of: request)
            keyID = fields.keyID
            session = nil
            if let end = fields.expires {
                guard let expires = EdgeGrant.instant(end) else { throw .malformed(.fields) }
                (self.expires, opens, address) = (expires, nil, nil)
            } else {
                let policy = try LegacyPolicy(fields.policy ?? [])
                (expires, opens, address) = (policy.expires, policy.resource, policy.address)
            }
        }
    }
}
