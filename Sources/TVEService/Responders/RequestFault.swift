#if Service
import TextCodecs
import EntitlementValues
import HTTPTypes
import Hummingbird
import NIOCore

/// Says why a request could not be answered.
struct RequestFault: Error {
    let status: HTTPResponse.Status
    let code: String
    let detail: String
    /// The methods that an address takes, where another was used.
    var allowed: [HTTPRequest.Method] = []

    static func badRequest(_ detail: String) -> RequestFault {
        RequestFault(status: .badRequest, code: "bad_request", detail: detail)
    }

    static let notFound = RequestFault(
        status: .notFound, code: "not_found", detail: "there is nothing of that name")

    var response: Response {
        var error = JSONWriter()
        error.member("code", code)
        error.member("detail", detail)
        var object = JSONWriter()
        object.member("error", error)
        var response = Response(status, object)
        if !allowed.isEmpty { response.headers[.allow] = allowed.map(\.rawValue).joined(separator: ", ") }
        return response
    }
}

extension Response {
    /// A JSON object.
    init(_ status: HTTPResponse.Status, _ object: JSONWriter) {
        self.init(
            status: status, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: object.finished + [UInt8(ascii: "\n")])))
    }

    /// Some text that is no JSON.
    init(_ type: String, _ bytes: some Sequence<UInt8>) {
        self.init(
            status: .ok, headers: [.contentType: type, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}

extension Request {
    /// The whole body.
    ///
    /// - Throws: `RequestFault` where it is too large; what comes of a broken connection otherwise.
    func bytes(upTo limit: Int) async throws -> [UInt8] {
        let tooLarge = RequestFault(
            status: .contentTooLarge, code: "too_large", detail: "the body is longer than \(limit) bytes")
        if let length = headers[.contentLength].flatMap({ Int($0) }), length > limit { throw tooLarge }
        do {
            return Array(try await body.collect(upTo: limit).readableBytesView)
        } catch is NIOTooManyBytesError {
            throw tooLarge
        }
    }

    /// Insists on one of some methods.
    func require(_ methods: HTTPRequest.Method...) throws(RequestFault) {
        guard methods.contains(method) else {
            throw RequestFault(
                status: .methodNotAllowed, code: "method_not_allowed",
                detail: "this takes \(methods.map(\.rawValue).joined(separator: " or "))", allowed: methods)
        }
    }
}
#endif
