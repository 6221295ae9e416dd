#if Service
import EntitlementKeys
import EntitlementValues
import MediaTokens
import PlaybackSessions

/// What a request may access, and until when: taken from a good token or from a good playback session.
struct AccessGrant: Sendable {
    let resource: ResourceID
    let mvpd: MVPDID
    let sessionGUID: SessionGUID
    let expires: Timestamp
    let requestor: RequestorID
    /// The key that signed it: the label of a token's, the name of a session's.
    let key: String
    /// The playback session; `nil` for a token that starts none.
    var session: PlaybackSessionID?

    init(_ token: VerifiedMediaToken) {
        (resource, mvpd, sessionGUID, expires) = (token.resource, token.mvpd, token.sessionGUID, token.expires)
        (requestor, key) = (token.requestor, token.key.label)
    }

    init(_ verified: VerifiedPlaybackSession) {
        let session = verified.session
        (resource, mvpd, sessionGUID) = (session.resource, session.mvpd, session.subscriber)
        (expires, requestor, key, self.session) = (session.expires, session.requestor, verified.keyID, session.id)
    }
}
#endif
