#if Client
import OpenSSLBridge
import Synchronization

/// What a simulator remembers for its report: the last calls and visits.
struct ReviewLog: Sendable {
    private var calls: [ReviewedCall] = []
    private var visits: [ReviewedVisit] = []
    private var leftOut = 0

    /// Adds what an exchange was: a call, a visit of a browser, or both.
    mutating func append(_ call: ReviewedCall?, _ visit: ReviewedVisit, keeping limit: Int) {
        if let call { leftOut += Self.append(call, to: &calls, keeping: limit) }
        if call == nil || call?.endpoint == .userAgent { _ = Self.append(visit, to: &visits, keeping: limit) }
    }

    /// Adds an element, and returns how many had to go for it: when there are more than `limit`, the oldest quarter.
    private static func append<Element>(_ element: Element, to list: inout [Element], keeping limit: Int) -> Int {
        list.append(element)
        guard list.count > limit else { return 0 }
        let surplus = max(1, limit / 4)
        list.removeFirst(surplus)
        return surplus
    }

    /// Counts an exchange that could not be kept.
    mutating func leaveOut() { leftOut += 1 }

    var report: AcceptanceReport {
        let extent = AcceptanceReport.Extent(calls: calls.count, leftOut: leftOut)
        // The order is that of the answers; a clock that is set back does not change it.
        return AcceptanceReport(ReviewStory(calls, visits, isInOrder: true), extent)
    }
}

extension BrokerSimulator {
    /// What the operator's checklist says of the calls since the start or the last reset.
    package var acceptanceReport: AcceptanceReport { state.withLock { $0.review }.report }

    /// Notes an exchange for the report, without its secrets.
    func note(_ exchange: RecordedExchange) {
        do throws(OpenSSLFailure) {
            let (call, visit) = (try ReviewedCall(exchange, pseudonyms), try ReviewedVisit(exchange, pseudonyms))
            state.withLock { $0.review.append(call, visit, keeping: settings.rememberedCalls) }
        } catch {
            state.withLock { $0.review.leaveOut() }
        }
    }
}
#endif
