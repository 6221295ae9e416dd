#if Service
import EntitlementValues
import HTTPTypes
import Hummingbird
import PlaybackSessions
import TextCodecs

/// A grant for edges, with its form, as an answer shows it.
struct EdgeGrantAnswer: Sendable {
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
struct SessionWithGrants: Sendable {
    let issued: IssuedPlaybackSession
    let edges: [EdgeGrantAnswer]

    var session: PlaybackSession { issued.session }

    /// The grants whose cookies are set.
    ///
    /// Cookies of policies with SHA-1 have the names of those with SHA-256, whose hash a browser would send with them.
    var edgesInCookies: [EdgeGrantAnswer] {
        edges.contains { $0.form == .signedPolicy } ? edges.filter { $0.form != .legacySignedPolicy } : edges
    }
}

extension Response {
    /// Makes the answer that hands out a session which was started or renewed, with the grants that come with it.
    ///
    /// `object` has what the answer says before what it says of the session. `inCookie` says whether the answer sets
    /// the cookie instead of showing the session; `nil` for both. Scripts of a page cannot read the cookie, and need
    /// not read the text. A session that is too long for a cookie is shown. `operations` issued the session.
    init(
        _ status: HTTPResponse.Status,
        _ object: consuming JSONWriter,
        handingOut granted: SessionWithGrants,
        inCookie: Bool?,
        by operations: SessionOperations
    ) {
        let issued = granted.issued
        let session = issued.session
        let seconds = session.expires.since(session.issued).milliseconds / 1000
        let cookie =
            inCookie == false
            ? nil : operations.rules.settings.cookie.setting(issued.text, for: session.resource, seconds: seconds)
        if inCookie != true || cookie == nil { object.member("session", issued.text) }
        object.member("sessionId", session.id.description)
        object.member("sessionExpires", session.expires.milliseconds)
        object.member("sessionCeiling", session.ceiling.milliseconds)
        let edges = inCookie == true ? granted.edgesInCookies : granted.edges
        if !edges.isEmpty { object.member("edges", edges.map { $0.object(showing: inCookie != true) }) }
        self.init(status, object)
        if let cookie { headers.append(HTTPField(name: .setCookie, value: cookie)) }
        guard inCookie != false else { return }
        for edge in granted.edgesInCookies {
            for value in edge.cookies(like: operations.rules.settings.cookie, seconds: seconds) {
                headers.append(HTTPField(name: .setCookie, value: value))
            }
        }
    }
}
#endif
