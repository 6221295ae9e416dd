#if Service
import EntitlementValues
package import HTTPTypes
import Hummingbird
import TextCodecs

/// Says why a request of an app was not answered as it wished, and becomes the answer that says so.
///
/// Everything that goes wrong on a path of the gateway is answered with one.
package struct GatewayRefusal: Error, Sendable {
    package let status: HTTPResponse.Status
    /// The stable name: lower case with underscores.
    package let code: String
    package let action: GatewayAction
    /// What happened and what to do, for programmers; never a token, a code or an identifier of a device.
    package let detail: String
    /// A text for the user, which the broker or the provider wrote; untrusted, without markup.
    package var message: String?
    /// Addresses for the user, which came with the message; https alone.
    package var links: [String] = []
    /// How long to wait before asking again; `nil` if it is not known.
    var retryAfter: Duration?
    /// The methods that the path takes; empty unless the request used another one.
    var allowed: [HTTPRequest.Method] = []
    /// Whether the browser is told to drop the cookie of the device.
    var dropsCookie = false

    package init(
        _ status: HTTPResponse.Status,
        _ code: String,
        doing action: GatewayAction = .none,
        detail: String,
        message: String? = nil,
        links: [String] = [],
        retryAfter: Duration? = nil
    ) {
        (self.status, self.code, self.action, self.detail) = (status, code, action, detail)
        (self.message, self.links, self.retryAfter) = (message, links, retryAfter)
    }

    /// Takes what the service says of any request: a body that is too long, or another method.
    init(_ error: RequestError) {
        self.init(error.status, error.code, detail: error.detail)
        allowed = error.allowed
    }

    /// The request cannot be understood.
    static func badRequest(_ detail: String) -> GatewayRefusal {
        GatewayRefusal(.badRequest, "bad_request", detail: detail)
    }

    static let notFound = GatewayRefusal(RequestError.notFound)

    /// There are too many requests of a kind.
    static func tooMany(_ what: String, retryAfter: Duration) -> GatewayRefusal {
        GatewayRefusal(
            .tooManyRequests, "too_many_requests", doing: .retry, detail: "there were too many \(what)",
            retryAfter: retryAfter)
    }

    /// The store of devices cannot tell.
    static func storeUnavailable(_ code: String) -> GatewayRefusal {
        GatewayRefusal(
            .serviceUnavailable, code, doing: .retry, detail: "the store of devices does not answer; ask again",
            retryAfter: .seconds(1))
    }

    /// The value of `Retry-After`: whole seconds, at least one; `nil` for none.
    package var retryAfterSeconds: String? { retryAfter.map { String(max(1, $0.wholeSeconds)) } }

    /// The answer.
    var response: Response {
        var object = JSONWriter()
        object.member("code", code)
        object.member("action", action.rawValue)
        object.member("detail", detail)
        if let message { object.member("message", message) }
        if !links.isEmpty {
            object.name("links")
            object.array { writer in
                for link in links { writer.value(link) }
            }
        }
        var response = Response(status, object)
        response.headers[.retryAfter] = retryAfterSeconds
        if !allowed.isEmpty { response.headers[.allow] = allowed.map(\.rawValue).joined(separator: ", ") }
        if status == .unauthorized { response.headers[.wwwAuthenticate] = "Bearer" }
        if dropsCookie { response.headers.append(HTTPField(name: .setCookie, value: DeviceCookie.removal)) }
        return response
    }
}

/// What an app does about an answer that is not the one it asked for.
package enum GatewayAction: String, Sendable, CaseIterable {
    /// Ask again, later: after `Retry-After` if the answer has it.
    case retry
    /// Let the user sign in: `POST /v1/authentication`, or a new device if the token is not good any more.
    case signIn = "sign_in"
    /// Let the user choose a provider.
    case chooseProvider = "choose_provider"
    /// Show the message of the provider, or a text of the app's own.
    case showMessage = "show_message"
    /// Nothing: the request itself is at fault, or asking again changes nothing.
    case none
}
#endif
