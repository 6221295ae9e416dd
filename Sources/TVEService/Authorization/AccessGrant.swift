#if Service
import EntitlementValues
import MediaTokens

/// What a request may access, and until when: taken from a good token or from a good playback session.
struct AccessGrant: Sendable {
    let resource: ResourceID
    let mvpd: MVPDID
    let sessionGUID: SessionGUID
    let expires: Timestamp

    init(_ token: VerifiedMediaToken) {
        resource = token.resource
        mvpd = token.mvpd
        sessionGUID = token.sessionGUID
        expires = token.expires
    }

    init(_ session: PlaybackSession) {
        resource = session.resource
        mvpd = session.mvpd
        sessionGUID = session.sessionGUID
        expires = session.expires
    }
}
#endif
