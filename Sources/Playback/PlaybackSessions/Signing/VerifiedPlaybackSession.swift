/// A playback session that passed all checks of a ``PlaybackSessionVerifier``, which alone makes such values.
public struct VerifiedPlaybackSession: Sendable, Hashable {
    /// What the session allows.
    public let session: PlaybackSession
    /// The name of the key that signed it.
    public let keyID: String

    init(session: PlaybackSession, keyID: String) { (self.session, self.keyID) = (session, keyID) }
}
