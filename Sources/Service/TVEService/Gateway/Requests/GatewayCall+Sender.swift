#if Service
import HTTPTypes
import Hummingbird

extension GatewayCall {
    /// The token that a request presents, and whether it came in the cookie.
    ///
    /// A token in `Authorization` counts before a cookie: pages of foreign sites cannot set that header field.
    ///
    /// - Throws: `GatewayRefusal` with the status 401 if there is none.
    func presentedToken() throws(GatewayRefusal) -> (text: String, isByCookie: Bool) {
        if let value = request.headers[.authorization] {
            let scheme = value.prefix { $0 != " " }
            guard scheme.lowercased() == "bearer" else { throw .badDeviceToken }
            return (String(value.dropFirst(scheme.count).drop { $0 == " " }), false)
        }
        guard let text = DeviceCookie.token(in: request) else { throw .noDeviceToken }
        return (text, true)
    }

    /// Refuses a change that a page of another site may have made the browser ask for, with the device's cookie.
    ///
    /// A request that reads is let through: its answer is shown to no foreign page.
    ///
    /// - Throws: `GatewayRefusal` with the status 403.
    func checkSender() throws(GatewayRefusal) {
        guard ![.get, .head].contains(request.method) else { return }
        try checkSameOrigin()
    }

    /// Refuses a request that a page of this origin has not sent.
    ///
    /// A form of a foreign page cannot send JSON, and its scripts cannot without a preflight request. `Sec-Fetch-Site` and
    /// `Origin` are written by browsers, and pages cannot change them; one of them has to be there, since all browsers that
    /// keep the cookie send `Origin` with a change.
    ///
    /// - Throws: `GatewayRefusal` with the status 403.
    func checkSameOrigin() throws(GatewayRefusal) {
        let type = request.headers[.contentType]?.prefix { $0 != ";" && $0 != " " }.lowercased()
        guard type == "application/json" else {
            throw .crossSite("a cookie counts only in a request with Content-Type: application/json")
        }
        let site = HTTPField.Name("Sec-Fetch-Site").flatMap { request.headers[$0] }
        let origin = request.headers[.origin]
        let isOwn = origin == nil || origin == "\(gateway.settings.publicURL)"
        guard site != nil || origin != nil, isOwn, site == nil || site == "same-origin" else {
            throw .crossSite("only pages of broker.publicURL may use the cookie; others send the token")
        }
    }
}

extension GatewayRefusal {
    static func crossSite(_ detail: String) -> GatewayRefusal {
        GatewayRefusal(.forbidden, "cross_site", detail: detail)
    }
}
#endif
