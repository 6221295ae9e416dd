#if Client
public import EntitlementValues
public import ServiceResponses

/// What providers or the operator decide for some resources.
public struct SimulatedRule: Sendable, Hashable {
    /// What a rule does.
    public enum Effect: Sendable, Hashable {
        /// Users need not sign in, and everything is permitted (the operator's AuthNAll).
        ///
        /// A rule for some resources permits these to everybody; sessions and profiles stay as they are.
        case admitAll
        /// Everything is permitted to users who are signed in (AuthZAll).
        case permitAll
        /// Nothing is permitted (AuthZNone).
        case permitNone
        /// The provider denies, with this code and perhaps a text for the viewer.
        case deny(EnhancedErrorCode, details: String?)
    }

    /// The name by which it is changed and removed.
    public var id: String
    /// The brand for which it is; `nil` for all.
    public var requestor: RequestorID?
    /// The provider for which it is; `nil` for all.
    public var mvpd: MVPDID?
    /// The resources for which it is: an id, or the start of ids with `*` after it.
    ///
    /// `*` alone is for all.
    public var resources: String
    /// What it does.
    public var effect: Effect

    /// Makes a rule.
    ///
    /// - Parameters:
    ///   - id: The name by which it is changed and removed.
    ///   - requestor: The brand for which it is; `nil` for all.
    ///   - mvpd: The provider for which it is; `nil` for all.
    ///   - resources: The resources for which it is.
    ///   - effect: What it does.
    public init(
        _ id: String,
        requestor: RequestorID? = nil,
        mvpd: MVPDID? = nil,
        resources: String = "*",
        effect: Effect
    ) {
        (self.id, self.requestor, self.mvpd) = (id, requestor, mvpd)
        (self.resources, self.effect) = (resources, effect)
    }

    func applies(to requestor: RequestorID, _ mvpd: MVPDID) -> Bool {
        (self.requestor ?? requestor) == requestor && (self.mvpd ?? mvpd) == mvpd
    }

    /// Compares bytes: resources that only look alike are different ones.
    func covers(_ resource: ResourceID) -> Bool {
        guard resources.utf8.last == UInt8(ascii: "*") else { return ResourceID(resources) == resource }
        return resource.rawValue.utf8.starts(with: resources.utf8.dropLast())
    }
}

extension SimulatedWorld {
    /// The first rule that degrades the whole integration of a brand with a provider; one for some resources does not.
    func admittingRule(for requestor: RequestorID, _ mvpd: MVPDID) -> SimulatedRule? {
        rules.first { $0.effect == .admitAll && $0.resources == "*" && $0.applies(to: requestor, mvpd) }
    }

    /// The first rule for a resource.
    func rule(for resource: ResourceID, of requestor: RequestorID, _ mvpd: MVPDID) -> SimulatedRule? {
        rules.first { $0.applies(to: requestor, mvpd) && $0.covers(resource) }
    }
}
#endif
