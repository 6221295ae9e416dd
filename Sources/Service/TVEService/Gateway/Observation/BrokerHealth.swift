#if Service
import BrokerClient
package import EntitlementValues
import HTTPTypes
import Synchronization
import TextCodecs

/// What the broker's answers of late say about it.
///
/// It is learnt from the calls that are made anyway. It says nothing about this instance: players whose session is good
/// are answered while the broker is away.
package final class BrokerHealth: Sendable {
    /// How the broker is.
    package enum State: String, Sendable, CaseIterable {
        /// It was not asked yet.
        case unknown
        /// It answers.
        case up
        /// It answers that there are too many requests.
        case throttling
        /// It fails, or does not answer.
        case failing
    }

    /// What is known at an instant.
    package struct Report: Sendable, Hashable {
        /// How the broker is.
        package var state = State.unknown
        /// When the broker last answered in a way that is not a failure; `nil` if it never did.
        var lastAnswer: Timestamp?
        /// Since when it is in this state; `nil` if it was not asked yet.
        package var since: Timestamp?
        /// What failed the last time: a stable name; `nil` unless it is failing.
        package var failure: String?
    }

    private let report = Mutex(Report())

    package init() {}

    /// What is known now.
    package var current: Report { report.withLock { $0 } }

    /// Notes an answer of the broker, by its HTTP status.
    ///
    /// Refusals are answers: the broker works.
    package func note(status: Int, at now: Timestamp) {
        switch status {
        case 429: change(to: .throttling, at: now, because: nil)
        case 500...599: change(to: .failing, at: now, because: "status_\(status)")
        default: change(to: .up, at: now, because: nil)
        }
    }

    /// Notes that there was no answer; the reason has a stable name.
    package func note(failure reason: String, at now: Timestamp) { change(to: .failing, at: now, because: reason) }

    private func change(to state: State, at now: Timestamp, because failure: String?) {
        report.withLock { report in
            if report.state != state { (report.state, report.since) = (state, now) }
            if state != .failing { report.lastAnswer = now }
            report.failure = failure
        }
    }
}

extension BrokerHealth.Report {
    /// The report in JSON.
    var object: JSONWriter {
        var object = JSONWriter()
        object.member("state", state.rawValue)
        if let since { object.member("since", since.milliseconds) }
        if let lastAnswer { object.member("lastAnswer", lastAnswer.milliseconds) }
        if let failure { object.member("failure", failure) }
        object.member("detail", description)
        return object
    }

    /// The report in one line, for people.
    var description: String {
        let since = since.map { " since \($0)" } ?? ""
        let last = lastAnswer.map { "; its last good answer came at \($0)" } ?? ""
        return switch state {
        case .unknown: "the broker was not asked yet"
        case .up: "the broker answers\(since)"
        case .throttling: "the broker takes no more requests of some clients\(since)"
        case .failing: "the broker does not answer\(since) (\(failure ?? "unknown"))\(last)"
        }
    }
}

/// Sends requests to the broker, and notes how it is.
struct WatchedTransport: HTTPTransport {
    let transport: any HTTPTransport
    let health: BrokerHealth
    let time: TimeSource

    func send(
        _ request: HTTPRequest,
        body: [UInt8],
        within timeLimit: Duration
    ) async throws(TransportFailure) -> HTTPAnswer {
        do throws(TransportFailure) {
            let answer = try await transport.send(request, body: body, within: timeLimit)
            health.note(status: answer.head.status.code, at: time.now)
            return answer
        } catch {
            switch error.reason {
            // The caller's doing, which says nothing about the broker.
            case .cancelled, .shutDown, .request: break
            default: health.note(failure: error.reason.rawValue, at: time.now)
            }
            throw error
        }
    }
}
#endif
