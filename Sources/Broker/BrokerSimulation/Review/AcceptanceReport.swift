#if Client
import BrokerMessages
import EntitlementValues
import OpenSSLBridge
package import ServiceResponses
import Synchronization
package import TextCodecs

/// What the operator's checklist says of recorded calls, item by item.
package struct AcceptanceReport: Sendable {
    /// How complete the recording is.
    struct Extent: Sendable {
        /// How many calls were judged.
        var calls = 0
        /// How many were left out, because a review holds no more or one of them could not be kept.
        var leftOut = 0
        /// How many entries of files could not be read, and were passed over.
        var damaged = 0
        /// Whether a file ended before its end.
        var isCut = false
    }

    private let items: [(rule: AcceptanceRule, finding: Finding)]
    private let extent: Extent
    /// The most numbers of calls that an item lists.
    private static let longestList = 50

    init(_ story: ReviewStory, _ extent: Extent) {
        items = AcceptanceRule.all.map { ($0, $0.judge(story)) }
        self.extent = extent
    }

    /// The mandatory items that fail.
    package var failed: [String] {
        items.filter { $0.rule.isMandatory && $0.finding.verdict == .fail }.map(\.rule.id)
    }

    /// What to say about how complete the recording is; empty if nothing is missing.
    package var remarks: [String] {
        var remarks: [String] = []
        if extent.isCut { remarks.append("a recording is cut off, and was judged up to there") }
        if extent.damaged > 0 { remarks.append("\(extent.damaged) damaged entries were passed over") }
        if extent.leftOut > 0 { remarks.append("\(extent.leftOut) exchanges were left out: a review holds no more") }
        return remarks
    }

    // MARK: Forms

    /// A line for each item, and under those that fail what to change and where to read more.
    package var text: String {
        var lines = ["\(extent.calls) calls" + remarks.map { "; \($0)" }.joined()]
        for (rule, finding) in items {
            let verdict = finding.verdict.rawValue + String(repeating: " ", count: 14 - finding.verdict.rawValue.count)
            lines.append("\(verdict)  \(rule.id)\(rule.isMandatory ? " must" : "     ")  \(rule.title)")
            let indent = String(repeating: " ", count: 25)
            if finding.verdict == .fail {
                lines.append("\(indent)calls \(Self.list(finding.requests))")
                lines.append("\(indent)\(rule.advice) See: \(rule.page)")
            }
            if !finding.detail.isEmpty { lines.append("\(indent)\(finding.detail)") }
        }
        let others = items.count { $0.finding.verdict == .fail } - failed.count
        lines.append("\(failed.count) mandatory items fail, and \(others) others")
        return lines.map { "\($0)\n" }.joined()
    }

    private static func list(_ numbers: [Int]) -> String {
        let more = numbers.count > 10 ? " and \(numbers.count - 10) more" : ""
        return numbers.prefix(10).map(String.init).joined(separator: ", ") + more
    }

    /// The report as JSON.
    package var object: JSONWriter {
        var object = JSONWriter()
        object.member("accepted", failed.isEmpty)
        object.member("calls", extent.calls)
        object.member("leftOut", extent.leftOut)
        object.member("damaged", extent.damaged)
        object.member("cutOff", extent.isCut)
        object.member("items", objects: items) { item, object in
            let (rule, finding) = item
            object.member("id", rule.id)
            object.member("verdict", finding.verdict.rawValue)
            object.name("requests")
            object.array { list in
                for number in finding.requests.prefix(Self.longestList) { list.value(number) }
            }
            object.member("detail", Self.detail(rule, finding))
            object.member("mandatory", rule.isMandatory)
            object.member("title", rule.title)
            object.member("page", rule.page)
        }
        return object
    }

    private static func detail(_ rule: AcceptanceRule, _ finding: Finding) -> String {
        let advice = finding.verdict == .fail ? rule.advice : ""
        return [finding.detail, advice].filter { !$0.isEmpty }.joined(separator: "; ")
    }

    /// The report as a JUnit file: items that fail and are mandatory are failures, what was not seen is skipped.
    package var junit: String {
        let skipped = items.count { $0.finding.verdict == .notSeen || $0.finding.verdict == .unseen }
        let cases: [HTML] = items.map { rule, finding in
            let calls = finding.requests.isEmpty ? "" : " (calls \(Self.list(finding.requests)))"
            let words = Self.detail(rule, finding) + calls
            let inside: HTML =
                switch finding.verdict {
                case .fail where rule.isMandatory: "<failure message=\"\(words)\">See: \(rule.page)</failure>"
                case .fail: "<system-out>recommended, and fails: \(words)</system-out>"
                case .pass: ""
                case .notSeen, .unseen: "<skipped message=\"\(finding.verdict.rawValue): \(words)\"/>"
                }
            return """
                  <testcase classname="REST API V2 Checklist" name="\(rule.id) \(rule.title)">\(inside)</testcase>

                """
        }
        let document: HTML = """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites>
             <testsuite name="acceptance" tests="\(items.count)" failures="\(failed.count)" errors="0" skipped="\(skipped)">
            \(cases) </testsuite>
            </testsuites>

            """
        return document.text
    }

    /// The report in the form that the name of its file asks for: `.json`, `.xml` for JUnit, and text.
    package func bytes(forFile path: String) -> [UInt8] {
        if path.hasSuffix(".json") { return object.finished + [UInt8(ascii: "\n")] }
        return Array((path.hasSuffix(".xml") ? junit : text).utf8)
    }

    /// The items for the overview.
    var table: HTML {
        let rows: [HTML] = items.map { rule, finding in
            let calls = finding.verdict == .fail ? "calls \(Self.list(finding.requests)). " : ""
            return """
                <tr><td>\(rule.id)\(rule.isMandatory ? ", must" : "")</td><td>\(finding.verdict.rawValue)</td>\
                <td>\(rule.title)</td><td>\(calls)\(Self.detail(rule, finding))</td></tr>
                """
        }
        return """
            <h2>Acceptance</h2>
            <p>The operator's checklist, and what \(extent.calls) calls show of it. \
            \(remarks.map { "\($0). " }.joined())<a href="/sim/report">As JSON</a>.</p>
            \(OverviewPage.scrolling("Acceptance"))<table id="acceptance"><thead><tr><th scope="col">Item</th>\
            <th scope="col">Verdict</th><th scope="col">What is asked</th><th scope="col">Why</th></tr></thead>\
            <tbody>\(rows)</tbody></table></div>
            """
    }
}

