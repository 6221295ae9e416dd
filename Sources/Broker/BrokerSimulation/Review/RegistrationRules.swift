#if Client
import BrokerMessages
import EntitlementValues

extension AcceptanceRule {
    static let scope = AcceptanceRule(
        id: "R1", title: "The application has the scope of REST API V2",
        page: "Dynamic Client Registration Overview",
        advice: "Have the operator issue a software statement with the scope api:client:v2.",
        answers: [.register, .token]
    ) { story, finding in
        finding.fault(story.calls.filter { $0.hasScope == false })
        finding.show(story.calls.filter { $0.hasScope == true || $0.isService && $0.isSuccess })
    }

    static let registrations = AcceptanceRule(
        id: "R2", title: "Client credentials are stored and used again",
        page: "Dynamic Client Registration Overview",
        advice: "Keep the credentials for good, and register again only after the error invalid_client.",
        answers: [.register],
        judge: eachDevice(from: Set<Pseudonym>()) { call, registered, finding in
            if call.registrationError == .invalidClient { registered = [] }
            guard call.endpoint == .register, call.isSuccess, let statement = call.statement else { return }
            finding.show(call)
            if !registered.insert(statement).inserted { finding.fault(call) }
        })

    static let earlyTokens = AcceptanceRule(
        id: "R3", title: "An access token is used until it ends",
        page: "Dynamic Client Registration Overview",
        advice: "Keep the access token, and ask for a new one shortly before it ends or after a 401.",
        answers: [.token],
        judge: eachDevice(from: [Pseudonym: Timestamp]()) { call, ends, finding in
            if call.status == 401 { ends = [:] }
            guard call.endpoint == .token, call.isSuccess, let client = call.client else { return }
            finding.show(call)
            if let end = ends[client], call.requested + .minutes(5) < end { finding.fault(call) }
            ends[client] = call.issuedUntil
        })

    static let staleTokens = AcceptanceRule(
        id: "R4", isMandatory: false, title: "An access token is renewed before it is needed, and after a 401",
        page: "Dynamic Client Registration Overview",
        advice: "Ask for a new access token before a call, if the old one has ended or was answered with 401.",
        answers: [.token]
    ) { story, finding in
        var (refused, ends): ([Pseudonym: Timestamp], [Pseudonym: Timestamp]) = ([:], [:])
        for call in story.calls {
            if let issued = call.issued { ends[issued] = call.issuedUntil }
            guard let token = call.token, call.isService else { continue }
            let limits = [refused[token], ends[token]].compactMap(\.self)
            if limits.contains(where: { $0 < call.requested }) { finding.fault(call) }
            if call.status == 401 { refused[token] = min(call.answered, refused[token] ?? call.answered) }
            if call.status == 401 || ends[token] != nil { finding.show(call) }
        }
    }
}
#endif
