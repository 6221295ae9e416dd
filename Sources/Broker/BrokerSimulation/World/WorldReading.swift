#if Client
import EntitlementValues
import ServiceResponses
import TextCodecs

extension SimulatedWorld {
    /// Reads a world from JSON, as ``json`` writes it.
    ///
    /// What has a default may be left out; members of other names are refused, since a misspelt one would be ignored.
    /// Whether the world contradicts itself is checked when a simulator is made with it.
    ///
    /// - Parameter json: The whole text, in UTF-8; a byte order mark before it is dropped.
    /// - Throws: `SimulationError.unreadableWorld`.
    public init(json: [UInt8]) throws(SimulationError) {
        if json.withSpan({ $0.looksLikeUTF16 }) { throw .unreadableWorld(reason: "\(ForeignEncoding.utf16)") }
        self = try rethrowing(
            json.withSpan { text throws(JSONFault) in
                // Everything is read first, so that broken JSON is found wherever it is.
                _ = try JSONReader.node(of: text, in: text.afterByteOrderMark)
                let object = try JSONObject(text, in: text.afterByteOrderMark, nulls: .countAsAbsent)
                return try SimulatedWorld(object, text)
            }
        ) { (fault: JSONFault) in SimulationError.unreadableWorld(reason: fault.reason) }
    }

    init(_ object: JSONObject, _ text: Span<UInt8>) throws(JSONFault) {
        try object.allowOnly(["requestors", "mvpds", "users", "rules", "lifetimes", "limits"])
        self.init(
            requestors: try object.parts("requestors", in: text, reading: SimulatedRequestor.init),
            mvpds: try object.parts("mvpds", in: text, reading: SimulatedMVPD.init),
            users: try object.parts("users", in: text, reading: SimulatedUser.init),
            rules: try object.parts("rules", in: text, reading: SimulatedRule.init))
        lifetimes = try object.part("lifetimes", in: text, reading: SimulatedLifetimes.init) ?? lifetimes
        limits = try object.part("limits", in: text, reading: SimulatedLimits.init) ?? limits
    }
}

extension SimulatedLifetimes {
    fileprivate init(_ object: JSONObject, _ text: Span<UInt8>) throws(JSONFault) {
        self.init()
        try object.allowOnly(Set(named.map(\.name)))
        accessToken = try object.length("accessToken", in: text) ?? accessToken
        code = try object.length("code", in: text) ?? code
        profile = try object.length("profile", in: text) ?? profile
        decision = try object.length("decision", in: text) ?? decision
        mediaToken = try object.length("mediaToken", in: text) ?? mediaToken
    }
}

extension SimulatedLimits {
    fileprivate init(_ object: JSONObject, _ text: Span<UInt8>) throws(JSONFault) {
        self.init()
        try object.allowOnly(["authorizedResources", "preauthorizedResources", "slowness"])
        authorizedResources = try object.count("authorizedResources", text) ?? authorizedResources
        preauthorizedResources = try object.count("preauthorizedResources", text) ?? preauthorizedResources
        slowness = try object.length("slowness", in: text) ?? slowness
    }
}

