public import EntitlementValues

/// How long playback sessions are good.
public struct SessionLifetimes: Sendable, Hashable {
    /// How long a session is good after it was issued or renewed.
    public let session: TimeToLive
    /// How long a session can be good with all its renewals.
    public let ceiling: TimeToLive

    /// The longest ceiling: 7 days.
    public static let maximumCeiling = TimeToLive.hours(7 * 24)

    /// Five minutes, and twelve hours with renewals.
    public static let standard = SessionLifetimes(unchecked: .minutes(5), .hours(12))

    private init(unchecked session: TimeToLive, _ ceiling: TimeToLive) {
        (self.session, self.ceiling) = (session, ceiling)
    }

    /// Sets the lifetimes.
    ///
    /// - Parameters:
    ///   - session: How long a session is good after it was issued or renewed: whole seconds, at least one.
    ///   - ceiling: How long it can be good with all its renewals: whole seconds, at least `session` and at most 7 days.
    /// - Throws: `.unsuitable` for other lengths.
    public init(session: TimeToLive, ceiling: TimeToLive) throws(PlaybackSessionError) {
        for length in [session, ceiling] {
            guard length.milliseconds % 1000 == 0, .seconds(1)...Self.maximumCeiling ~= length else {
                throw .unsuitable(.lifetime(length))
            }
        }
        guard session <= ceiling else { throw .unsuitable(.lifetime(session)) }
        (self.session, self.ceiling) = (session, ceiling)
    }
}
