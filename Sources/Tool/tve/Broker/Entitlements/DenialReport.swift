#if CLI && Client
import EntitlementFlows
import ServiceResponses
import TextCodecs

/// Why a subscriber may not watch, as commands show it.
struct DenialReport {
    let denial: AuthorizationDenial

    /// The broker's code; `denied` if it gave none.
    var code: String { denial.error?.code?.rawValue ?? "denied" }

    /// The reason in lines for people; ``aligned(_:)`` escapes what a terminal would obey.
    var lines: [(name: String, value: String)] {
        var lines: [(name: String, value: String)] = [("code", code)]
        if let message = denial.error?.message { lines.append(("broker", message)) }
        if let message = denial.message { lines.append(("provider", message)) }
        lines += denial.links.map { ("link", $0) }
        if let trace = denial.error?.trace { lines.append(("trace", trace)) }
        return lines
    }

    /// The members of a JSON object: `code`, and as far as the broker gave them `status`, `action`, `message` of the broker,
    /// `details` of the provider without markup, `links` in it, and `trace`.
    func write(to object: inout JSONWriter) {
        object.member("code", code)
        guard let error = denial.error else { return }
        if let status = error.status { object.member("status", status) }
        object.member("action", ifPresent: error.action?.rawValue)
        object.member("message", ifPresent: error.message)
        object.member("details", ifPresent: denial.message)
        if !denial.links.isEmpty { object.member("links", denial.links) }
        object.member("trace", ifPresent: error.trace)
    }
}
#endif
