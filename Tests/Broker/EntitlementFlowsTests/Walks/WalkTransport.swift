#if Client
import BrokerBench
import BrokerClient
import BrokerSimulation
import EntitlementFlows
import EntitlementValues
import HTTPTypes
import ServiceResponses
import Synchronization

/// Joins a session with the simulated brokers of its origins, notes the requests of the API, lets them fail, and holds
/// answers back.
final class WalkTransport: HTTPTransport {
    /// An answer that is held back.
    struct Hold: Sendable {
        /// Ends with `true` once the answer is there, or with `false` if the call ended without it.
        let reached = Promise<Bool>()
        let released = Promise<Void>()
    }

    fileprivate struct State {
        var requests: [String] = []
        var faults: [Int: (kind: WalkFault, after: Int)] = [:]
        var hold: (hold: Hold, at: Int, includesPolls: Bool)?
    }

    /// The name that a list of providers is asked for by.
    private static let list = "configuration"

    private let simulators: [BrokerSimulator]
    private let transports: [any BenchTransport]
    private let origins: [BrokerOrigin]
    private let state = Mutex(State())

    init(to simulators: [BrokerSimulator], at origins: [BrokerOrigin], time: TimeSource, over wire: Wire) {
        (self.simulators, self.origins) = (simulators, origins)
        transports = simulators.map { wire.transport(to: $0, time: time) }
    }

    /// A request at an origin, as walks name it.
    static func name(of request: String, at origin: Int) -> String { origin == 0 ? request : "second \(request)" }

    /// The requests since ``forgetRequests()``, without the registration's; of lists that are asked for at once, that of the
    /// first origin comes first.
    var requests: [String] { Self.inOrder(state.withLock { $0.requests }) }

    /// The same requests, with those for lists that follow each other in the order of their origins.
    static func inOrder(_ requests: [String]) -> [String] {
        var ordered: [String] = []
        var lists: [String] = []
        for request in requests {
            if request.hasSuffix(list) {
                lists.append(request)
            } else {
                ordered += lists.sorted() + [request]
                lists = []
            }
        }
        return ordered + lists.sorted()
    }

    func forgetRequests() { state.withLock { $0.requests = [] } }

    func fail(_ kind: WalkFault, after: Int, at origin: Int) { state.withLock { $0.faults[origin] = (kind, after) } }

    /// Holds the answer to one of the next requests back: with 0, the next one.
    ///
    /// - Parameters:
    ///   - index: Which request.
    ///   - includesPolls: Whether questions for a sign-in count.
    /// - Returns: What holds the answer back, and lets it go.
    func hold(at index: Int, includingPolls includesPolls: Bool) -> Hold {
        let hold = Hold()
        state.withLock { $0.hold = (hold, index, includesPolls) }
        return hold
    }

    func holdNothing() { state.withLock { $0.hold = nil } }

    func send(
        _ request: HTTPRequest,
        body: [UInt8],
        within timeLimit: Duration
    ) async throws(TransportFailure) -> HTTPAnswer {
        guard let origin = origins.firstIndex(where: { $0.host == request.authority }) else {
            throw TransportFailure(.connecting, mayHaveBeenSent: false)
        }
        guard let name = Self.name(of: request) else {
            return try await transports[origin].send(request, body: body, within: timeLimit)
        }
        // Which of two lists is asked for first is not known.
        let mayBeHeld = origins.count == 1 || name != Self.list
        let (fault, hold) = state.withLock { $0.note(name, at: origin, mayBeHeld: mayBeHeld) }
        var answer: Result<HTTPAnswer, TransportFailure>
        do throws(TransportFailure) {
            answer = .success(try await send(request, body, to: origin, within: timeLimit, with: fault))
        } catch {
            answer = .failure(error)
        }
        if let hold {
            hold.reached.end(with: .success(true))
            // If it was released already, the wait does not notice that the task was cancelled before.
            if (try? await hold.released.value()) == nil || Task.isCancelled {
                answer = .failure(TransportFailure(.cancelled, mayHaveBeenSent: true))
            }
        }
        return try answer.get()
    }

    private func send(
        _ request: HTTPRequest,
        _ body: [UInt8],
        to origin: Int,
        within timeLimit: Duration,
        with fault: WalkFault?
    ) async throws(TransportFailure) -> HTTPAnswer {
        let inner = transports[origin]
        switch fault {
        case nil: return try await inner.send(request, body: body, within: timeLimit)
        case .notSent: throw TransportFailure(.connecting, mayHaveBeenSent: false)
        case .throttled: return HTTPAnswer(HTTPResponse(status: .tooManyRequests))
        case .serverError: return HTTPAnswer(HTTPResponse(status: .serviceUnavailable))
        case .answerLost:
            _ = try await inner.send(request, body: body, within: timeLimit)
            throw TransportFailure(.reset, mayHaveBeenSent: true)
        case .codeRefused:
            simulators[origin].activate(ActiveScenario("walk", .error(.invalidAuthenticationSession), remaining: 1))
            return try await inner.send(request, body: body, within: timeLimit)
        }
    }

    /// The request without brand, query and code; `nil` if it is about the registration.
    private static func name(of request: HTTPRequest) -> String? {
        let parts = (request.path ?? "").prefix { $0 != "?" }.split(separator: "/")
        guard parts.starts(with: ["api", "v2"]), parts.count > 3 else { return nil }
        let name = parts.dropFirst(3)
        return name.starts(with: ["profiles", "code"]) ? "profiles/code" : name.joined(separator: "/")
    }
}

extension WalkTransport.State {
    fileprivate mutating func note(
        _ name: String,
        at origin: Int,
        mayBeHeld: Bool
    ) -> (WalkFault?, WalkTransport.Hold?) {
        requests.append(WalkTransport.name(of: name, at: origin))
        var found: WalkFault?
        if let fault = faults[origin] {
            found = fault.after == 0 ? fault.kind : nil
            faults[origin] = fault.after == 0 ? nil : (fault.kind, fault.after - 1)
        }
        guard mayBeHeld, let hold, hold.includesPolls || name != "profiles/code" else { return (found, nil) }
        self.hold = hold.at == 0 ? nil : (hold.hold, hold.at - 1, hold.includesPolls)
        return (found, hold.at == 0 ? hold.hold : nil)
    }
}
#endif
