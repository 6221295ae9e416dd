#if Client
import BrokerClient
import EntitlementValues
import HTTPTypes
import Synchronization
import TVETesting

/// A broker in the test's own process that does what a script says, at a time that the test moves.
///
/// It gives out credentials and access tokens of its own, numbered from 1, unless the script says otherwise.
final class ScriptedBroker: HTTPTransport {
    /// A request that arrived.
    struct Arrival: Sendable {
        let request: HTTPRequest
        let body: String
        let uptime: Duration
        let timeLimit: Duration
        /// How many requests of this endpoint came before.
        let number: Int

        var path: String { request.path ?? "" }
        var token: String? { request.headerFields[.authorization].map { String($0.dropFirst("Bearer ".count)) } }
    }

    /// What a script answers; `nil` for what the broker does by itself.
    typealias Script = @Sendable (Arrival) async throws(TransportFailure) -> HTTPAnswer?

    private struct State {
        var arrivals: [Arrival] = []
        var answers: [HTTPAnswer] = []
        var script: Script
    }

    let time: ManualTime
    private let source: TimeSource
    private let state: Mutex<State>

    static let clientSecret = "secret-of-client"
    static let lifetime = 21_600

    init(at time: ManualTime, _ script: @escaping Script = { _ in nil }) {
        self.time = time
        source = time.source
        state = Mutex(State(script: script))
    }

    /// Goes on with another script.
    func go(on script: @escaping Script) {
        state.withLock { $0.script = script }
    }

    /// What came, in order.
    var arrivals: [Arrival] { state.withLock { $0.arrivals } }
    var registrations: [Arrival] { arrivals.filter { $0.path == "/o/client/register" } }
    var tokenRequests: [Arrival] { arrivals.filter { $0.path == "/o/client/token" } }
    /// What was answered, in order.
    var answers: [HTTPAnswer] { state.withLock { $0.answers } }
    var calls: [Arrival] { arrivals.filter { !$0.path.hasPrefix("/o/client/") } }

    func send(
        _ request: HTTPRequest,
        body: [UInt8],
        within timeLimit: Duration
    ) async throws(TransportFailure) -> HTTPAnswer {
        let (arrival, script) = state.withLock { state in
            let arrival = Arrival(
                request: request, body: String(decoding: body, as: UTF8.self), uptime: source.uptime,
                timeLimit: timeLimit, number: state.arrivals.count { $0.request.path == request.path })
            state.arrivals.append(arrival)
            return (arrival, state.script)
        }
        let answer = try await script(arrival) ?? byItself(arrival)
        state.withLock { $0.answers.append(answer) }
        return answer
    }

    private func byItself(_ arrival: Arrival) -> HTTPAnswer {
        switch arrival.path {
        case "/o/client/register": .credentials(arrival.number + 1)
        case "/o/client/token": .token(arrival.number + 1, createdAt: time.now)
        default: HTTPAnswer(#"{"profiles": {}}"#)
        }
    }

    /// Answers after some time, as a slow broker does.
    ///
    /// - Throws: A timeout, if the time limit of the request is shorter.
    func wait(_ duration: Duration, for arrival: Arrival) async throws(TransportFailure) {
        do {
            try await source.sleep(untilUptime: arrival.uptime + min(duration, arrival.timeLimit))
        } catch {
            throw TransportFailure(.cancelled, mayHaveBeenSent: true)
        }
        if duration >= arrival.timeLimit { throw TransportFailure(.timeout, mayHaveBeenSent: true) }
    }
}

extension HTTPAnswer {
    static func credentials(_ number: Int) -> HTTPAnswer {
        HTTPAnswer(
            """
            {"client_id": "client-\(number)", "client_secret": "\(ScriptedBroker.clientSecret)-\(number)",
             "client_id_issued_at": 1768480200, "redirect_uris": [], "grant_types": ["client_credentials"],
             "scopes": ["api:client:v2"]}
            """, status: 201)
    }

    static func token(
        _ number: Int,
        createdAt: Timestamp,
        lifetime: Int = ScriptedBroker.lifetime,
        date: String? = nil
    ) -> HTTPAnswer {
        var answer = HTTPAnswer(
            """
            {"id": "id-\(number)", "access_token": "token-\(number)", "created_at": \(createdAt.milliseconds),
             "expires_in": \(lifetime), "token_type": "bearer"}
            """, status: 201)
        if let date { answer = answer.with(.date, date) }
        return answer
    }

    /// The broker's refusal because of too many requests: a page for people.
    static func throttled(retryAfter: String? = nil) -> HTTPAnswer {
        let answer = HTTPAnswer("<html>Too many requests</html>", status: 429, type: "text/html")
        return retryAfter.map { answer.with(.retryAfter, $0) } ?? answer
    }

    static func html(_ status: Int) -> HTTPAnswer {
        HTTPAnswer("<html>An error</html>", status: status, type: "text/html")
    }

    static func refusal(_ code: String, status: Int, action: String = "none") -> HTTPAnswer {
        HTTPAnswer(Bodies.error(code, status: status, action: action), status: status)
    }

    static func registrationError(_ code: String, status: Int = 400) -> HTTPAnswer {
        HTTPAnswer(#"{"error": "\#(code)", "error_description": "Words for developers."}"#, status: status)
    }

    func with(status: Int) -> HTTPAnswer {
        HTTPAnswer(HTTPResponse(status: .init(code: status), headerFields: head.headerFields), body: body)
    }

    func with(_ name: HTTPField.Name, _ value: String) -> HTTPAnswer {
        var head = head
        head.headerFields[name] = value
        return HTTPAnswer(head, body: body)
    }
}
#endif
