#if Service
import EntitlementValues
import HTTPTypes
import Hummingbird
import PlaybackSessions
import TextCodecs

extension Response {
    /// Makes the answer that hands out a session which was started or renewed, with the grants that come with it.
    ///
    /// `object` has what the answer says before what it says of the session. `inCookie` says whether the answer sets
    /// the cookie instead of showing the session; `nil` for both. Scripts of a page cannot read the cookie, and need
    /// not read the text. A session that is too long for a cookie is shown. The desk is the one that issued the
    /// session.
    init(
        _ status: HTTPResponse.Status,
        _ object: consuming JSONWriter,
        handingOut handout: SessionHandout,
        inCookie: Bool?,
        by desk: SessionDesk
    ) {
        let issued = handout.issued
        let session = issued.session
        let seconds = session.expires.since(session.issued).milliseconds / 1000
        let cookie =
            inCookie == false
            ? nil : desk.rules.settings.cookie.setting(issued.text, for: session.resource, seconds: seconds)
        if inCookie != true || cookie == nil { object.member("session", issued.text) }
        object.member("sessionId", session.id.description)
        object.member("sessionExpires", session.expires.milliseconds)
        object.member("sessionCeiling", session.ceiling.milliseconds)
        if !handout.edges.isEmpty {
            object.member("edges", handout.edges.map { $0.object(showing: inCookie != true) })
        }
        self.init(status, object)
        if let cookie { headers.append(HTTPField(name: .setCookie, value: cookie)) }
        guard inCookie != false else { return }
        for edge in handout.edges {
            for value in edge.cookies(like: desk.rules.settings.cookie, seconds: seconds) {
                headers.append(HTTPField(name: .setCookie, value: value))
            }
        }
    }
}
#endif
