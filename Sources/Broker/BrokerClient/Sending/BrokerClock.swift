#if Client
package import EntitlementValues
import HTTPTypes
import Synchronization
import TextCodecs

/// How far the broker's time of day is from this machine's, by the dates of its answers.
package final class BrokerClock: Sendable {
    private struct State {
        /// The date as the broker wrote it, so that answers of the same second are not read again.
        var date = ""
        var offset: TimeToLive?
    }

    private let latest = Mutex(State())

    package init() {}

    /// The broker's time of day minus this machine's, of the last answer that had a date; `nil` before one had.
    package var offset: TimeToLive? { latest.withLock { $0.offset } }

    /// Takes the date of an answer, which has whole seconds.
    ///
    /// `now` is the time of day at which it came.
    package func note(_ answer: HTTPAnswer, at now: Timestamp) {
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

extension HTTPAnswer {
    /// More is not believed: it would be a defect, or an attempt to switch the client off.
    private static let longestRetryAfter: Duration = .seconds(3600)
    private static let maximumDigits = 9

    /// How long the server wants the client to wait: a number of seconds, or a date (RFC 9110 §10.2.3).
    ///
    /// `nil` if the field is missing, malformed, or asks for more than an hour.
    ///
    /// A date is compared with the date of the answer, so that the clocks need not agree; `now` is for an answer
    /// without a date.
    func retryAfter(at now: Timestamp) -> Duration? {
        guard let field = head.headerFields[Self.retryAfterName] else { return nil }
        let wait: Duration
        if !field.isEmpty, field.utf8.count <= Self.maximumDigits, field.utf8.allSatisfy(\.isASCIIDigit),
            let seconds = Int64(field)
        {
            wait = .seconds(seconds)
        } else if let date = Timestamp(httpDate: field) {
            wait = max(.zero, date.since(self.date ?? now).duration)
        } else {
            return nil
        }
        return wait <= Self.longestRetryAfter ? wait : nil
    }

    /// The server's time of day when it made the answer; `nil` if it did not say.
    var date: Timestamp? { head.headerFields[.date].flatMap(Timestamp.init(httpDate:)) }

    private static let retryAfterName = HTTPField.Name.retryAfter
}
#endif
