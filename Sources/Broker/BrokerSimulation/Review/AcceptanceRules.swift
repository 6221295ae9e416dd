#if Client
import BrokerMessages
import EntitlementValues
import ServiceResponses

/// An item of the operator's checklist, and how a story is judged by it.
struct AcceptanceRule: Sendable {
    let id: String
    /// Whether the checklist demands it; the others are recommended.
    let isMandatory: Bool
    let title: String
    /// The name of the operator's page that has more.
    let page: String
    /// What to change where it fails.
    let advice: String
    let judge: @Sendable (ReviewStory) -> Finding

    private init(
        _ id: String,
        _ weight: Weight = .should,
        _ title: String,
        page: String = "REST API V2 Checklist",
        advice: String = "",
        _ judge: @escaping @Sendable (ReviewStory) -> Finding
    ) {
        (self.id, isMandatory, self.title, self.page) = (id, weight == .must, title, page)
        (self.advice, self.judge) = (advice, judge)
    }

    private enum Weight { case must, should }

    /// The checklist, in its order.
    static let all = [
        AcceptanceRule(
            "R1", .must, "The application has the scope of REST API V2",
            page: "Dynamic Client Registration Overview",
            advice: "Have the operator issue a software statement with the scope api:client:v2."
        ) { $0.scope() },
        AcceptanceRule(
            "R2", .must, "Client credentials are stored and used again", page: "Dynamic Client Registration Overview",
            advice: "Keep the credentials for good, and register again only after the error invalid_client."
        ) { $0.registrations() },
        AcceptanceRule(
            "R3", .must, "An access token is used until it ends", page: "Dynamic Client Registration Overview",
            advice: "Keep the access token, and ask for a new one shortly before it ends or after a 401."
        ) { $0.earlyTokens() },
        AcceptanceRule(
            "R4", .should, "An access token is renewed before it is needed, and after a 401",
            page: "Dynamic Client Registration Overview",
            advice: "Ask for a new access token before a call, if the old one has ended or was answered with 401."
        ) { $0.staleTokens() },
        AcceptanceRule(
            "C1", .must, "The configuration is asked for only to let somebody choose a provider",
            advice: "Look for a profile first, and ask for the configuration only to show a list of providers."
        ) { $0.needlessConfigurations() },
        AcceptanceRule(
            "C2", .should, "The configuration is kept for 3 to 5 minutes",
            advice: "Keep the configuration in memory for at least 3 minutes."
        ) { $0.frequentConfigurations() },
        AcceptanceRule("C3", .must, "The provider's choice is stored") { _ in .unseen("show it on the device") },
        AcceptanceRule(
            "A1", .must, "Polling begins in time, and stops",
            page: "Basic authentication flow performed within primary application",
            advice: "Begin to poll when the browser has come back (at once on a second screen), and stop at the "
                + "profile, at the end of the code, and when there is a newer code."
        ) { $0.pollingTimes() },
        AcceptanceRule(
            "A2", .must, "Polls are 3 to 5 seconds apart, not less",
            page: "Basic authentication flow performed within primary application",
            advice: "Wait 3 to 5 seconds from one poll to the next."
        ) { $0.pollingPace() },
        AcceptanceRule(
            "A3", .must, "Profiles are kept", page: "Basic profiles flow performed within primary application",
            advice: "Keep the profiles until they end, and ask again after a sign-in, a logout or a return to the "
                + "foreground."
        ) { $0.repeatedProfiles() },
        AcceptanceRule(
            "A4", .should, "A code typed on a second screen is validated before the browser is sent on",
            page: "Basic authentication flow performed within secondary application",
            advice: "Ask for the session by its code before you send the browser to authenticate."
        ) { $0.unvalidatedCodes() },
        AcceptanceRule("A5", .should, "Several profiles are handled") { $0.severalProfiles() },
        AcceptanceRule(
            "P1", .must, "Preauthorization never decides a play",
            page: "Basic preauthorization flow performed within primary application"
        ) { $0.playDecisions() },
        AcceptanceRule(
            "P2", .must, "Retries of preauthorization follow the error's action, at most 3",
            page: "Enhanced Error Codes",
            advice: "Ask again only for resources whose error has the action retry, and at most 3 times."
        ) { $0.retries(of: .preauthorize, within: .seconds(60)) },
        AcceptanceRule(
            "P3", .must, "Permits of preauthorization are kept in memory",
            page: "Basic preauthorization flow performed within primary application",
            advice: "Keep what was permitted in memory, and ask only for other resources."
        ) { $0.repeatedPermits() },
        AcceptanceRule(
            "Z1", .must, "Each play is authorized before it begins",
            page: "Basic authorization flow performed within primary application"
        ) { story in
            let count = story.calls.count { $0.endpoint == .authorize }
            return .unseen("compare with the plays: \(count) calls of authorize were recorded")
        },
        AcceptanceRule(
            "Z2", .must, "Retries of authorization follow the error's action, at most 3", page: "Enhanced Error Codes",
            advice: "Ask again only if the error has the action retry, and at most 3 times."
        ) { $0.retries(of: .authorize, within: .seconds(10)) },
        AcceptanceRule(
            "L1", .must, "A logout is carried out", page: "Basic logout flow performed within primary application",
            advice: "Open the address in the answer of logout in a browser."
        ) { $0.logouts() },
        AcceptanceRule(
            "L2", .should, "A denial is no reason for a logout",
            page: "Basic logout flow performed within primary application",
            advice: "Show the error, and leave the subscriber signed in."
        ) { $0.hastyLogouts() },
        AcceptanceRule(
            "H1", .must, "Authorization, AP-Device-Identifier and X-Device-Info are on every call",
            advice: "Send the three fields with every call of REST API V2."
        ) { $0.missingFields() },
        AcceptanceRule(
            "H2", .must, "The device's identifier is stable", page: "Header - AP-Device-Identifier",
            advice: "Make the identifier once of what the platform keeps, and send it unchanged."
        ) { $0.changedIdentifiers() },
        AcceptanceRule(
            "H3", .must, "Only known parameters and fields are sent",
            advice: "Leave out what the reference of no endpoint has."
        ) { $0.unknownNames() },
        AcceptanceRule(
            "E1", .must, "Errors in a 200 are told from errors of HTTP, and nothing is repeated for ever",
            page: "Enhanced Error Codes",
            advice: "Read the error's action, and stop where it is none of retry."
        ) { $0.loops() },
        AcceptanceRule(
            "E2", .must, "A 429 is obeyed", page: "Throttling Mechanism",
            advice: "Send nothing until Retry-After is over, and for a second where there is none."
        ) { $0.hastyCalls() },
        AcceptanceRule("T1", .should, "The basic flows were tried") { $0.triedFlows() },
        AcceptanceRule("T2", .must, "The application was tried in the operator's other environments first") { _ in
            .unseen("keep the reports of those environments")
        },
    ]
}

/// What came of an item.
struct Finding: Sendable {
    enum Verdict: String, Sendable {
        case pass
        case fail
        /// There was no occasion.
        case notSeen = "not seen"
        /// No recording of requests could show it.
        case unseen = "cannot be seen"
    }

    var verdict: Verdict
    /// The numbers of the calls that show it.
    var requests: [Int] = []
    var detail = ""

    static func unseen(_ detail: String) -> Finding { Finding(verdict: .unseen, detail: detail) }

    /// A failure at some calls, or what others show; without both, there was no occasion.
    init(faults: [Int], shown: [Int], detail: String = "") {
        verdict = !faults.isEmpty ? .fail : shown.isEmpty ? .notSeen : .pass
        (requests, self.detail) = (faults.isEmpty ? shown : faults, detail)
    }

    init(verdict: Verdict, requests: [Int] = [], detail: String = "") {
        (self.verdict, self.requests, self.detail) = (verdict, requests, detail)
    }
}
#endif
