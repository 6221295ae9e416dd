#if Client

/// How a simulator limits requests from one client address.
public struct ThrottleMode: Sendable, Hashable {
    /// By which rule.
    public enum Rule: Sendable, Hashable {
        /// No limit.
        case off
        /// As the broker documents it: one request in each second, and ten more that never come back.
        case documented
        /// A bucket: so many requests at once, and so many more each second.
        case bucket(perSecond: Int, burst: Int)
        /// Every request is one too many.
        case always
    }

    /// By which rule.
    public var rule: Rule
    /// The seconds in the header `Retry-After`; `nil` leaves it out, as the broker does.
    public var retryAfter: Int?

    /// Makes a limit.
    ///
    /// - Parameters:
    ///   - rule: By which rule.
    ///   - retryAfter: The seconds in the header `Retry-After`; `nil` leaves it out.
    public init(_ rule: Rule, retryAfter: Int? = nil) { (self.rule, self.retryAfter) = (rule, retryAfter) }

    /// No limit.
    public static let off = ThrottleMode(.off)
    /// As the broker documents it.
    public static let documented = ThrottleMode(.documented)
}
#endif
