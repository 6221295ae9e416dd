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
    /// The playback session; `nil` for a token that starts none, and for sessions of version 0.1, which have no name.
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

    /// Takes the fields of a session of version 0.1.
    ///
    /// - Parameters:
    ///   - fields: The requestor, resource, provider and subscriber, in their order.
    ///   - expires: The end of the session.
    ///   - key: The name of the key.
    init(legacy fields: [String], until expires: Timestamp, signedBy key: String) {
        (requestor, resource) = (RequestorID(fields[0]), ResourceID(fields[1]))
        (mvpd, sessionGUID) = (MVPDID(fields[2]), SessionGUID(fields[3]))
        (self.expires, self.key) = (expires, key)
    }
}
#endif
