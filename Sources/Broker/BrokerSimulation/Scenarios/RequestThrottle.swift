#if Client
import EntitlementValues

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

/// Counts the requests of each client address.
struct RequestThrottle: Sendable {
    private struct Count {
        /// The beginning of the address's windows: its first request.
        let start: Duration
        var window: Int64 = 0
        var isWindowUsed = false
        var extra: Int
        /// Thousandths of a request that are left in the bucket, and when they were counted.
        var left: Int64 = 0
        var counted: Duration
    }

    /// More addresses than this are forgotten, the oldest first: a test that invents addresses fills no memory.
    private static let maximumAddresses = 10_000
    /// How many requests the broker lets through once besides one a second.
    private static let documentedBurst = 10

    private(set) var mode: ThrottleMode
    private var counts: [String: Count] = [:]

    init(mode: ThrottleMode) { self.mode = mode }

    /// Changes the rule, and forgets all counts.
    mutating func set(_ mode: ThrottleMode) { (self.mode, counts) = (mode, [:]) }

    /// Counts a request of a client's address, and tells whether it may pass.
    mutating func admit(_ address: String, at uptime: Duration) -> Bool {
        switch mode.rule {
        case .off: return true
        case .always: return false
        case .documented, .bucket: break
        }
        if counts.count >= Self.maximumAddresses, counts[address] == nil,
            let oldest = counts.min(by: { $0.value.counted < $1.value.counted })
        {
            counts[oldest.key] = nil
        }
        var count =
            counts[address]
            ?? Count(start: uptime, extra: Self.documentedBurst, left: fullBucket, counted: uptime)
        defer { counts[address] = count }
        guard case .bucket(let rate, _) = mode.rule else {
            count.counted = uptime
            return Self.admitDocumented(&count, (uptime - count.start).wholeMilliseconds)
        }
        let passed = (uptime - count.counted).wholeMilliseconds
        // Parts of a millisecond count for the next request.
        count.counted += .milliseconds(passed)
        count.left = min(fullBucket, count.left + passed * Int64(rate))
        guard count.left >= 1000 else { return false }
        count.left -= 1000
        return true
    }

    private static func admitDocumented(_ count: inout Count, _ elapsed: Int64) -> Bool {
        let window = elapsed / 1000
        if window != count.window { (count.window, count.isWindowUsed) = (window, false) }
        if !count.isWindowUsed {
            count.isWindowUsed = true
            return true
        }
        guard count.extra > 0 else { return false }
        count.extra -= 1
        return true
    }

    private var fullBucket: Int64 {
        if case .bucket(_, let burst) = mode.rule { Int64(burst) * 1000 } else { 0 }
    }
}

extension Duration {
    /// Parts of a millisecond are dropped.
    var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }
}
#endif
