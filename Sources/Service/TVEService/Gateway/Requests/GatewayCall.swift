#if Service
import BrokerMessages
import EntitlementValues
import HTTPTypes
import Hummingbird

/// A request to the gateway before its device is known.
struct GatewayCall: Sendable {
    let state: ServiceState
    let gateway: Gateway
    /// The keys and rules that the request began with, of which the gateway is.
    let configuration: ActiveConfiguration
    let request: Request
    /// What it is counted as.
    let endpoint: Endpoint
    /// The last part of a path that ends in a code or a state, as it was sent; `nil` for the others.
    let parameter: String?
    let client: ClientConnection

    /// The instant as of which the request is answered.
    var now: Timestamp { gateway.time.now }

    /// Reads the body, whose members may have the given names; without a body, it is one without members.
    ///
    /// Throws with the status 400 or 413; the connection's error if it broke.
    func body(taking names: Set<String>) async throws -> GatewayBody {
        try GatewayBody(try await bytes(), taking: names)
    }

    /// Reads the body's bytes.
    func bytes() async throws -> [UInt8] {
        try await request.bytes(upTo: configuration.settings.limits.bodyBytes)
    }

    /// A parameter of the query; `nil` if it is absent.
    ///
    /// Throws with the status 400 if it stands there more than once.
    func query(_ name: String) throws(RequestError) -> String? { try request.queryParameters.value(of: name) }

    /// What the program that has sent the request calls itself; `nil` if that cannot be sent on.
    var userAgent: UserAgent? { request.headers[.userAgent].flatMap { try? UserAgent(headerValue: $0) } }

    /// Counts a request by its address, which may send as many of the kind as the limit in a minute.
    ///
    /// `what` is the requests in words, for the refusal. Throws with the status 429, or 503 if the store of counts
    /// cannot tell.
    func limit(_ kind: String, to limit: Int, asking what: String) async throws {
        if let wait = try await gateway.counters.count(client.countedNetwork, as: kind, limit: limit) {
            throw RequestError.tooMany(what, retryAfter: wait)
        }
    }
}

extension GatewayCall {
    /// Whether a request presents a token of a device, good or not.
    var presentsToken: Bool { request.headers[.authorization] != nil || DeviceCookie.token(in: request) != nil }

    /// The token that a request presents, and whether it came in the cookie.
    ///
    /// A token in `Authorization` counts before a cookie: pages of foreign sites cannot set that header field. It
    /// throws with the status 401 if there is none.
    func presentedToken() throws(RequestError) -> (text: String, isByCookie: Bool) {
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
    /// Throws with the status 403.
    func checkSender() throws(RequestError) {
        guard ![.get, .head].contains(request.method) else { return }
        try checkSameOrigin()
    }

    /// Refuses a request that a page of this origin has not sent.
    ///
    /// A form of a foreign page cannot send JSON, and its scripts cannot without a preflight request. `Sec-Fetch-Site` and
    /// `Origin` are written by browsers, and pages cannot change them; one of them has to be there, since all browsers that
    /// keep the cookie send `Origin` with a change.
    ///
    /// Throws with the status 403.
    func checkSameOrigin() throws(RequestError) {
        guard request.isJSON else {
            throw .crossSite("a cookie counts only in a request with Content-Type: application/json")
        }
        let saysSender = request.headers[.secFetchSite] != nil || request.headers[.origin] != nil
        guard saysSender, isFromOwnPage else {
            throw .crossSite("only pages of broker.publicURL may use the cookie; others send the token")
        }
    }

    /// Whether what the browser says of the sender names a page of this origin; older browsers say nothing.
    var isFromOwnPage: Bool {
        let (site, origin) = (request.headers[.secFetchSite], request.headers[.origin])
        return (site == nil || site == "same-origin")
            && (origin == nil || origin == "\(gateway.settings.publicURL)")
    }
}
#endif
