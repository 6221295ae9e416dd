#if Client
import BrokerMessages
import EntitlementValues
import ServiceResponses

/// All that was recorded, by time, and which device made which call.
struct ReviewStory: Sendable {
    /// What leads to the device of a call: an identifier, a code or a client, and the service provider.
    ///
    /// A device is an identifier and a service provider: two brands of one application are two.
    private struct Clue: Hashable {
        let name: Pseudonym?
        let requestor: Pseudonym?
    }

    private(set) var calls: [ReviewedCall]
    /// When the last request was made.
    let last: Timestamp
    /// The endpoints that have answers without a body that can be read.
    let opaque: Set<BrokerEndpoint>
    /// The places of each device's calls, by time.
    private var lists: [[Int]] = []
    /// When each place was opened first to last, and when a browser was sent there.
    private var visits: [Pseudonym: [Timestamp]] = [:]

    /// Puts calls in order; `isInOrder` if they are as they came, whatever a clock says that can be set.
    init(_ recorded: [ReviewedCall], _ opened: [ReviewedVisit], isInOrder: Bool = false) {
        calls = recorded
        if !isInOrder { calls.sort { ($0.requested, $0.answered) < ($1.requested, $1.answered) } }
        last = max(calls.map(\.requested).max() ?? .distantPast, opened.map(\.requested).max() ?? .distantPast)
        opaque = Set(calls.lazy.filter(\.isOpaque).compactMap(\.endpoint))
        var clients: [Pseudonym: Pseudonym] = [:]
        for call in calls {
            if let issued = call.issued, let client = call.client { clients[issued] = client }
        }
        for index in calls.indices {
            let call = calls[index]
            calls[index].number = index + 1
            calls[index].holder = call.client ?? call.token.flatMap { clients[$0] } ?? call.token
        }
        findDevices()
        // A browser opens much that no rule asks for.
        for place in calls.lazy.flatMap(\.places) { visits[place] = [] }
        for visit in opened {
            if let place = visit.place { visits[place]?.append(visit.requested) }
            if let next = visit.next { visits[next]?.append(visit.answered) }
        }
        for place in visits.keys { visits[place]?.sort() }
    }

    /// Gives each call its device: the one that it names, else the one that its code or its client leads to.
    private mutating func findDevices() {
        var known: [Clue: Int] = [:]
        var count = 0
        for call in calls where call.namesDevice {
            let clues = clues(in: call)
            let device = known[clues[0]] ?? count
            count = max(count, device + 1)
            for clue in clues where clue.name != nil && known[clue] == nil { known[clue] = device }
        }
        let only = count == 1 ? 0 : nil
        for index in calls.indices {
            let call = calls[index]
            let device = clues(in: call).lazy.compactMap { known[$0] }.first ?? only ?? count
            if device == count {
                // Nothing says that two clients without a name are one; a refusal has made none.
                if call.isRefused || !call.isOpaque {
                    known[Clue(name: call.holder, requestor: call.requestor)] = device
                }
                count += 1
            }
            calls[index].device = device
        }
        lists = Array(repeating: [], count: count)
        for (index, call) in calls.enumerated() { lists[call.device].append(index) }
    }

    /// What leads to the device of a call, the best first.
    private func clues(in call: ReviewedCall) -> [Clue] {
        let clues = [
            call.namesDevice ? Clue(name: call.identifier, requestor: call.requestor) : nil,
            call.code.map { Clue(name: $0, requestor: nil) }, Clue(name: call.holder, requestor: call.requestor),
            call.holder.map { Clue(name: $0, requestor: nil) },
        ]
        return clues.compactMap(\.self)
    }

    // MARK: What rules look at

    /// The calls of each device, by time; none is copied, since a recording has many.
    var devices: [LazyMapSequence<[Int], ReviewedCall>] {
        lists.map { list in list.lazy.map { [calls] index in calls[index] } }
    }

    /// The sign-ins, found anew at each use: to keep them would keep their calls twice.
    var signIns: [SignIn] { SignIn.all(in: calls) }

    /// When the browser of a sign-in came back to the application; `nil` if nothing says so.
    func comingBack(of signIn: SignIn) -> Timestamp? {
        guard let browser = signIn.browser, let redirect = signIn.start.redirect else { return nil }
        return opening(of: redirect, from: browser.requested)
    }

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
    static let distantFuture = Timestamp(milliseconds: .max)
}

/// A sign-in with a code: how it began, and what was asked about it.
struct SignIn: Sendable {
    let start: ReviewedCall
    /// When the device began the next one.
    private(set) var replaced: Timestamp?
    /// Those of the device that began it.
    private(set) var polls: [ReviewedCall] = []
    /// Those of other devices: the one where the code was typed may ask what came of it.
    private var otherPolls: [ReviewedCall] = []
    private(set) var lookups: [ReviewedCall] = []
    private(set) var browser: ReviewedCall?

    /// Finds the sign-ins in calls that are in order of time.
    static func all(in calls: [ReviewedCall]) -> [SignIn] {
        var found: [SignIn] = []
        var byCode: [Pseudonym: Int] = [:]
        var latest: [Int: Int] = [:]
        for call in calls {
            guard let code = call.code else { continue }
            if call.endpoint == .startSession, call.isSuccess {
                if let previous = latest[call.device] { found[previous].replaced = call.answered }
                (byCode[code], latest[call.device]) = (found.count, found.count)
                found.append(SignIn(start: call))
            } else if let place = byCode[code] {
                found[place].take(call)
            }
        }
        return found
    }

    private mutating func take(_ call: ReviewedCall) {
        switch call.endpoint {
        case .profileByCode where call.device == start.device: polls.append(call)
        case .profileByCode: otherPolls.append(call)
        case .session, .resumeSession: lookups.append(call)
        case .userAgent where browser == nil: browser = call
        default: break
        }
    }

    /// Whether a profile came.
    var isDone: Bool { (polls + otherPolls).contains { !$0.profiles.isEmpty } }

    /// Whether the user went on at another device.
    var isSecondScreen: Bool {
        start.session?.action == .resume || !lookups.isEmpty
            || (browser.map { $0.requested - start.answered > .seconds(10) } ?? false)
    }

    /// From when on no poll is of use.
    var end: Timestamp {
        let decisions = polls.filter { !$0.profiles.isEmpty || $0.isRefused }
        let limits = [
            decisions.map(\.answered).min(), replaced, start.session?.lifetime.map { start.answered + $0 },
        ]
        return limits.compactMap(\.self).min() ?? .distantFuture
    }
}
#endif
