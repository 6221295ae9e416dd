#if Service
import EntitlementValues
import PlaybackSessions
import TextCodecs

/// A grant for edges, as an answer hands it out.
struct EdgeHandout: Sendable {
    let form: EdgeGrantForm
    let issued: IssuedEdgeGrant

    /// The member of `edges` in an answer.
    ///
    /// `showing` says whether the parameters are shown; where cookies carry the grant, scripts need not see it.
    func object(showing: Bool) -> JSONWriter {
        var object = JSONWriter()
        object.member("form", form.rawValue)
        object.member("path", issued.grant.path.text)
        object.member("expires", issued.grant.expires.milliseconds)
        if showing || issued.cookies.isEmpty {
            object.member("query", issued.parameters.query)
            if let prefix = issued.pathPrefix { object.member("pathPrefix", prefix) }
        }
        return object
    }

    /// Writes the field values that set the cookies, for the paths that the grant opens.
    ///
    /// The path is part of a cookie's name for browsers, so that two tabs on two channels both play.
    ///
    /// The domain and `SameSite` of `cookie`, that of the session, hold here, too. `seconds` is how long the browser
    /// keeps them.
    func cookies(like cookie: SessionCookie, seconds: Int64) -> [String] {
        issued.cookies.compactMap { field in
            guard field.name.utf8.count + field.value.utf8.count <= SessionCookie.maximumLength else { return nil }
            return "\(field.name)=\(field.value)" + cookie.attributes(path: issued.grant.path.text, seconds: seconds)
        }
    }
}

/// A session and the grants that come with it.
struct SessionHandout: Sendable {
    let issued: IssuedPlaybackSession
    let edges: [EdgeHandout]

    var session: PlaybackSession { issued.session }
}
#endif
