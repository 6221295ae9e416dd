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
#endif
