#if Service
import Synchronization

/// Says which refusals are logged: so many of each code in a second.
///
/// Each code has a share of its own, so that a flood of one hides none of the others. Metrics count all refusals.
package final class RefusalSampling: Sendable {
    private struct Share {
        var second: Int64
        var logged = 0
        var omitted = 0
    }

    /// `nil` if all are logged.
    private let perSecond: Int?
    /// By code; codes are fixed, so the shares are few.
    private let shares = Mutex<[String: Share]>([:])

    package init(perSecond: Int?) { self.perSecond = perSecond }

    /// Takes the place of a line for a refusal with a code.
    ///
    /// Returns how many refusals with the code were left out since the last line; `nil` if this one is left out.
    package func place(for code: String, at uptime: Duration) -> Int? {
        guard let perSecond else { return 0 }
        let second = uptime.components.seconds
        return shares.withLock { shares in
            var share = shares[code] ?? Share(second: second)
            defer { shares[code] = share }
            if share.second != second { (share.second, share.logged) = (second, 0) }
            guard share.logged < perSecond else {
                share.omitted += 1
                return nil
            }
            share.logged += 1
            defer { share.omitted = 0 }
            return share.omitted
        }
    }
}
#endif
