#if Client
import OpenSSLBridge
import ServiceResponses
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
        /// How many answers have no body that can be read, although a rule would read it.
        var opaque = 0
        /// Whether a file ended before its end.
        var isCut = false
    }

    /// An item of the checklist, and what came of it, in the words that all forms of the report have.
    private struct Item: Sendable {
        let rule: AcceptanceRule
        let verdict: Finding.Verdict
        let requests: [Int]
        let detail: String

        init(_ rule: AcceptanceRule, _ story: ReviewStory) {
            let finding = Finding(by: rule, of: story)
            (self.rule, verdict, requests, detail) = (rule, finding.verdict, finding.requests, finding.detail)
        }

        var fails: Bool { verdict == .fail }
        var isMandatoryFailure: Bool { fails && rule.isMandatory }

        /// What a person has to know, and what to change if the item fails.
        var explanation: String {
            [detail, fails ? rule.advice : ""].filter { !$0.isEmpty }.joined(separator: "; ")
        }

        /// The first calls that show it: `calls 1, 2`; `nil` if there are none.
        var calls: String? {
            guard let first = requests.first else { return nil }
            guard requests.count > 1 else { return "call \(first)" }
            let more = requests.count > 10 ? " and \(requests.count - 10) more" : ""
            return "calls " + requests.prefix(10).map(String.init).joined(separator: ", ") + more
        }
    }

    private let items: [Item]
    private var extent: Extent
    /// The most numbers of calls that an item lists.
    private static let longestList = 50

    init(_ story: ReviewStory, _ extent: Extent) {
        items = AcceptanceRule.all.map { Item($0, story) }
        self.extent = extent
        self.extent.opaque = story.calls.count(where: \.isOpaque)
    }

    /// The mandatory items that fail.
    package var failed: [String] { items.filter(\.isMandatoryFailure).map(\.rule.id) }

    /// What to say about how complete the recording is; empty if nothing is missing.
    package var remarks: [String] {
        var remarks: [String] = []
        if extent.isCut { remarks.append("a recording is cut off, and was judged up to there") }
        if extent.damaged > 0 {
            let entries = extent.damaged.counting("entry was", "entries were")
            remarks.append("\(entries) passed over: damaged, or longer than 16 MiB")
        }
        if extent.opaque > 0 {
            remarks.append(extent.opaque.counting("answer has", "answers have") + " no body that can be read")
        }
        if extent.leftOut > 0 {
            remarks.append(
                extent.leftOut.counting("exchange was", "exchanges were") + " left out: a review holds no more")
        }
        return remarks
    }

    // MARK: Forms

    /// A line for each item, and under those that fail what to change and where to read more.
    package var text: String {
        var lines = [([extent.calls.counting("call", "calls")] + remarks).joined(separator: "; ")]
        for item in items {
            let verdict = item.verdict.rawValue
            let space = String(repeating: " ", count: 14 - verdict.count)
            lines.append(
                "\(verdict)\(space)  \(item.rule.id) \(item.rule.isMandatory ? "must" : "    ")  \(item.rule.title)")
            let failure = item.fails ? [item.calls ?? "", "\(item.rule.advice) See: \(item.rule.page)"] : []
            lines += (failure + [item.detail]).filter { !$0.isEmpty }.map {
                String(repeating: " ", count: 25) + $0
            }
        }
        let others = items.count(where: \.fails) - failed.count
        lines.append(
            failed.count.counting("mandatory item fails", "mandatory items fail") + "; "
                + others.counting("recommended item fails", "recommended items fail"))
        return lines.map { "\($0)\n" }.joined()
    }

    /// The report as JSON.
    package var object: JSONWriter {
        var object = JSONWriter()
        object.member("accepted", failed.isEmpty)
        object.member("calls", extent.calls)
        object.member("leftOut", extent.leftOut)
        object.member("damaged", extent.damaged)
        object.member("cutOff", extent.isCut)
        object.member("withoutBody", extent.opaque)
        object.member("items", objects: items) { item, object in
            object.member("id", item.rule.id)
            object.member("verdict", item.verdict.rawValue)
            object.member(
                "requests", json: .array(item.requests.prefix(Self.longestList).map { .number(Int64($0)) }))
            object.member("detail", item.explanation)
            object.member("mandatory", item.rule.isMandatory)
            object.member("title", item.rule.title)
            object.member("page", item.rule.page)
        }
        return object
    }

    /// The report as a JUnit file: items that fail and are mandatory are failures, what was not seen is skipped, and what is
    /// missing of the recording is the output of the suite.
    package var junit: String {
        let skipped = items.count { !$0.fails && $0.verdict != .pass }
        let cases: [HTML] = items.map { item in
            let calls = item.calls.map { " (\($0))" } ?? ""
            let inside: HTML =
                switch item.verdict {
                case .fail where item.rule.isMandatory:
                    "<failure message=\"\(item.explanation)\(calls)\">See: \(item.rule.page)</failure>"
                case .fail: "<system-out>recommended, and fails: \(item.explanation)\(calls)</system-out>"
                case .pass where item.detail.isEmpty: ""
                case .pass: "<system-out>\(item.detail)</system-out>"
                case .notSeen, .unseen:
                    "<skipped message=\"\(item.verdict.rawValue)\(item.detail.isEmpty ? "" : ": ")\(item.detail)\"/>"
                }
            return """
                  <testcase classname="REST API V2 Checklist" name="\(item.rule.id) \(item.rule.title)">\(inside)</testcase>

                """
        }
        let incomplete: HTML =
            remarks.isEmpty ? "" : " <system-out>\(remarks.joined(separator: "; "))</system-out>\n"
        let document: HTML = """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites>
             <testsuite name="acceptance" tests="\(items.count)" failures="\(failed.count)" errors="0" skipped="\(skipped)">
            \(cases)\(incomplete) </testsuite>
            </testsuites>

            """
        return document.text
    }

    /// The report in the form that the name of its file asks for: `.json`, `.xml` for JUnit, and text.
    package func bytes(forFile path: String) -> [UInt8] {
        if path.hasSuffix(".json") { return object.line() }
        return Array((path.hasSuffix(".xml") ? junit : text).utf8)
    }

    /// The items for the overview.
    var table: HTML {
        let rows: [HTML] = items.map { item in
            let calls = item.fails ? item.calls.map { "\($0). " } ?? "" : ""
            return """
                <tr><td>\(item.rule.id)\(item.rule.isMandatory ? ", must" : "")</td><td>\(item.verdict.rawValue)</td>\
                <td>\(item.rule.title)</td><td>\(calls)\(item.explanation)</td></tr>
                """
        }
        return """
            <h2>Acceptance</h2>
            <p>The operator's checklist, and what \(extent.calls.counting("call shows", "calls show")) of it. \
            \(remarks.map { "\($0). " }.joined())<a href="/sim/report">As JSON</a>.</p>
            \(OverviewPage.scrolling("Acceptance"))<table id="acceptance"><thead><tr><th scope="col">Item</th>\
            <th scope="col">Verdict</th><th scope="col">What is asked</th><th scope="col">Why</th></tr></thead>\
            <tbody>\(rows)</tbody></table></div>
            """
    }
}

