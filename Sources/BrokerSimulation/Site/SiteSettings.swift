#if Client

/// Where a simulator's site is, and who may use it.
public struct SiteSettings: Sendable, Hashable {
    /// The address of the site, as `http://127.0.0.1:8090`: what its pages show to be copied.
    public var origin: String
    /// Whether browsers of other machines may open the pages of a sign-in, by an IP address or a name in ``names``.
    ///
    /// The control calls and the overview answer to loopback names only.
    public var isOpenToOthers: Bool
    /// The names, besides those of the loopback interface, by which the pages of a sign-in may be asked for.
    public var names: [String]
    /// A line for the overview about where keys and state are kept; empty for none.
    public var keeping: String

    /// Makes the settings of a site.
    ///
    /// - Parameters:
    ///   - origin: The address of the site.
    ///   - isOpenToOthers: Whether browsers of other machines may open the pages of a sign-in.
    ///   - names: The names by which they may do so, besides IP addresses.
    ///   - keeping: A line about where keys and state are kept.
    public init(origin: String, isOpenToOthers: Bool = false, names: [String] = [], keeping: String = "") {
        (self.origin, self.isOpenToOthers, self.names, self.keeping) = (origin, isOpenToOthers, names, keeping)
    }
}
#endif
