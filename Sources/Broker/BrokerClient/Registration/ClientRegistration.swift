#if Client
import BrokerMessages
import DeviceRecords
import EntitlementValues
import Synchronization

/// What this process has of a device's registration: the access token, and the requests for another one.
///
/// The device's record has the rest.
package final class ClientRegistration: Sendable {
    /// The request for an access token, one for all calls that want one at the same time.
    let renewals = SingleFlight<HeldToken, BrokerError>()
    /// The request for credentials, one for all who want them at the same time.
    let requests = SingleFlight<DeviceRegistration, BrokerError>()
    private let tokens = Mutex(Tokens())

    private struct Tokens {
        var held: HeldToken?
        /// The last tokens that the broker refused; they may still be in the record, or come back from another process.
        var refused: [BearerToken] = []
        /// How many tokens the broker has refused since it made the last one for this process.
        var refusals = 0
        /// The uptime at which a renewal failed last.
        var failure: Duration?
        /// How often the credentials were forgotten: a token that was asked for before is not held after that.
        var generation = 0
        /// Whether the broker has refused the credentials since they served last.
        var isRefused = false
        /// How many records this process had erased when it was last known that this device's was not among them.
        var erasures = 0
    }

    /// As many refused tokens are remembered.
    private static let maximumRefused = 4
    /// After so many refused tokens, the next one comes from the broker, whatever other processes have stored.
    private static let refusalsBeforeNewToken = 2
    /// After a renewal that failed, calls use a token that is still good for so long without asking for another.
    private static let failureInterval: Duration = .seconds(5)

    /// The token, if it may still be used; `nil` if another is to be asked for.
    func usableToken(at uptime: Duration) -> HeldToken? {
        tokens.withLock { tokens in tokens.held.flatMap { $0.isUsable(at: uptime) ? $0 : nil } }
    }

    /// The token, if it has not ended: it serves if no other can be had.
    func goodToken(at uptime: Duration) -> HeldToken? {
        tokens.withLock { tokens in tokens.held.flatMap { $0.isGood(at: uptime) ? $0 : nil } }
    }

    /// Whether the token has ended, so that nothing here is of use to another call; `false` if there is none.
    func hasEnded(at uptime: Duration) -> Bool {
        tokens.withLock { tokens in tokens.held.map { !$0.isGood(at: uptime) } ?? false }
    }

    /// Notes that another token could not be had.
    func noteFailure(at uptime: Duration) { tokens.withLock { $0.failure = uptime } }

    /// Whether another token could not be had just now, so that it is too early to ask again.
    func hasJustFailed(at uptime: Duration) -> Bool {
        tokens.withLock { tokens in tokens.failure.map { uptime < $0 + Self.failureInterval } ?? false }
    }

    /// How often the credentials were forgotten here.
    var generation: Int { tokens.withLock { $0.generation } }

    /// Takes a token as the one to use, unless its credentials were forgotten since it was asked for.
    ///
    /// `generation` is the ``generation`` at which it was asked for. Returns whether it is the one to use.
    func hold(_ token: HeldToken, askedAt generation: Int) -> Bool {
        tokens.withLock { tokens in
            guard tokens.generation == generation else { return false }
            (tokens.held, tokens.erasures) = (token, token.erasures)
            if token.isNew { tokens.refusals = 0 }
            return true
        }
    }

    /// Whether the token may be that of a device that is gone.
    ///
    /// `erasures` is how many records this process has erased by now. It may be one if there were further ones since it
    /// was last known that this device's was not among them.
    func mayBeErased(after erasures: Int) -> Bool {
        tokens.withLock { $0.held != nil && $0.erasures != erasures }
    }

    /// Takes note of the credentials in the device's record: a token of others is not used any more.
    ///
    /// The credentials are as they were read just now; `nil` if there are none. `erasures` is how many records this
    /// process had erased before they were read; `nil` if that was not looked at.
    func note(_ credentials: ClientCredentials?, after erasures: Int? = nil) {
        tokens.withLock { tokens in
            if let held = tokens.held, held.credentials != credentials { tokens.held = nil }
            if credentials == nil { tokens.isRefused = false }
            if let erasures { tokens.erasures = erasures }
        }
    }

    /// Whether a token of the record is not used: the broker has refused it, or this process has used it until its end, or
    /// so many were refused that only a new one tells whether the credentials are still good.
    ///
    /// The end of a token that another process has stored is known by the broker's clock only, so it is not enough to
    /// look at that.
    func passesOver(_ token: AccessToken) -> Bool {
        tokens.withLock { tokens in
            tokens.refusals >= Self.refusalsBeforeNewToken || tokens.refused.contains(token.bearer)
                || tokens.held?.token.bearer == token.bearer
        }
    }

    /// Notes that the broker refuses the credentials, and tells whether that is new.
    func noteRefusal() -> Bool {
        tokens.withLock { tokens in
            defer { tokens.isRefused = true }
            return !tokens.isRefused
        }
    }

    /// Notes that the broker takes the credentials.
    func noteAcceptance() { tokens.withLock { $0.isRefused = false } }

    /// Forgets the token, and the one that is asked for at present; those of another client stay if a client is named.
    func forgetToken(of clientID: String? = nil) {
        tokens.withLock { tokens in
            if let clientID, tokens.held?.credentials.clientID != clientID { return }
            (tokens.held, tokens.isRefused) = (nil, false)
            tokens.generation += 1
        }
    }

    /// Drops a token that the broker refused; another that has taken its place stays.
    func drop(_ token: AccessToken) {
        tokens.withLock { tokens in
            if tokens.held?.token.bearer == token.bearer { tokens.held = nil }
            guard !tokens.refused.contains(token.bearer) else { return }
            tokens.refused.append(token.bearer)
            tokens.refusals += 1
            if tokens.refused.count > Self.maximumRefused { tokens.refused.removeFirst() }
        }
    }
}

/// An access token in memory, with the uptime at which another is asked for, and that at which it ends.
///
/// The broker's clock and ours need not agree. So the life that is left is worked out by the broker's clock alone, if the
/// answer has its date, and then measured by the even clock of this process.
package struct HeldToken: Sendable {
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
    /// How many records this process had erased before the credentials were read.
    let erasures: Int
    private let renewal: Duration
    private let end: Duration

    /// Holds a token that the broker has just sent.
    ///
    /// `date` is the broker's time of day in the answer; `nil` if it has none. `erasures` is how many records this
    /// process had erased before the credentials were read.
    init(
        _ token: AccessToken,
        madeWith credentials: ClientCredentials,
        sentAt date: Timestamp?,
        by time: TimeSource,
        after erasures: Int
    ) {
        (self.token, self.credentials, isNew, self.erasures) = (token, credentials, true, erasures)
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
    /// `erasures` is how many records this process had erased before the credentials were read.
    init?(kept token: AccessToken, madeWith credentials: ClientCredentials, by time: TimeSource, after erasures: Int) {
        let left = min(token.expires.since(time.now), token.lifetime)
        guard left > .zero else { return nil }
        (self.token, self.credentials, isNew, self.erasures) = (token, credentials, false, erasures)
        renewal = time.uptime + max(.zero, left.duration - Self.margin.duration)
        end = time.uptime + left.duration
    }

    /// Whether the token may be used without asking for another.
    func isUsable(at uptime: Duration) -> Bool { uptime < renewal }

    /// Whether the token may be used if no other can be had: until it has ended.
    func isGood(at uptime: Duration) -> Bool { uptime < end }
}
#endif
