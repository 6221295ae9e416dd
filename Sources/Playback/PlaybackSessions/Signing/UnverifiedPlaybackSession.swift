import TextCodecs

/// Shows what a session's text says, for diagnosis only: nothing in it is checked but the form.
///
/// To rely on a session, verify it with a ``PlaybackSessionVerifier``.
public struct UnverifiedPlaybackSession: Sendable {
    /// The algorithm that the text names; a verifier goes by its keys instead.
    public let algorithm: SessionAlgorithm
    /// The name of the key that the text says signed it.
    public let keyID: String
    /// The name of the service that the text says issued it.
    public let issuer: String
    /// What the text says that the session allows.
    ///
    /// The client is ``SessionClient/unbound``, whether or not it is bound.
    public let session: PlaybackSession
    /// Whether the text says that the session is bound to a client.
    public let isBound: Bool

    /// Takes a session apart.
    ///
    /// - Parameter text: The text.
    /// - Throws: `.tooLarge` or `.malformed`.
    public init(parsing text: String) throws(PlaybackSessionError) {
        let (parts, header) = try text.withBytes { bytes throws(PlaybackSessionError) in
            let parts = try SessionText(bytes)
            return (parts, parts.header(in: bytes))
        }
        guard let header, let members = SessionText.members(of: header) else { throw .malformed(.header) }
        (algorithm, keyID) = members
        let claims = try SessionClaims(reading: parts.payload)
        issuer = claims.issuer
        session = claims.session(of: .unbound)
        isBound = claims.client != nil
    }
}

extension UnverifiedPlaybackSession: CustomStringConvertible {
    /// The word UNVERIFIED and the session.
    public var description: String { "UNVERIFIED \(session)" }
}