extension JSONObject {
    /// The texts in a member; `nil` if it is absent.
    func texts(_ name: String, _ text: Span<UInt8>) throws(JSONFault) -> [String]? {
        node(name) == nil ? nil : try identifiers(name, in: text)
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

// One thing of the world each, by the definition that `SimulatedWorld+Writing` writes.

extension SimulatedRequestor {
    init(_ object: JSONObject, _ text: Span<UInt8>) throws(JSONFault) {
        try object.allowOnly([
            "id", "name", "domains", "mvpds", "statements", "serviceTokenKeys", "metadataCertificate",
        ])
        self.init(
            RequestorID(try object.requiredIdentifier("id", in: text)),
            name: try object.identifier("name", in: text),
            domains: try object.texts("domains", text) ?? [],
            mvpds: (try object.texts("mvpds", text) ?? []).map { MVPDID($0) },
            statements: try object.parts("statements", in: text, reading: SimulatedStatement.init),
            serviceTokenKeys: try object.texts("serviceTokenKeys", text) ?? [],
            metadataCertificate: try object.identifier("metadataCertificate", in: text))
    }
}

extension SimulatedStatement {
    fileprivate init(_ object: JSONObject, _ text: Span<UInt8>) throws(JSONFault) {
        try object.allowOnly(["id", "scopes", "issued", "isRevoked"])
        self.init(id: try object.requiredIdentifier("id", in: text))
        scopes = try object.texts("scopes", text) ?? scopes
        issued = try object.instant("issued", in: text) ?? issued
        isRevoked = try object.boolean("isRevoked", in: text) ?? isRevoked
    }
}

extension SimulatedMVPD {
    init(_ object: JSONObject, _ text: Span<UInt8>) throws(JSONFault) {
        try object.allowOnly([
            "id", "displayName", "logoUrl", "hasLogoutPage", "proxy", "partner", "temporaryAccess",
        ])
        let id = try object.requiredIdentifier("id", in: text)
        self.init(MVPDID(id), displayName: try object.identifier("displayName", in: text) ?? id)
        logoURL = try object.identifier("logoUrl", in: text) ?? logoURL
        hasLogoutPage = try object.boolean("hasLogoutPage", in: text) ?? hasLogoutPage
        proxy = try object.identifier("proxy", in: text).map { MVPDID($0) }
        partner = try object.part("partner", in: text, reading: PartnerIntegration.init)
        temporaryAccess = try object.part("temporaryAccess", in: text, reading: TemporaryAccess.init)
    }
}

extension PartnerIntegration {
    fileprivate init(_ object: JSONObject, _ text: Span<UInt8>) throws(JSONFault) {
        try object.allowOnly(["mappingId", "boarding", "isEnabled", "isInPlatformPicker", "enforcesPermissions"])
        let boarding: Boarding? = try object.word("boarding", text)
        self.init(
            mappingID: try object.requiredIdentifier("mappingId", in: text),
            boarding: try object.required("boarding", boarding))
        isEnabled = try object.boolean("isEnabled", in: text) ?? isEnabled
        isInPlatformPicker = try object.boolean("isInPlatformPicker", in: text) ?? isInPlatformPicker
        enforcesPermissions = try object.boolean("enforcesPermissions", in: text) ?? enforcesPermissions
    }
}

extension TemporaryAccess {
    fileprivate init(_ object: JSONObject, _ text: Span<UInt8>) throws(JSONFault) {
        try object.allowOnly(["duration", "maximumResources", "isPromotional"])
        self.init(
            duration: try object.required("duration", try object.length("duration", in: text)),
            maximumResources: try object.count("maximumResources", text),
            isPromotional: try object.boolean("isPromotional", in: text) ?? false)
    }
}

extension SimulatedUser {
    init(_ object: JSONObject, _ text: Span<UInt8>) throws(JSONFault) {
        try object.allowOnly(["name", "guid", "behavior", "attributes"])
        self.init(
            try object.requiredIdentifier("name", in: text), guid: try object.requiredIdentifier("guid", in: text))
        behavior = try object.word("behavior", text) ?? behavior
        attributes = try object.parts("attributes", in: text, reading: SimulatedAttribute.init)
    }
}

extension SimulatedAttribute {
    fileprivate init(_ object: JSONObject, _ text: Span<UInt8>) throws(JSONFault) {
        try object.allowOnly(["name", "value", "isEncrypted"])
        let value = try object.requiredNode("value").value
        self.init(
            try object.requiredIdentifier("name", in: text), json: String(copying: text.extracting(value.range)),
            isEncrypted: try object.boolean("isEncrypted", in: text) ?? false)
    }
}

extension SimulatedRule {
    init(_ object: JSONObject, _ text: Span<UInt8>) throws(JSONFault) {
        try object.allowOnly(["id", "requestor", "mvpd", "resources", "effect", "code", "details"])
        self.init(
            try object.requiredIdentifier("id", in: text),
            requestor: try object.identifier("requestor", in: text).map { RequestorID($0) },
            mvpd: try object.identifier("mvpd", in: text).map { MVPDID($0) },
            resources: try object.identifier("resources", in: text) ?? "*",
            effect: try Effect(object, text))
    }
}

extension SimulatedRule.Effect {
    private enum Name: String, CaseIterable {
        case admitAll = "admit-all"
        case permitAll = "permit-all"
        case permitNone = "permit-none"
        case deny
    }

    fileprivate init(_ object: JSONObject, _ text: Span<UInt8>) throws(JSONFault) {
        let name: Name? = try object.word("effect", text)
        switch try object.required("effect", name) {
        case .admitAll: self = .admitAll
        case .permitAll: self = .permitAll
        case .permitNone: self = .permitNone
        case .deny:
            self = .deny(
                EnhancedErrorCode(try object.requiredIdentifier("code", in: text)),
                details: try object.string("details", in: text))
        }
    }
}
#endif
