#if Service
import EntitlementValues
import HTTPTypes
import Hummingbird
import PlaybackSessions
import TextCodecs

/// The session that a request wants to renew or to end.
struct PresentedSession {
    let operations: SessionOperations
    let text: String
    let resource: Expectation<ResourceID>
    let client: SessionClient
    let wantsCookie: Bool?

    /// Finds the session in the body, or else in the cookie of the resource that the body names.
    ///
    /// Throws if a session is missing, or if the cookie was sent by a page that may not send it.
    init(_ body: SessionRequestBody, of request: Request, at operations: SessionOperations) async throws(RequestError) {
        self.operations = operations
        client = try request.client(by: operations.rules)
        resource = body.resource.map { .exactly($0) } ?? .unchecked
        if let session = body.session {
            text = session
            wantsCookie = body.cookie
            return
        }
        let settings = operations.rules.settings
        guard body.resource != nil || settings.cookie.isShared else {
            throw .badRequest("give session, or resource to name the cookie that holds it")
        }
        let texts = settings.cookie.name(for: body.resource ?? "").map(request.headers.cookies) ?? []
        guard let first = texts.first else {
            throw RequestError(
                .unauthorized, "no_credential", detail: "the request has no session, and no cookie of one")
        }
        try request.checkSender(allowing: settings.crossOrigin)
        let (resource, client) = (self.resource, self.client)
        let found = await texts.firstGoodSession { text throws(PlaybackSessionError) in
            try operations.verified(text, for: resource, from: client)
        }
        text = found?.text ?? first
        // A session that came in a cookie goes out in one, so that scripts of the page never see it.
        wantsCookie = body.cookie ?? true
    }
}

extension Request {
    /// The client that the request comes from, as far as sessions are bound to one.
    func client(by rules: SessionRules) throws(RequestError) -> SessionClient {
        try rethrowing(rules.settings.client(of: headers)) { (fault: StatedClientFault) in
            RequestError.badRequest(fault.detail)
        }
    }

    /// Refuses a request that a page of another site may have made the browser send, with the viewer's cookie.
    ///
    /// JSON takes a preflight request from another origin, forms cannot send it. `Origin` and `Sec-Fetch-Site` are
    /// written by browsers, and pages cannot change them.
    ///
    /// The rules say which pages of other origins are allowed.
    fileprivate func checkSender(allowing rules: CrossOriginRules?) throws(RequestError) {
        guard isJSON else {
            throw .crossSite("a cookie counts only in a request with Content-Type: application/json")
        }
        let origin = headers[.origin]
        if let origin, let rules, rules.allowsCredentials, rules.allows(origin) { return }
        switch headers[.secFetchSite] {
        case "same-origin", "none": return
        // Not a browser, or one that is old: `Host` is what the proxy sends, which may be another name.
        case nil:
            guard let origin else { return }
            if let host = head.authority, ["https://\(host)", "http://\(host)"].contains(origin) { return }
        default: break
        }
        throw .crossSite("pages of this origin may not use the cookie; name it in sessions.corsOrigins")
    }
}

/// The body of a request to renew or to end a session.
struct SessionRequestBody {
    /// The session; `nil` if it is in a cookie.
    let session: String?
    /// The resource of the session; it names the cookie.
    let resource: ResourceID?
    /// Whether the answer sets a cookie instead of showing the session; `nil` if the request does not say.
    let cookie: Bool?

    /// Reads a body, JSON in UTF-8; throws with the status 400 if it is not that.
    init(_ body: [UInt8]) throws(RequestError) {
        let body = body[...]
        guard body.span.isTextWithoutNUL else { throw .badRequest("not UTF-8") }
        (session, resource, cookie) = try RequestError.reading { () throws(JSONFault) in
            let object = try JSONObject(body.span, in: body.span.afterByteOrderMark)
            try object.allowOnly(["session", "resource", "cookie"])
            let session = try object.identifier("session", in: body.span)
            let resource = try object.identifier("resource", in: body.span).map(ResourceID.init)
            return (session, resource, try object.boolean("cookie", in: body.span))
        }
    }
}
#endif
