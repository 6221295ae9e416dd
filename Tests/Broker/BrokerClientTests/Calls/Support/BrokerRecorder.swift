#if Client
import BrokerClient
import HTTPTypes
import Synchronization

/// A broker in the test's own process: it keeps each request, and answers from a table.
final class BrokerRecorder: HTTPTransport {
    struct Sent: Sendable {
        let request: HTTPRequest
        let body: String

        var path: String { request.path ?? "" }
        /// The names of the header fields, in lower case.
        var fields: Set<String> { Set(request.headerFields.map { $0.name.canonicalName }) }
    }

    typealias Answer = @Sendable (HTTPRequest, String) throws(TransportFailure) -> HTTPAnswer

    private let all = Mutex<[Sent]>([])
    private let answer: Answer

    /// Makes a broker that registers each client, and answers other requests as the test says.
    init(_ answer: @escaping Answer) { self.answer = answer }

    /// Makes a broker that answers each request but those of the registration alike.
    convenience init(answering body: String, status: Int = 200, type: String? = "application/json;charset=UTF-8") {
        self.init { _, _ in HTTPAnswer(body, status: status, type: type) }
    }

    /// What was sent, in order.
    var sent: [Sent] { all.withLock { $0 } }

    /// What was sent after the registration.
    var calls: [Sent] { sent.filter { !$0.path.hasPrefix("/o/client/") } }

    func send(
        _ request: HTTPRequest,
        body: [UInt8],
        within timeLimit: Duration
    ) async throws(TransportFailure) -> HTTPAnswer {
        let text = String(decoding: body, as: UTF8.self)
        all.withLock { $0.append(Sent(request: request, body: text)) }
        switch request.path {
        case "/o/client/register": return HTTPAnswer(Bodies.credentials, status: 201)
        case "/o/client/token": return HTTPAnswer(Bodies.token, status: 201)
        default: return try answer(request, text)
        }
    }
}

extension HTTPAnswer {
    init(_ body: String, status: Int = 200, type: String? = "application/json;charset=UTF-8") {
        var fields = HTTPFields()
        fields[.contentType] = type
        self.init(HTTPResponse(status: .init(code: status), headerFields: fields), body: Array(body.utf8))
    }
}
#endif
