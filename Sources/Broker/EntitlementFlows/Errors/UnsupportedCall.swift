#if Client
/// What the operator's library could do, or took, and a server cannot.
@nonexhaustive
public enum UnsupportedCall: String, Sendable, Hashable, CaseIterable {
    /// A server shows no browser, so `handleSVC: false` would be a promise that cannot be kept.
    case handlingBrowser = "handles_browser"
    /// A member of the data that has no place in the broker's API.
    case unknownData = "unknown_data"
    /// Featured providers that are not among the supported ones.
    case featuredNotSupported = "featured_not_supported"
    /// The address of a service provider that is not one of a server, has another path than that of the older protocol,
    /// or is plain HTTP.
    case malformedServiceProvider = "malformed_service_provider"
    /// A partner's answer that is neither XML nor Base64 of it.
    case malformedResponse = "malformed_partner_response"
}
#endif
