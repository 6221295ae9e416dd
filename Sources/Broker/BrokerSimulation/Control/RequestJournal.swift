#if Client
// Scenarios and the journal speak of endpoints: with this import, `import BrokerSimulation` is enough to use them.
@_exported public import struct BrokerMessages.BrokerEndpoint
public import EntitlementValues
import HTTPTypes
import ServiceResponses
import Synchronization

/// What a simulator remembers of a request: enough to see what a client does, and no secret.
public struct JournalEntry: Sendable, Hashable {
    /// Its number, from 1.
    public let number: Int
    /// The simulation's time at which it came.
    public let time: Timestamp
    /// The endpoint; `nil` if there is none for the path and method.
    public let endpoint: BrokerEndpoint?
    /// The method.
    public let method: String
    /// The brand in the path.
    public let requestor: RequestorID?
    /// The provider in the path or in the form.
    public let mvpd: MVPDID?
    /// How many resources it asked about; `nil` unless it asked for decisions.
    public let resources: Int?
    /// The status of the answer.
    public let status: Int
    /// The code of the error in the answer; `nil` if there is none.
    public let errorCode: String?
    /// The scenario that it met.
    public let scenario: String?
    /// The names of its header fields, sorted, as they were sent; at most 64.
    ///
    /// Never a value.
    public let fields: [String]
    /// What was unusual: missing, malformed and undocumented header fields and the like.
    ///
    /// Never a value.
    public let notes: [String]
}

/// The last requests.
struct RequestJournal: Sendable {
    static let capacity = 1000

    private var ring: [JournalEntry] = []
    private(set) var count = 0

    /// The entries, the oldest first.
    var entries: [JournalEntry] {
        let start = count % Self.capacity
        return ring.count < Self.capacity ? ring : Array(ring[start...] + ring[..<start])
    }

    /// Adds an entry, which takes the place of the oldest one when there are too many.
    mutating func append(_ make: (_ number: Int) -> JournalEntry) {
        let entry = make(count + 1)
        if ring.count < Self.capacity {
            ring.append(entry)
        } else {
            ring[count % Self.capacity] = entry
        }
        count += 1
    }

    /// Forgets all entries and begins with 1 again.
    mutating func removeAll() { self = RequestJournal() }
}

/// What the journal gets to know of a request.
struct RequestRecord {
    let method: String
    let route: Route?
    let now: Timestamp
    let scenario: Scenario?
    let fields: [String]
    /// The origin of the page that has asked; `nil` if none has.
    let origin: String?
    var mvpd: MVPDID?
    var resources: Int?
    var notes: [String] = []

    init(_ request: HTTPRequest, _ route: Route?, _ now: Timestamp, _ scenario: Scenario?) {
        (method, self.route) = (request.method.rawValue, route)
        (self.now, self.scenario) = (now, scenario)
        origin = request.headerFields[.origin]
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
        let head = reply.readable(from: record.origin).head(at: record.now)
        return SimulatedAnswer(head: head, body: reply.body, delay: delay, fault: fault)
    }
}
#endif
