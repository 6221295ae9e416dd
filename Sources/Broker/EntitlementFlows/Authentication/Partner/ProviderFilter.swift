#if Client
public import EntitlementValues

/// The providers that the partner's picker shows, of those that the partner supports; it concerns no other picker.
///
/// The operator's library took them as `TV_PROVIDERS` and `FEATURED_TV_PROVIDERS`.
public struct ProviderFilter: Sendable, Hashable {
    /// The providers, in the order in which they are shown; those that the partner does not support are skipped.
    public let supported: [MVPDID]
    /// Those of them that are shown first.
    public let featured: [MVPDID]

    /// Makes a filter.
    ///
    /// - Parameters:
    ///   - supported: The providers, in the order in which they are shown.
    ///   - featured: Those of them that are shown first.
    /// - Throws: `.unsupported(.featuredNotSupported)` if a featured provider is not among the supported ones.
    public init(_ supported: [MVPDID], featuring featured: [MVPDID] = []) throws(EntitlementFlowError) {
        guard featured.allSatisfy(supported.contains) else { throw .unsupported(.featuredNotSupported) }
        (self.supported, self.featured) = (supported, featured)
    }
}
#endif
