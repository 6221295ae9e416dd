#if Client
package import EntitlementValues
import HTTPTypes
import Synchronization

/// How far the broker's time of day is from this machine's, by the dates of its answers.
final class BrokerClock: Sendable {
    private struct State {
        /// The date as the broker wrote it, so that answers of the same second are not read again.
        var date = ""
        var offset: TimeToLive?
    }

    private let latest = Mutex(State())

    /// The broker's time of day minus this machine's, of the last answer that had a date; `nil` before one had.
    var offset: TimeToLive? { latest.withLock { $0.offset } }

    /// Takes the date of an answer, which has whole seconds.
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - now: The time of day at which it came.
    func note(_ answer: HTTPAnswer, at now: Timestamp) {
        guard let field = answer.head.headerFields[.date], latest.withLock({ $0.date != field }),
            let date = answer.date
        else { return }
        latest.withLock { $0 = State(date: field, offset: date.since(now)) }
    }
}

extension Broker {
    /// The broker's time of day minus this machine's, by its last answer; `nil` if none had a date yet.
    ///
    /// Copies of a broker share it. Answers take their time to arrive, so a few seconds mean nothing.
    package var clockOffset: TimeToLive? { clock.offset }
}
#endif
