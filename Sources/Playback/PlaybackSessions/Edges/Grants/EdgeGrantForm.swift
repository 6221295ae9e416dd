/// A form of grants that edges check by themselves.
public enum EdgeGrantForm: String, Sendable, Hashable, CaseIterable {
    /// A link of nginx's `secure_link`: ``LegacySecureLinks``.
    case legacyLink = "legacy-link"
    /// A token with an ACL: ``EdgeTokens``.
    case edgeToken = "edge-token"
    /// A signed URL or signed cookies: ``LegacySignedPolicies``.
    case legacyPolicy = "legacy-policy"
}
