#if Service
import EntitlementValues
package import HTTPTypes
import Hummingbird
import MetadataDecryption
import NIOCore
import PlaybackSessions
import ServiceResponses
import TextCodecs

/// Says why a request was refused, and becomes the answer that says so: in the form of the gateway, or in
/// that of all other endpoints.
package struct RequestError: Error, Sendable {
    package let status: HTTPResponse.Status
    /// The stable name: lower case with underscores.
    package let code: String
    /// What an app should do; only the gateway says it.
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
        retryAfter: Duration? = nil
    ) {
        (self.status, self.code, self.action, self.detail) = (status, code, action, detail)
        self.retryAfter = retryAfter
    }

    // MARK: The two forms

    /// The answer of the gateway: an object with what an app should do, and what the user may be shown.
    var gatewayForm: Response {
        var object = JSONWriter()
        object.member("code", code)
        object.member("action", action.rawValue)
        object.member("detail", detail)
        if let message { object.member("message", message) }
        if !links.isEmpty { object.member("links", links) }
        return response(object)
    }

    /// The answer of all other endpoints: an object whose member `error` has the code and the detail.
    var serviceForm: Response {
        var error = JSONWriter()
        error.member("code", code)
        error.member("detail", detail)
        var object = JSONWriter()
        object.member("error", error)
        return response(object)
    }

    /// The value of `Retry-After`: whole seconds, at least one; `nil` for none.
    package var retryAfterSeconds: String? { retryAfter.map { String(max(1, $0.wholeSeconds)) } }

    private func response(_ object: consuming JSONWriter) -> Response {
        var response = Response(status, object)
        response.headers[.retryAfter] = retryAfterSeconds
        if !allowed.isEmpty { response.headers[.allow] = allowed.map(\.rawValue).joined(separator: ", ") }
        if status == .unauthorized { response.headers[.wwwAuthenticate] = "Bearer" }
        if dropsCookie { response.headers.append(HTTPField(name: .setCookie, value: DeviceCookie.removal)) }
        return response
    }
}

extension RequestError {
    /// The request cannot be understood.
    static func badRequest(_ detail: String) -> RequestError {
        RequestError(.badRequest, "bad_request", detail: detail)
    }

    static let notFound = RequestError(.notFound, "not_found", detail: "the path is unknown")

    static let busy = RequestError(
        .serviceUnavailable, "busy", detail: "limits.batches batches are running already; try again later")

    static let busyForAddress = RequestError(
        .serviceUnavailable, "busy",
        detail: "limits.batchesPerAddress batches of this address are running already; try again later")

    static let justRevoked = RequestError(
        .serviceUnavailable, "busy",
        detail: "all sessions of this subscriber were revoked just now; try again in a few seconds")

    /// A reload was refused, and the keys that sign sessions were taken away all the same.
    static let noSessionKeys = RequestError(
        .serviceUnavailable, "no_keys", doing: .retry,
        detail: "no key is left that can sign playback sessions; try again later", retryAfter: .seconds(10))

    /// A reload was refused, and the secret of requests to decrypt was taken away all the same.
    static let noDecryptionSecret = RequestError(
        .serviceUnavailable, "no_keys", doing: .retry,
        detail: "no secret is left that a request to decrypt can show; try again later", retryAfter: .seconds(10))

    /// An error that no endpoint knows.
    static let unexpected = RequestError(
        .internalServerError, "internal", detail: "the service failed; its log has the type of the error")

    static let redeemWithoutStore = badRequest("redeem needs a store, and store.address is none")

    /// The endpoint is on another listener.
    static let elsewhere = RequestError(
        .notFound, "not_found", detail: "decryption has a listener of its own (decryption.port or socket)")

    static let unauthorized = RequestError(
        .unauthorized, "unauthorized", detail: "needs Authorization: Bearer, with the secret of decryption.secretFile")

    static let tooManyFailures = RequestError(
        .tooManyRequests, "too_many_failures", detail: "too many requests have failed; try again later")

    /// A web page may have sent the request, through the browser of a user.
    static func foreignPage(_ detail: String) -> RequestError {
        RequestError(.forbidden, "foreign_page", detail: detail)
    }

    /// The request came with a cookie, and a page of another site may have sent it.
    static func crossSite(_ detail: String) -> RequestError {
        RequestError(.forbidden, "cross_site", detail: detail)
    }

    /// The request asks for something that the configuration does not enable.
    static func notEnabled(setting: String) -> RequestError {
        RequestError(.notFound, "not_enabled", detail: "needs the setting \(setting), which is not set")
    }

    /// The path takes other methods than the one that was used.
    static func methodNotAllowed(_ allowed: [HTTPRequest.Method]) -> RequestError {
        var error = RequestError(
            .methodNotAllowed, "method_not_allowed",
            detail: "the path takes \(allowed.map(\.rawValue).joined(separator: " or "))")
        error.allowed = allowed
        return error
    }
}

extension RequestError {
    /// Tells a client what went wrong at an endpoint that is not the gateway's; `nil` if its connection broke, or for a
    /// type that has no answer here.
    ///
    /// This is the one place where errors of the library become answers there.
    package init?(atService error: any Error) {
        switch error {
        case let error as RequestError: self = error
        case let error as PlaybackSessionError:
            self.init(HTTPResponse.Status(code: error.httpStatus), error.code, detail: error.description)
        case let error as ServiceResponseError: self.init(.badRequest, error.code, detail: error.description)
        case let error as MetadataDecryptionError:
            var status = HTTPResponse.Status.unprocessableContent
            if case .undecided = error { status = .serviceUnavailable }
            self.init(status, error.code, detail: error.description)
        default: return nil
        }
    }

    /// Reads a body in JSON, whose faults are the client's.
    static func reading<Content>(_ read: () throws(JSONFault) -> Content) throws(RequestError) -> Content {
        try rethrowing(read()) { (fault: JSONFault) in RequestError.badRequest(fault.reason) }
    }
}

/// A body did not come to its end: its client closed the connection, or broke the rules of HTTP.
struct BrokenBody: Error {
    let cause: any Error
}

extension Response {
    /// Makes a response with a JSON object.
    init(_ status: HTTPResponse.Status, _ object: consuming JSONWriter) {
        self.init(
            status: status, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: object.line())))
    }

    /// Makes a response with text of another type.
    init(_ type: String, _ bytes: some Sequence<UInt8>) {
        self.init(
            status: .ok, headers: [.contentType: type, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}

extension Request {
    /// Reads the whole body, of at most `limit` bytes.
    ///
    /// Throws `RequestError` with the status 413 if it is larger; `BrokenBody` if the connection broke.
    func bytes(upTo limit: Int) async throws -> [UInt8] {
        let tooLarge = RequestError(.contentTooLarge, "too_large", detail: "the body is longer than \(limit) bytes")
        if let length = headers[.contentLength].flatMap({ Int($0) }), length > limit { throw tooLarge }
        do {
            return Array(try await body.collect(upTo: limit).readableBytesView)
        } catch is NIOTooManyBytesError {
            throw tooLarge
        } catch {
            throw BrokenBody(cause: error)
        }
    }

    /// Checks that the request has one of the methods; throws with the status 405 if it has another.
    func require(_ methods: HTTPRequest.Method...) throws(RequestError) {
        guard methods.contains(method) else { throw .methodNotAllowed(methods) }
    }
}
#endif
