/// A playback session with the text that a client presents.
public struct IssuedPlaybackSession: Sendable {
    /// What the session allows.
    public let session: PlaybackSession
    /// The JWS in compact form (RFC 7515 §7.1): letters, digits, `-`, `_` and two dots, so it needs no escape in cookies
    /// and URLs.
    ///
    /// Every client that has it can play: keep it out of logs.
    public let text: String

    init(session: PlaybackSession, text: String) { (self.session, self.text) = (session, text) }
}

extension IssuedPlaybackSession: CustomStringConvertible, CustomReflectable {
    /// The session without its text.
    public var description: String { session.description }

    /// Shows the session without its text.
    public var customMirror: Mirror { Mirror(self, children: ["session": session]) }
}
