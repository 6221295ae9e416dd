#if Client
import BrokerMessages
import EntitlementValues
import ServiceResponses

/// All that was recorded, by time, and which device made which call.
struct ReviewStory: Sendable {
    /// A device is an identifier and a service provider: two brands of one application are two.
    private struct Device: Hashable {
        let identifier: Pseudonym?
        let requestor: Pseudonym?
    }

    let calls: [ReviewedCall]
    /// The places of each device's calls, by time.
    private var lists: [[Int]] = []
    /// When each place was opened first to last, and when a browser was sent there.
    private var visits: [Pseudonym: [Timestamp]] = [:]
    let last: Timestamp
    private var clients: [Pseudonym: Pseudonym] = [:]

    /// Puts calls in order; `isInOrder` if they are as they came, whatever a clock says that can be set.
    init(_ recorded: [ReviewedCall], _ opened: [ReviewedVisit], isInOrder: Bool = false) {
        var calls = recorded
        if !isInOrder { calls.sort { ($0.requested, $0.answered) < ($1.requested, $1.answered) } }
        for index in calls.indices { calls[index].number = index + 1 }
        for call in calls {
            if let issued = call.issued, let client = call.client { clients[issued] = client }
        }
        let count = Self.findDevices(of: &calls, clients)
        lists = Array(repeating: [], count: count)
        for (index, call) in calls.enumerated() { lists[call.device].append(index) }
        for visit in opened {
            if let place = visit.place { visits[place, default: []].append(visit.requested) }
            if let next = visit.next { visits[next, default: []].append(visit.answered) }
        }
        for place in visits.keys { visits[place]?.sort() }
        last = max(calls.map(\.requested).max() ?? .distantPast, opened.map(\.requested).max() ?? .distantPast)
        self.calls = calls
    }

    /// The calls of each device, by time; none is copied, since a recording has many.
    var devices: [LazyMapSequence<[Int], ReviewedCall>] {
        lists.map { list in list.lazy.map { [calls] index in calls[index] } }
    }

    /// Gives each call its device: by its own identifier, that of its code, or that of its client; returns their number.
    private static func findDevices(of calls: inout [ReviewedCall], _ clients: [Pseudonym: Pseudonym]) -> Int {
        var byCode: [Pseudonym: Device] = [:]
        var byHolder: [Pseudonym: [Device]] = [:]
        var all: [Device: Int] = [:]
        for call in calls {
            guard let identifier = call.identifier, let requestor = call.requestor else { continue }
            let device = Device(identifier: identifier, requestor: requestor)
            if all[device] == nil { all[device] = all.count }
            if call.endpoint == .startSession, let code = call.code, byCode[code] == nil { byCode[code] = device }
            if let holder = holder(of: call, clients), byHolder[holder, default: []].count < 8,
                byHolder[holder]?.contains(device) != true
            {
                byHolder[holder, default: []].append(device)
            }
        }
        let only = all.count == 1 ? all.keys.first : nil
        for index in calls.indices {
            let call = calls[index]
            let known = holder(of: call, clients).flatMap { byHolder[$0] } ?? []
            let device: Device =
                if let identifier = call.identifier, let requestor = call.requestor {
                    Device(identifier: identifier, requestor: requestor)
                } else if let device = call.code.flatMap({ byCode[$0] }) {
                    device
                } else {
                    known.first { $0.requestor == call.requestor } ?? known.first ?? only
                        ?? Device(identifier: holder(of: call, clients), requestor: call.requestor)
                }
            if all[device] == nil { all[device] = all.count }
            calls[index].device = all[device] ?? 0
        }
        return all.count
    }

    /// The client that made a call, or its token if nothing says whose that is.
    private static func holder(of call: ReviewedCall, _ clients: [Pseudonym: Pseudonym]) -> Pseudonym? {
        call.client ?? call.token.flatMap { clients[$0] } ?? call.token
    }

    func holder(of call: ReviewedCall) -> Pseudonym? { Self.holder(of: call, clients) }

    /// When a place was opened for the first time from an instant on.
    func opening(of place: Pseudonym, from start: Timestamp) -> Timestamp? {
        let times = visits[place] ?? []
        var (low, high) = (0, times.count)
        while low < high {
            let middle = (low + high) / 2
            if times[middle] < start { low = middle + 1 } else { high = middle }
        }
        return low < times.count ? times[low] : nil
    }
}

extension Timestamp {
    static let distantPast = Timestamp(milliseconds: .min)
}
#endif
