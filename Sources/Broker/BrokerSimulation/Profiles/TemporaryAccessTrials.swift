#if Client
import EntitlementValues
import ServiceResponses
import TextCodecs

/// Whose temporary access is counted.
struct TrialKey: Sendable, Hashable {
    enum Subject: Sendable, Hashable {
        case device(String)
        /// The JSON of the identity that the application sent.
        case identity(String)
    }

    let requestor: RequestorID
    let mvpd: MVPDID
    let subject: Subject
}

/// How much of an offer was used.
struct Trial: Sendable, Hashable {
    /// The first authorization, from which the time runs.
    let started: Timestamp
    /// The different resources that were permitted, in their order.
    var resources: [ResourceID] = []
    /// The persons, as JSON, whose use a device's count has: a reset for one of them gives the device its access anew.
    var people: Set<String> = []
}

/// What is left of an offer for one viewer: of several counts, the one with the least left.
struct TrialBalance: Sendable, Hashable {
    let offer: TemporaryAccess
    let trials: [Trial]

    /// The first authorization; `nil` before it.
    var started: Timestamp? { trials.map(\.started).min() }

    func end(at now: Timestamp) -> Timestamp { (started ?? now) + offer.duration }

    /// The resources that were permitted, by any count.
    var used: [ResourceID] {
        trials.flatMap(\.resources).reduce(into: []) { used, resource in
            if !used.contains(resource) { used.append(resource) }
        }
    }

    /// How many further resources may be watched; `nil` for any number.
    var remaining: Int? {
        offer.maximumResources.map { maximum in max(0, maximum - (trials.map(\.resources.count).max() ?? 0)) }
    }

    func isOver(at now: Timestamp) -> Bool { started != nil && now >= end(at: now) }

    /// Whether a resource may be watched as far as the number of resources goes.
    func allows(_ resource: ResourceID) -> Bool {
        guard let maximum = offer.maximumResources else { return true }
        return trials.allSatisfy { $0.resources.count < maximum || $0.resources.contains(resource) }
    }
}

extension SimulatorState {
    func balance(of offer: TemporaryAccess, _ keys: [TrialKey]) -> TrialBalance {
        TrialBalance(offer: offer, trials: keys.compactMap { trials[$0] })
    }

    /// Counts a permitted resource.
    mutating func use(_ resource: ResourceID, of keys: [TrialKey], at now: Timestamp) {
        let people = keys.compactMap { key -> String? in
            if case .identity(let json) = key.subject { json } else { nil }
        }
        for key in keys {
            var trial = trials[key] ?? Trial(started: now)
            if !trial.resources.contains(resource) { trial.resources.append(resource) }
            if case .device = key.subject { trial.people.formUnion(people) }
            trials[key] = trial
        }
    }
}

extension Refusal {
    /// A reset by a client that may not make it: the reference says that it needs other credentials.
    static func forbiddenReset(_ code: EnhancedErrorCode) -> Refusal {
        .error(EnhancedError(action: .applicationRegistration, status: 403, code: code))
    }
}

extension Exchange {
    /// `DELETE /reset-tempass/v3/reset` and `…/generic`: gives temporary access anew, to a device or to a person with
    /// the devices that the person used, or to all of them.
    ///
    /// It takes an access token of the scope `temporary:passes:owner`.
    mutating func resetTrials(promotional isPromotional: Bool, _ state: inout SimulatorState) throws(Refusal) -> Reply {
        let client = try authenticatedClient(state)
        let world = state.world
        guard let form = FormFields(filledIn: query), let id = form["requestor_id"],
            let requestor = world.requestor(RequestorID(id))
        else { throw .code(.invalidParameterServiceProvider) }
        guard client.requestor == requestor.id else {
            throw .forbiddenReset(.invalidAccessTokenServiceProvider)
        }
        guard let mvpdID = form["mvpd_id"], let mvpd = world.mvpd(MVPDID(mvpdID)),
            mvpd.temporaryAccess?.isPromotional == isPromotional || mvpd.temporaryAccess != nil && !isPromotional
        else { throw .code(.invalidParameterMVPD) }
        self.mvpd = mvpd.id
        let subject = isPromotional ? form["key"] : form["device_id"] ?? "all"
        guard let subject else { throw .error(EnhancedError(status: 400, message: "The key is missing.")) }
        let names = Self.readings(ofDevice: subject)
        state.trials = state.trials.filter { key, trial in
            guard key.requestor == requestor.id, key.mvpd == mvpd.id else { return true }
            let isReset =
                switch (key.subject, isPromotional) {
                case (_, true) where subject == "all": true
                case (.identity(let person), true): Self.keys(ofIdentity: person).contains(subject)
                // What the person used counted for the device, too: else its count would refuse the person still.
                case (.device, true): trial.people.contains { Self.keys(ofIdentity: $0).contains(subject) }
                case (.device(let device), false): subject == "all" || names.contains(device)
                case (.identity, false): false
                }
            return !isReset
        }
        return Reply()
    }

    /// A person may be named by any text of the identity, or by the SHA-256 of one: applications may hash themselves.
    private static func keys(ofIdentity json: String) -> [String] {
        let values = json.withBytes { text -> [String] in
            guard let object = try? JSONObject(text, in: 0..<text.count) else { return [] }
            return object.members.list.compactMap {
                $0.node.value.kind == .string ? $0.node.value.string(in: text) : nil
            }
        }
        return values + values.compactMap { try? hash(of: $0) }
    }

    /// A device may be named by its identifier, or as the header has it: in Base64, with or without its type.
    private static func readings(ofDevice text: String) -> [String] {
        let encoded = text.utf8.starts(with: "fingerprint ".utf8) ? String(text.dropFirst(12)) : text
        let decoded = Base64.decode(Array(encoded.utf8), options: .canonical)
            .flatMap { bytes in bytes.withSpan { String(validating: $0) } }
        return [text] + (decoded.map { [$0] } ?? [])
    }
}
#endif
