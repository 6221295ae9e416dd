#if Client
import BrokerMessages

/// An item of the operator's checklist, and how a story is judged by it.
struct AcceptanceRule: Sendable {
    let id: String
    /// Whether the checklist demands it; the others are recommended.
    var isMandatory = true
    let title: String
    /// The name of the operator's page that has more.
    var page = "REST API V2 Checklist"
    /// What to change if it fails.
    var advice = ""
    /// The endpoints whose answers it reads: without one of their bodies, it cannot pass.
    var answers: Set<BrokerEndpoint> = []
    /// Notes in a finding what a story shows of the item.
    let judge: Judge

    typealias Judge = @Sendable (ReviewStory, inout Finding) -> Void

    /// Looks at the calls of each device, by time, with a state that is new for each device.
    static func eachDevice<State: Sendable>(
        from state: State,
        _ look: @escaping @Sendable (ReviewedCall, inout State, inout Finding) -> Void
    ) -> Judge {
        { story, finding in
            for device in story.devices {
                var state = state
                for call in device { look(call, &state, &finding) }
            }
        }
    }

    /// The checklist, in its order.
    static let all = [
        scope, registrations, earlyTokens, staleTokens, needlessConfigurations, frequentConfigurations, storedChoice,
        pollingTimes, pollingPace, repeatedProfiles, unvalidatedCodes, severalProfiles, playDecisions,
        preauthorizationRetries, repeatedPermits, plays, authorizationRetries, logouts, hastyLogouts, missingFields,
        changedIdentifiers, unknownNames, loops, hastyCalls, triedFlows, otherEnvironments,
    ]
}

/// What a rule has seen of its item, from which the verdict follows.
struct Finding: Sendable {
    enum Verdict: String, Sendable {
        case pass
        case fail
        /// There was no occasion.
        case notSeen = "not seen"
        /// No recording of requests could show it, or this one does not.
        case unseen = "cannot be seen"
    }

    private var (faults, shown): (Set<Int>, Set<Int>) = ([], [])
    private var hidden: String?
    private var remarks: [String] = []
    /// Whether something showed that the item is kept.
    var isShown = false

    init(by rule: AcceptanceRule, of story: ReviewStory) {
        rule.judge(story, &self)
        guard !rule.answers.isDisjoint(with: story.opaque) else { return }
        (shown, isShown) = ([], false)
        hide("record the bodies of answers, too")
    }

    /// Notes a call that breaks the rule.
    mutating func fault(_ call: ReviewedCall) { faults.insert(call.number) }

    mutating func fault(_ calls: some Sequence<ReviewedCall>) { for call in calls { fault(call) } }

    /// Takes a fault back, since a later call explains it.
    mutating func excuse(_ call: ReviewedCall) { faults.remove(call.number) }

    /// Notes a call that keeps the rule, unless it is a fault, too.
    mutating func show(_ call: ReviewedCall) {
        shown.insert(call.number)
        isShown = true
    }

    mutating func show(_ calls: some Sequence<ReviewedCall>) { for call in calls { show(call) } }

    /// Notes that the recording cannot show something; the words say what would.
    mutating func hide(_ words: String) { hidden = words }

    /// Adds what a person has to know besides the numbers.
    mutating func remark(_ words: String) { remarks.append(words) }

    var verdict: Verdict {
        if !faults.isEmpty { return .fail }
        if isShown { return .pass }
        return hidden == nil ? .notSeen : .unseen
    }

    /// The numbers of the calls that show it.
    var requests: [Int] { (faults.isEmpty ? shown : faults).sorted() }

    /// What a person has to know; a pass says what of the item is hidden, too.
    var detail: String {
        (remarks + [faults.isEmpty ? hidden : nil].compactMap(\.self)).joined(separator: "; ")
    }
}
#endif
