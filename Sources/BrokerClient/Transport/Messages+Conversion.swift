#if Client
import AsyncHTTPClient
import HTTPTypes
import NIOCore
import NIOHTTP1
import TextCodecs

extension HTTPClient.Request {
    /// How long address and header fields of a request may be together, in bytes.
    ///
    /// Below the 64 KiB after which a socket counts as full: an answer that comes before such a request's body was begun
    /// would trap in async-http-client 1.37 (`RequestBag.StateMachine.resumeRequestBodyStream`).
    static let headLimit = 48 << 10

    /// Converts a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - body: Its body; empty for none.
    /// - Throws: `TransportFailure` with the reason `.request`.
    init(_ request: HTTPRequest, body: [UInt8]) throws(TransportFailure) {
        let unusable = TransportFailure(.request, mayHaveBeenSent: false)
        // NIO traps at a port above 65535, for one.
        guard let scheme = request.scheme, let authority = request.authority,
            (try? BrokerOrigin(parsing: "\(scheme)://\(authority)")) != nil,
            let path = request.path, path.utf8.first == UInt8(ascii: "/"),
            path.utf8.allSatisfy({ $0.mayStandInTarget })
        else { throw unusable }
        var headers = HTTPHeaders()
        var size = authority.utf8.count + path.utf8.count
        headers.reserveCapacity(request.headerFields.count + 1)
        for field in request.headerFields {
            headers.add(name: field.name.rawName, value: field.value)
            size += field.name.rawName.utf8.count + field.value.utf8.count
        }
        guard size <= Self.headLimit else { throw unusable }
        do {
            try self.init(
                url: "\(scheme)://\(authority)\(path)", method: HTTPMethod(rawValue: request.method.rawValue),
                headers: headers, body: body.isEmpty ? nil : .whole(body))
        } catch {
            throw unusable
        }
    }
}

extension HTTPClient.Body {
    /// A body that is handed over at once, without waiting until the connection takes more.
    ///
    /// async-http-client pauses a body when an answer of 300 or more comes early, and never goes on: a call that waited
    /// would end at its deadline, not with the answer.
    fileprivate static func whole(_ bytes: [UInt8]) -> Self {
        .stream(contentLength: Int64(bytes.count)) { writer in
            writer.write(.byteBuffer(ByteBuffer(bytes: bytes))).eventLoop.makeSucceededVoidFuture()
        }
    }
}

extension HTTPResponse {
    /// Converts an answer's head.
    ///
    /// Returns `nil` if a field's name is not valid, or if the body is still compressed in a way that was not asked for.
    init?(_ head: HTTPResponseHead) {
        var fields = HTTPFields()
        fields.reserveCapacity(head.headers.count)
        for (name, value) in head.headers {
            guard let name = HTTPField.Name(name) else { return nil }
            fields.append(HTTPField(name: name, value: value))
        }
        let codings = head.headers[canonicalForm: "content-encoding"]
        // async-http-client undoes one coding of these two, and leaves the field.
        guard codings.count <= 1, codings.allSatisfy({ ["gzip", "deflate", "identity"].contains($0.lowercased()) })
        else {
            return nil
        }
        self.init(
            status: Status(code: Int(head.status.code), reasonPhrase: head.status.reasonPhrase), headerFields: fields)
    }
}

extension UInt8 {
    /// Whether the byte may stand in a path with a query (RFC 3986 §3.3 and §3.4): it goes out as it is.
    fileprivate var mayStandInTarget: Bool {
        isURLSafe || "/?%.~!$&'()*+,;=:@".utf8.contains(self)
    }
}
#endif
