#if Client
import BrokerMessages
import EntitlementValues

/// An access token in memory, with the uptime at which another is asked for, and that at which it ends.
///
/// The broker's clock and ours need not agree. So the life that is left is worked out by the broker's clock alone, if the
/// answer has its date, and then measured by the even clock of this process.
struct HeldToken: Sendable {
    /// A new token is asked for so long before the old one ends.
    static let margin = TimeToLive.seconds(60)
    /// A token that came just now is used so long, even if it ended in the past as it was sent: only the broker knows.
    static let shortestUse = TimeToLive.seconds(60)

    /// The token.
    let token: AccessToken
    /// What it was made with.
    let credentials: ClientCredentials
    /// Whether the broker made it for this process: what becomes of it then tells of the credentials.
    ///
    /// One that a store kept may have been refused elsewhere already.
    let isNew: Bool
    private let renewal: Duration
    private let end: Duration

    /// Holds a token that the broker has just sent.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - credentials: What it was made with.
    ///   - date: The broker's time of day in the answer; `nil` if it has none.
    ///   - time: Our clocks.
    init(_ token: AccessToken, madeWith credentials: ClientCredentials, sentAt date: Timestamp?, by time: TimeSource) {
        (self.token, self.credentials, isNew) = (token, credentials, true)
        let left = min(token.expires.since(date ?? time.now), token.lifetime)
        let use: TimeToLive
        if left <= .zero {
            use = Self.shortestUse
        } else {
            // Short lives are used up to a fifth, so that not each call needs a new token.
            let fifth = TimeToLive(milliseconds: left.milliseconds / 5)
            use = max(TimeToLive(milliseconds: left.milliseconds - Self.margin.milliseconds), fifth, .seconds(1))
        }
        renewal = time.uptime + use.duration
        end = time.uptime + max(left, use).duration
    }

    /// Holds a token that a store kept; `nil` if it has ended by our clock.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - credentials: What it was made with.
    ///   - time: Our clocks.
    init?(kept token: AccessToken, madeWith credentials: ClientCredentials, by time: TimeSource) {
        let left = min(token.expires.since(time.now), token.lifetime)
        guard left > .zero else { return nil }
        (self.token, self.credentials, isNew) = (token, credentials, false)
        renewal = time.uptime + max(.zero, left.duration - Self.margin.duration)
        end = time.uptime + left.duration
    }

    /// Whether the token may be used without asking for another.
    ///
    /// - Parameter uptime: The present uptime.
    /// - Returns: `false` once another is to be asked for.
    func isUsable(at uptime: Duration) -> Bool { uptime < renewal }

    /// Whether the token may be used if no other can be had.
    ///
    /// - Parameter uptime: The present uptime.
    /// - Returns: `false` once the token has ended.
    func isGood(at uptime: Duration) -> Bool { uptime < end }
}
#endif