/// One recorded call for people who look for what went wrong.
package struct RequestLine: Sendable {
    private let call: ReviewedCall

    init(_ call: ReviewedCall) { self.call = call }

    /// Time, endpoint, status, error code, what the code means, and the action, each in its column.
    package var columns: [String] {
        [
            String(call.number), "\(call.requested)", endpoint, String(call.status), code,
            call.errorCode?.meaning?.words ?? "", action,
        ]
    }

    /// The same as JSON; what there is not is left out.
    package func write(to object: inout JSONWriter) {
        object.member("number", call.number)
        object.member("time", "\(call.requested)")
        object.member("endpoint", endpoint)
        object.member("status", call.status)
        if !code.isEmpty { object.member("code", code) }
        if let meaning = call.errorCode?.meaning { object.member("meaning", meaning.words) }
        if !action.isEmpty { object.member("action", action) }
    }

    private var endpoint: String { call.endpoint?.rawValue ?? "unknown" }
    // Only documented names: any other text is the sender's.
    private var code: String { call.errorCode?.shown ?? call.registrationError?.shown ?? "" }
    private var action: String { call.errorAction?.shown ?? "" }
}

extension EnhancedErrorMeaning {
    /// For people, in a few words.
    package var words: String {
        switch self {
        case .profileGone: "the sign-in has ended"
        case .userNotAccepted: "the provider does not accept the user any more"
        case .denied: "the user may not watch this"
        case .deniedAtHome: "the rules for the home network do not allow it"
        case .deniedByDegradation: "a rule of degraded operation does not allow it"
        case .accessTimeOver: "the time of temporary access is over"
        case .accessUsedUp: "temporary access is used up"
        case .providerUnknown: "no such provider for this brand"
        case .identityMissing: "promotional access lacks the identity"
        case .codeEnded: "the code has ended, or is mistyped"
        case .partnerUndetermined: "the platform has not asked the user yet"
        case .partnerDenied: "the user does not share the platform's sign-in"
        case .partnerStatusBad: "the platform's status names no provider"
        case .partnerRequestBad: "the platform's answer is wrong"
        case .clientEnded: "token or client are not valid any more"
        case .otherBrand: "the client is of another brand"
        case .resourcesBad: "the resources are malformed, or too many"
        case .requestorUnknown: "no such brand"
        case .redirectRefused: "the address to return to is not allowed"
        case .deviceBad: "a field about the device is missing or malformed"
        case .providerNotReached: "the provider could not be asked"
        case .brokerFailed: "the broker failed"
        case .misconfigured: "the operator's configuration is wrong"
        }
    }
}

// MARK: The simulator's own exchanges

/// What a simulator remembers for its report: the last calls and visits.
struct ReviewLog: Sendable {
    private var calls: [ReviewedCall] = []
    private var visits: [ReviewedVisit] = []
    private var leftOut = 0

    /// Adds a call; when there are more than `limit`, the oldest quarter is left out and counted.
    mutating func append(_ call: ReviewedCall, keeping limit: Int) {
        calls.append(call)
        guard calls.count > limit else { return }
        let surplus = max(1, limit / 4)
        calls.removeFirst(surplus)
        leftOut += surplus
    }

    mutating func append(_ visit: ReviewedVisit, keeping limit: Int) {
        visits.append(visit)
        if visits.count > limit { visits.removeFirst(max(1, limit / 4)) }
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
        let call = Result { () throws(OpenSSLFailure) in try ReviewedCall(exchange, pseudonyms) }
        let visit = Result { () throws(OpenSSLFailure) in try ReviewedVisit(exchange, pseudonyms) }
        state.withLock { state in
            guard case .success(let call) = call, case .success(let visit) = visit else {
                state.review.leaveOut()
                return
            }
            let limit = settings.rememberedCalls
            if let call { state.review.append(call, keeping: limit) }
            if call == nil || call?.endpoint == .userAgent { state.review.append(visit, keeping: limit) }
        }
    }
}
#endif
