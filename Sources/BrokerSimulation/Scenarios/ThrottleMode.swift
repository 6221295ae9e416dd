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

    /// The name: `off`, `documented`, `always`, or `RATE:BURST` for a bucket.
    public var name: String {
        switch rule {
        case .off: "off"
        case .documented: "documented"
        case .always: "always"
        case .bucket(let perSecond, let burst): "\(perSecond):\(burst)"
        }
    }

    /// Finds a limit by its name.
    ///
    /// - Parameters:
    ///   - name: The name; `nil` is returned if no limit has it. `RATE` and `BURST` are 1 to 1,000,000.
    ///   - retryAfter: The seconds in the header `Retry-After`; `nil` leaves it out.
    public init?(named name: String, retryAfter: Int? = nil) {
        switch name {
        case "off": self.init(.off, retryAfter: retryAfter)
        case "documented": self.init(.documented, retryAfter: retryAfter)
        case "always": self.init(.always, retryAfter: retryAfter)
        default:
            let parts = name.split(separator: ":", omittingEmptySubsequences: false)
            let numbers = parts.compactMap { part in
                part.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } ? Int(part) : nil
            }
            guard parts.count == 2, numbers.count == 2, numbers.allSatisfy({ (1...1_000_000).contains($0) }) else {
                return nil
            }
            self.init(.bucket(perSecond: numbers[0], burst: numbers[1]), retryAfter: retryAfter)
        }
    }

    /// No limit.
    public static let off = ThrottleMode(.off)
    /// As the broker documents it.
    public static let documented = ThrottleMode(.documented)
}
#endif
