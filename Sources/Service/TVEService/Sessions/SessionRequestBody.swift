#if Service
import EntitlementValues
import TextCodecs

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
