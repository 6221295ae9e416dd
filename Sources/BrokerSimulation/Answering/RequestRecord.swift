#if Client
import Synchronization
import EntitlementValues
import HTTPTypes
import ServiceResponses

/// What the journal gets to know of a request.
struct RequestRecord {
    let method: String
    let route: Route?
    let now: Timestamp
    let scenario: Scenario?
    let fields: [String]
    var mvpd: MVPDID?
    var resources: Int?
    var notes: [String] = []

    init(_ request: HTTPRequest, _ route: Route?, _ now: Timestamp, _ scenario: Scenario?) {
        (method, self.route) = (request.method.rawValue, route)
        (self.now, self.scenario) = (now, scenario)
        fields = Array(Set(request.headerFields.map(\.name.rawName)).sorted().prefix(64))
    }

    func entry(_ number: Int, _ reply: Reply) -> JournalEntry {
        JournalEntry(
            number: number, time: now, endpoint: route?.endpoint, method: method, requestor: route?.requestor,
            mvpd: mvpd,
            resources: resources, status: reply.status, errorCode: reply.errorCode, scenario: scenario?.name,
            fields: fields, notes: notes)
    }
}

extension Reply {
    /// The code of the error in the body.
    var errorCode: String? {
        guard status >= 400 else { return nil }
        return body.withSpan { try? EnhancedError(parsing: $0) }?.code?.rawValue
    }

    /// Status and header fields, with the time of the simulation, and the mark that all its answers have.
    func head(at now: Timestamp) -> HTTPResponse {
        var head = HTTPResponse(status: HTTPResponse.Status(code: status))
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            if let name = HTTPField.Name(name) { head.headerFields[name] = value }
        }
        if let name = HTTPField.Name("X-Simulated") { head.headerFields[name] = "true" }
        if let date = now.httpDate { head.headerFields[.date] = date }
        return head
    }
}

extension BrokerSimulator {
    /// Writes the journal, and makes the answer.
    func finished(
        _ reply: Reply,
        _ record: RequestRecord,
        slowness: TimeToLive = .zero
    ) -> SimulatedAnswer {
        state.withLock { state in
            state.journal.append { record.entry($0, reply) }
            state.noteAnswer(at: record.now, keeping: settings.rememberedClients)
        }
        var (delay, fault) = (slowness, NetworkFault?.none)
        switch record.scenario {
        case .network(.delay(let wanted)): delay = delay + wanted
        case .network(let wanted): fault = wanted
        default: break
        }
        return SimulatedAnswer(head: reply.head(at: record.now), body: reply.body, delay: delay, fault: fault)
    }
}

extension TimeToLive {
    static func + (one: TimeToLive, other: TimeToLive) -> TimeToLive {
        TimeToLive(milliseconds: (Timestamp(milliseconds: one.milliseconds) + other).milliseconds)
    }
}

extension Timestamp {
    /// The form of the header field `Date` (RFC 9110 §5.6.7).
    var httpDate: String? {
        guard let date = CivilDate(of: self) else { return nil }
        // 1970-01-01 was a Thursday; the days of a negative number count back.
        let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let day = Int((wholeSecond.milliseconds - Int64(date.secondOfDay) * 1000) / 86_400_000)
        let name = days[(day % 7 + 7) % 7]
        let second = date.secondOfDay
        let clock = [second / 3600, second / 60 % 60, second % 60].map { $0.zeroPadded(to: 2) }.joined(separator: ":")
        let month = months[date.month - 1]
        return "\(name), \(date.day.zeroPadded(to: 2)) \(month) \(date.year.zeroPadded(to: 4)) \(clock) GMT"
    }
}
#endif
