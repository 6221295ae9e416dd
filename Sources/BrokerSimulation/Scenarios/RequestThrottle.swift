#if Client
import EntitlementValues

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

    /// Counts a request.
    ///
    /// - Parameters:
    ///   - address: The client's address.
    ///   - uptime: When it came.
    /// - Returns: Whether it may pass.
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
