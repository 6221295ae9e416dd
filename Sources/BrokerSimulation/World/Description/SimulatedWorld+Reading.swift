#if Client
import EntitlementValues
import TextCodecs

extension SimulatedWorld {
    /// Reads a world from JSON, as ``json`` writes it.
    ///
    /// What has a default may be left out; members of other names are refused, since a misspelt one would be ignored.
    /// Whether the world contradicts itself is checked when a simulator is made with it.
    ///
    /// - Parameter json: The whole text, in UTF-8.
    /// - Throws: `SimulationError.unreadableWorld`.
    public init(json: [UInt8]) throws(SimulationError) {
        do throws(JSONFault) {
            self = try json.withSpan { text throws(JSONFault) in
                // Everything is read first, so that broken JSON is found wherever it is.
                _ = try JSONReader.node(of: text, in: 0..<text.count)
                return try SimulatedWorld(try JSONObject(text, in: 0..<text.count, nulls: .countAsAbsent), text)
            }
        } catch {
            throw .unreadableWorld(reason: error.reason)
        }
    }

    init(_ object: JSONObject, _ text: Span<UInt8>) throws(JSONFault) {
        try object.allowOnly(["requestors", "mvpds", "users", "rules", "lifetimes", "limits"])
        self.init(requestors: [], mvpds: [], users: [])
        for one in try object.list("requestors", text) { requestors.append(try SimulatedRequestor(one, text)) }
        for one in try object.list("mvpds", text) { mvpds.append(try SimulatedMVPD(one, text)) }
        for one in try object.list("users", text) { users.append(try SimulatedUser(one, text)) }
        for one in try object.list("rules", text) { rules.append(try SimulatedRule(one, text)) }
        if let one = try object.inner("lifetimes", text) { try lifetimes.read(one, text) }
        if let one = try object.inner("limits", text) { try limits.read(one, text) }
    }
}

extension SimulatedLifetimes {
    fileprivate mutating func read(_ object: JSONObject, _ text: Span<UInt8>) throws(JSONFault) {
        try object.allowOnly(Set(named.map(\.name)))
        accessToken = try object.length("accessToken", text) ?? accessToken
        code = try object.length("code", text) ?? code
        profile = try object.length("profile", text) ?? profile
        decision = try object.length("decision", text) ?? decision
        mediaToken = try object.length("mediaToken", text) ?? mediaToken
    }
}

extension SimulatedLimits {
    fileprivate mutating func read(_ object: JSONObject, _ text: Span<UInt8>) throws(JSONFault) {
        try object.allowOnly(["authorizedResources", "preauthorizedResources", "slowness"])
        authorizedResources = try object.count("authorizedResources", text) ?? authorizedResources
        preauthorizedResources = try object.count("preauthorizedResources", text) ?? preauthorizedResources
        slowness = try object.length("slowness", text) ?? slowness
    }
}

extension JSONObject {
    /// The objects in a member; none if it is absent.
    func list(_ name: String, _ text: Span<UInt8>) throws(JSONFault) -> [JSONObject] {
        node(name) == nil ? [] : try objects(name, in: text)
    }

    /// The texts in a member; `nil` if it is absent.
    func texts(_ name: String, _ text: Span<UInt8>) throws(JSONFault) -> [String]? {
        node(name) == nil ? nil : try identifiers(name, in: text)
    }

    /// An object in a member; `nil` if it is absent.
    func inner(_ name: String, _ text: Span<UInt8>) throws(JSONFault) -> JSONObject? {
        guard let node = node(name) else { return nil }
        return try JSONObject(text, in: node.value.range, at: location + name, nulls: .countAsAbsent)
    }

    /// A length of time in milliseconds.
    func length(_ name: String, _ text: Span<UInt8>) throws(JSONFault) -> TimeToLive? {
        try integer(name, in: text).map { TimeToLive(milliseconds: $0) }
    }

    func count(_ name: String, _ text: Span<UInt8>) throws(JSONFault) -> Int? {
        try integer(name, in: text).map { Int(clamping: $0) }
    }

    /// One of the words of a list.
    func word<Word: RawRepresentable & CaseIterable>(
        _ name: String,
        _ text: Span<UInt8>
    ) throws(JSONFault) -> Word? where Word.RawValue == String {
        guard let raw = try string(name, in: text) else { return nil }
        guard let word = Word(rawValue: raw) else {
            let known = Word.allCases.map(\.rawValue).joined(separator: ", ")
            throw JSONFault(.notAllowed, at: location + name, "is none of \(known)")
        }
        return word
    }
}
#endif