extension Int {
    /// The number, and what there is so many of: `1 call`, `2 calls`.
    func counting(_ one: String, _ several: String) -> String { "\(self) \(self == 1 ? one : several)" }
}

/// One recorded call for people who look for what went wrong.
package struct RequestLine: Sendable {
    private let call: ReviewedCall

    init(_ call: ReviewedCall) { self.call = call }

    /// Time, endpoint, status, error code, what the code means, and the action, each in its column.
    package var columns: [String] {
        [String(call.number), "\(call.requested)", endpoint, String(call.status)] + error.map(\.text)
    }

    /// The same as JSON; what there is not is left out.
    package func write(to object: inout JSONWriter) {
        object.member("number", call.number)
        object.member("time", "\(call.requested)")
        object.member("endpoint", endpoint)
        object.member("status", call.status)
        for part in error where !part.text.isEmpty { object.member(part.name, part.text) }
    }

    private var endpoint: String { call.endpoint?.rawValue ?? "unknown" }

    /// What is known of the error; only documented names, since any other text is the sender's.
    private var error: [(name: String, text: String)] {
        [
            ("code", call.errorCode?.shown ?? call.registrationError?.shown ?? ""),
            ("meaning", call.errorCode?.meaning?.words ?? ""), ("action", call.errorAction?.shown ?? ""),
        ]
    }
}

extension EnhancedErrorMeaning {
    /// For people, in a few words.
    fileprivate var words: String {
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
