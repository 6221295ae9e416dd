#if Client
public import EntitlementValues
public import ServiceResponses
import TextCodecs

/// The broker's decisions about the resources that were asked for.
///
/// The broker may answer in any order, leave resources out, and write white space around their texts. Here each decision
/// belongs to the resource that was asked for.
public struct ResourceDecisions: Sendable {
    /// The resources that were asked for, each once, in the order of the request.
    public private(set) var resources: [ResourceID]
    /// Decisions about resources that were not asked for, and further ones about a resource that is decided already.
    ///
    /// If two contradict each other, the denial counts, and the permit is here.
    public private(set) var unexpected: [Decision] = []
    /// Errors of the decisions that could not be read, and warnings about implausible times.
    public private(set) var faults: [ServiceResponseError] = []
    /// Why not all resources were asked for: the failure of a request after one that was answered; `nil` if none failed.
    ///
    /// The resources of that request and of those after it are ``unanswered``.
    public internal(set) var failure: BrokerError?
    /// The decisions, by the trimmed text of the resource.
    private var answers: [ResourceID: Decision] = [:]

    /// The decisions, in the order of the request.
    public var decisions: [Decision] { resources.compactMap { self[$0] } }

    /// The resources that the broker did not decide about, in the order of the request.
    ///
    /// Nothing permits them.
    public var unanswered: [ResourceID] { resources.filter { self[$0] == nil } }

    /// The decision about a resource.
    ///
    /// - Parameter resource: The resource, as it was asked for; white space around it does not count.
    /// - Returns: The decision; `nil` if the broker did not decide, or was not asked.
    public subscript(resource: ResourceID) -> Decision? { answers[resource.trimmed] }

    /// Prepares a request.
    ///
    /// Of resources that differ only by white space around them, the first is taken.
    init(asking resources: [ResourceID]) {
        guard resources.count > 1 else {
            self.resources = resources
            return
        }
        var seen: Set<ResourceID> = []
        self.resources = resources.filter { seen.insert($0.trimmed).inserted }
    }

    /// Takes decisions in: the first of each resource that was asked for, and a denial instead of a permit before it.
    ///
    /// `haveTokens` says whether a permit brings a signed token, which decides if the permit has an error beside it.
    /// Without one, an error that is a verdict denies.
    mutating func take(_ response: DecisionsResponse, haveTokens: Bool) {
        let asked = Set(resources.map(\.trimmed))
        for var decision in response.decisions {
            if !haveTokens, decision.error?.isVerdict == true { decision = decision.denied }
            let resource = decision.resource.trimmed
            switch answers[resource] {
            case nil where asked.contains(resource): answers[resource] = decision
            case let permit? where permit.isAuthorized && !decision.isAuthorized:
                unexpected.append(permit)
                answers[resource] = decision
            default: unexpected.append(decision)
            }
        }
        faults += response.faults
    }

    /// Takes the decisions of a request for other resources, or for the same ones later, which replaces them.
    mutating func take(_ later: ResourceDecisions) {
        answers.merge(later.answers) { $1 }
        unexpected += later.unexpected
        faults += later.faults
    }

    /// Takes an error of the whole call as that of each resource.
    mutating func refuseAll(with error: EnhancedError, requestor: RequestorID, mvpd: MVPDID) {
        for resource in resources {
            answers[resource.trimmed] = Decision(
                resource: resource, serviceProvider: requestor, mvpd: mvpd, isAuthorized: false, error: error)
        }
    }

    /// The resources that the broker says to try again, in the order of the request.
    ///
    /// Those of temporary access are not among them, since a second decision could use up its budget twice.
    var failed: [ResourceID] {
        resources.filter { resource in
            guard let decision = self[resource] else { return false }
            return !decision.isAuthorized && decision.error?.action == .retry && decision.source != .temporaryAccess
        }
    }
}

extension ResourceDecisions: CustomStringConvertible {
    /// The decisions, the unanswered resources, the faults and the failure, without the tokens.
    public var description: String {
        (decisions.map(\.description) + unanswered.map { "\($0.rawValue.printable): no answer" }
            + faults.map(\.hidingNames.description) + [failure].compactMap(\.?.description)).joined(separator: "; ")
    }
}

extension Decision {
    /// The same decision as a denial.
    fileprivate var denied: Decision {
        Decision(
            resource: resource, serviceProvider: serviceProvider, mvpd: mvpd, source: source, isAuthorized: false,
            notBefore: notBefore, notAfter: notAfter, token: token, error: error, unknownFields: unknownFields)
    }
}

extension EnhancedError {
    /// Whether the error is a verdict about the user, which a call for decisions may bring for each resource or for all of
    /// them at once: it is not documented which.
    var isVerdict: Bool {
        guard let code = code?.rawValue else { return false }
        return Self.verdicts.contains { code.hasPrefix($0) }
    }

    private static let verdicts = [
        "authenticated_profile_", "authorization_denied_", "identity_not_recognized_", "preauthorization_denied_",
        "temporary_access_",
    ]
}

extension ResourceID {
    /// The resource without white space around it, by which the broker's samples match answers to requests.
    package var trimmed: ResourceID {
        guard let first = rawValue.utf8.first, let last = rawValue.utf8.last, first.isWhiteSpace || last.isWhiteSpace
        else { return self }
        return rawValue.withBytes { text in
            ResourceID(String(copying: text.extracting(text.trimmingWhiteSpace(0..<text.count))))
        }
    }
}
#endif
