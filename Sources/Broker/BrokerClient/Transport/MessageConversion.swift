#if Client
import AsyncHTTPClient
import HTTPTypes
import NIOCore
import NIOHTTP1
import Synchronization
import TextCodecs

extension HTTPClient.Request {
    /// How long address and header fields of a request may be together, in bytes.
    ///
    /// Below the 64 KiB after which a socket counts as full: an answer that comes before such a request's body was begun
    /// would trap in async-http-client 1.37 (`RequestBag.StateMachine.resumeRequestBodyStream`).
    static let headLimit = 48 << 10

    /// Requests without header fields and body, by method and address: most requests of a process repeat a few of them, and
    /// reading an address anew would take longer than the rest of the conversion.
    private static let known = Mutex<[[UInt8]: Self]>([:])
    private static let knownLimit = 64
    private static let longestKnown = 512

    /// A request to an address.
    private static func empty(
        _ method: String,
        scheme: String,
        authority: String,
        path: String
    ) throws(TransportFailure) -> Self {
        let key = Array("\(method) \(scheme)://\(authority)\(path)".utf8)
        if let found = known.withLock({ $0[key] }) { return found }
        let origin = "\(scheme)://\(authority)"
        // NIO traps at a port above 65535, for one.
        guard (try? BrokerOrigin(parsing: origin)) != nil, path.utf8.first == UInt8(ascii: "/"),
            path.utf8.allSatisfy({ $0.mayStandInTarget }),
            let made = try? Self(url: origin + path, method: HTTPMethod(rawValue: method))
        else { throw TransportFailure(.request, mayHaveBeenSent: false) }
        guard key.count <= longestKnown else { return made }
        known.withLock {
            if $0.count >= knownLimit { $0.removeAll(keepingCapacity: true) }
            $0[key] = made
        }
        return made
    }

    /// Converts a request, with an empty body for none; the reason of an error is `.request`.
    init(_ request: HTTPRequest, body: [UInt8]) throws(TransportFailure) {
        guard let scheme = request.scheme, let authority = request.authority, let path = request.path else {
            throw TransportFailure(.request, mayHaveBeenSent: false)
        }
        self = try Self.empty(request.method.rawValue, scheme: scheme, authority: authority, path: path)
        var headers = HTTPHeaders()
        var size = authority.utf8.count + path.utf8.count
        headers.reserveCapacity(request.headerFields.count + 1)
        for field in request.headerFields {
            headers.add(name: field.name.rawName, value: field.value)
            size += field.name.rawName.utf8.count + field.value.utf8.count
        }
        guard size <= Self.headLimit else { throw TransportFailure(.request, mayHaveBeenSent: false) }
        self.headers = headers
        if !body.isEmpty { self.body = .whole(body) }
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
        isURLSafe || self == UInt8(ascii: "/") || "?%.~!$&'()*+,;=:@".utf8.contains(self)
    }
}
#endif
