#if Client
import EntitlementKeys
import EntitlementValues
import ServiceResponses
import TextCodecs

extension SimulatedWorld {
    /// Refuses a world that contradicts itself, before a client finds out by an answer that makes no sense.
    func check() throws(SimulationError) {
        try checkDistinct(requestors.map(\.id.rawValue), "requestor")
        try checkDistinct(mvpds.map(\.id.rawValue), "MVPD")
        try checkDistinct(users.map(\.name), "user")
        try checkDistinct(rules.map(\.id), "rule")
        try checkDistinct(requestors.flatMap(\.statements).map(\.id), "software statement")
        try checkDistinct(mvpds.compactMap(\.partner?.mappingID), "mapping id")
        try checkReferences()
        try checkValues()
    }

    private func checkDistinct(_ names: [String], _ kind: String) throws(SimulationError) {
        var seen: Set<[UInt8]> = []
        for name in names where !seen.insert(Array(name.utf8)).inserted || name.isEmpty {
            throw .world(name.isEmpty ? .unsuitable(kind: kind, name: name) : .duplicate(kind: kind, name: name))
        }
    }

    private func checkReferences() throws(SimulationError) {
        for requestor in requestors {
            for id in requestor.mvpds where mvpd(id) == nil {
                throw .world(.missing(kind: "MVPD", name: id.rawValue))
            }
        }
        for rule in rules {
            if let id = rule.requestor, requestor(id) == nil {
                throw .world(.missing(kind: "requestor", name: id.rawValue))
            }
            if let id = rule.mvpd, mvpd(id) == nil { throw .world(.missing(kind: "MVPD", name: id.rawValue)) }
        }
    }

    private func checkValues() throws(SimulationError) {
        for (name, lifetime) in lifetimes.named where lifetime <= .zero {
            throw .world(.unsuitable(kind: "lifetime", name: name))
        }
        guard limits.authorizedResources > 0, limits.preauthorizedResources > 0, limits.slowness >= .zero else {
            throw .world(.unsuitable(kind: "limits", name: "world"))
        }
        // These cannot be a segment of a path.
        for id in requestors.map(\.id.rawValue) + mvpds.map(\.id.rawValue) where id == "." || id == ".." {
            throw .world(.unsuitable(kind: "id", name: id))
        }
        for mvpd in mvpds {
            guard let offer = mvpd.temporaryAccess else { continue }
            guard offer.duration > .zero, offer.maximumResources ?? 1 > 0 else {
                throw .world(.unsuitable(kind: "temporary access", name: mvpd.id.rawValue))
            }
        }
        for user in users {
            for attribute in user.attributes where JSONText(parsing: attribute.json) == nil {
                throw .world(.unsuitable(kind: "attribute \(attribute.name)", name: user.name))
            }
        }
        for requestor in requestors { try requestor.checkKeys() }
    }
}

extension SimulatedLifetimes {
    /// Each with its name in JSON.
    var named: [(name: String, lifetime: TimeToLive)] {
        [
            ("accessToken", accessToken), ("code", code), ("profile", profile), ("decision", decision),
            ("mediaToken", mediaToken),
        ]
    }
}

extension SimulatedRequestor {
    fileprivate func checkKeys() throws(SimulationError) {
        let texts = serviceTokenKeys.map { ("service token key", $0) }
        for (kind, pem) in texts + (metadataCertificate.map { [("metadata certificate", $0)] } ?? [])
        where (try? VerificationKeys(Array(pem.utf8), named: kind)) == nil {
            throw .world(.unsuitable(kind: kind, name: id.rawValue))
        }
    }
}

/// What is wrong with a world.
@nonexhaustive
public enum WorldFault: Error, Sendable, Hashable {
    /// Two things of a kind have the same name.
    case duplicate(kind: String, name: String)
    /// A thing names another that is not there.
    case missing(kind: String, name: String)
    /// A value that cannot be used.
    case unsuitable(kind: String, name: String)
}

extension WorldFault: CustomStringConvertible {
    /// What is wrong with which thing.
    public var description: String {
        switch self {
        case .duplicate(let kind, let name): "there are two of the \(kind) \(name.printable)"
        case .missing(let kind, let name): "the \(kind) \(name.printable) is named but does not exist"
        case .unsuitable(let kind, let name): "the \(kind) of \(name.printable) cannot be used"
        }
    }
}
#endif
