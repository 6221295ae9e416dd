#if Service
import EntitlementValues
import HTTPTypes
import Hummingbird
import NIOCore
import TextCodecs

/// Says why a request was not answered, and becomes the response that says so.
struct RequestError: Error {
    let status: HTTPResponse.Status
    let code: String
    let detail: String
    /// The methods that the path takes; empty unless the request used another one.
    var allowed: [HTTPRequest.Method] = []

    static func badRequest(_ detail: String) -> RequestError {
        RequestError(status: .badRequest, code: "bad_request", detail: detail)
    }

    static let notFound = RequestError(status: .notFound, code: "not_found", detail: "the path is unknown")

    static let busy = RequestError(
        status: .serviceUnavailable, code: "busy",
        detail: "limits.batches batches are running already; try again later")

    static let busyForAddress = RequestError(
        status: .serviceUnavailable, code: "busy",
        detail: "limits.batchesPerAddress batches of this address are running already; try again later")

    static let justRevoked = RequestError(
        status: .serviceUnavailable, code: "busy",
        detail: "all sessions of this subscriber were revoked just now; try again in a few seconds")

    static let redeemWithoutStore = badRequest("redeem needs a store, and store.address is none")

    /// The endpoint is on another listener.
    static let elsewhere = RequestError(
        status: .notFound, code: "not_found", detail: "decryption has a listener of its own (decryption.port or socket)"
    )

    static let unauthorized = RequestError(
        status: .unauthorized, code: "unauthorized",
        detail: "needs Authorization: Bearer, with the secret of decryption.secretFile")

    static let tooManyFailures = RequestError(
        status: .tooManyRequests, code: "too_many_failures", detail: "too many requests have failed; try again later")

    /// A web page may have sent the request, through the browser of a user.
    static func foreignPage(_ detail: String) -> RequestError {
        RequestError(status: .forbidden, code: "foreign_page", detail: detail)
    }

    /// The request asks for something that the configuration does not enable.
    static func notEnabled(setting: String) -> RequestError {
        RequestError(status: .notFound, code: "not_enabled", detail: "needs the setting \(setting), which is not set")
    }

    var response: Response {
        var error = JSONWriter()
        error.member("code", code)
        error.member("detail", detail)
        var object = JSONWriter()
        object.member("error", error)
        var response = Response(status, object)
        if !allowed.isEmpty { response.headers[.allow] = allowed.map(\.rawValue).joined(separator: ", ") }
        if status == .unauthorized { response.headers[.wwwAuthenticate] = "Bearer" }
        return response
    }
}

extension RequestError {
    /// Reads a body in JSON, whose faults are the client's.
    static func reading<Content>(_ read: () throws(JSONFault) -> Content) throws(RequestError) -> Content {
        do throws(JSONFault) {
            return try read()
        } catch {
            throw .badRequest(error.reason)
        }
    }
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
    /// Throws `RequestError` with the status 413 if it is larger; the connection's error if it broke.
    func bytes(upTo limit: Int) async throws -> [UInt8] {
        let tooLarge = RequestError(
            status: .contentTooLarge, code: "too_large", detail: "the body is longer than \(limit) bytes")
        if let length = headers[.contentLength].flatMap({ Int($0) }), length > limit { throw tooLarge }
        do {
            return Array(try await body.collect(upTo: limit).readableBytesView)
        } catch is NIOTooManyBytesError {
            throw tooLarge
        }
    }

    /// Checks that the request has one of the methods; throws with the status 405 if it has another.
    func require(_ methods: HTTPRequest.Method...) throws(RequestError) {
        guard methods.contains(method) else {
            throw RequestError(
                status: .methodNotAllowed, code: "method_not_allowed",
                detail: "the path takes \(methods.map(\.rawValue).joined(separator: " or "))", allowed: methods)
        }
    }
}
#endif
