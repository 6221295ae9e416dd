#if Client
import BrokerMessages
import EntitlementValues
import ServiceResponses

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
        let decisions = polls.filter { !$0.profiles.isEmpty || 400..<500 ~= $0.status && $0.isDecided }
        let limits = [
            decisions.map(\.answered).min(), replaced, start.session?.lifetime.map { start.answered + $0 },
        ]
        return limits.compactMap(\.self).min() ?? .distantFuture
    }
}
#endif
