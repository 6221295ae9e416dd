#if Client
import BrokerBench
import BrokerClient
import BrokerSimulation
import BrokerSimulationClient
import EntitlementValues
import HTTPTypes
import ServiceResponses
import Synchronization

@testable import EntitlementFlows

/// Joins a session with the simulated broker, notes the requests of the API, lets them fail, and holds answers back.
final class WalkTransport: HTTPTransport {
    /// An answer that is held back.
    struct Hold: Sendable {
        /// Ends with `true` once the answer is there, or with `false` if the call ended without it.
        let reached = Promise<Bool>()
        let released = Promise<Void>()
    }

    fileprivate struct State {
        var requests: [String] = []
        var fault: (kind: WalkFault, after: Int)?
        var hold: (hold: Hold, at: Int, includesPolls: Bool)?
    }

    private let simulator: BrokerSimulator
    private let inner: SimulatedTransport
    private let state = Mutex(State())

    init(to simulator: BrokerSimulator, time: TimeSource) {
        (self.simulator, inner) = (simulator, SimulatedTransport(to: simulator, time: time))
    }

    /// The requests since ``forgetRequests()``, without the registration's.
    var requests: [String] { state.withLock { $0.requests } }

    func forgetRequests() { state.withLock { $0.requests = [] } }

    func fail(_ kind: WalkFault, after: Int) { state.withLock { $0.fault = (kind, after) } }

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
        guard let name = Self.name(of: request) else {
            return try await inner.send(request, body: body, within: timeLimit)
        }
        let (fault, hold) = state.withLock { $0.note(name) }
        var answer: Result<HTTPAnswer, TransportFailure>
        do throws(TransportFailure) {
            answer = .success(try await send(request, body, within: timeLimit, with: fault))
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
        within timeLimit: Duration,
        with fault: WalkFault?
    ) async throws(TransportFailure) -> HTTPAnswer {
        switch fault {
        case nil: return try await inner.send(request, body: body, within: timeLimit)
        case .notSent: throw TransportFailure(.connecting, mayHaveBeenSent: false)
        case .throttled: return HTTPAnswer(HTTPResponse(status: .tooManyRequests))
        case .serverError: return HTTPAnswer(HTTPResponse(status: .serviceUnavailable))
        case .answerLost:
            _ = try await inner.send(request, body: body, within: timeLimit)
            throw TransportFailure(.reset, mayHaveBeenSent: true)
        case .codeRefused:
            simulator.activate(ActiveScenario("walk", .error(.invalidAuthenticationSession), remaining: 1))
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
    fileprivate mutating func note(_ name: String) -> (WalkFault?, WalkTransport.Hold?) {
        requests.append(name)
        var found: WalkFault?
        if let fault {
            found = fault.after == 0 ? fault.kind : nil
            self.fault = fault.after == 0 ? nil : (fault.kind, fault.after - 1)
        }
        guard let hold, hold.includesPolls || name != "profiles/code" else { return (found, nil) }
        self.hold = hold.at == 0 ? nil : (hold.hold, hold.at - 1, hold.includesPolls)
        return (found, hold.at == 0 ? hold.hold : nil)
    }
}
#endif
