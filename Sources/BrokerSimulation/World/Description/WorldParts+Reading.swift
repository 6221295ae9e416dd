#if Client
import EntitlementValues
import ServiceResponses
import TextCodecs

// One thing of the world each, by the definition that `SimulatedWorld+Writing` writes.

extension SimulatedRequestor {
    init(_ object: JSONObject, _ text: Span<UInt8>) throws(JSONFault) {
        try object.allowOnly([
            "id", "name", "domains", "mvpds", "statements", "serviceTokenKeys", "metadataCertificate",
        ])
        var statements: [SimulatedStatement] = []
        for one in try object.list("statements", text) { statements.append(try SimulatedStatement(one, text)) }
        self.init(
            RequestorID(try object.requiredIdentifier("id", in: text)),
            name: try object.identifier("name", in: text),
            domains: try object.texts("domains", text) ?? [],
            mvpds: (try object.texts("mvpds", text) ?? []).map { MVPDID($0) },
            statements: statements,
            serviceTokenKeys: try object.texts("serviceTokenKeys", text) ?? [],
            metadataCertificate: try object.identifier("metadataCertificate", in: text))
    }
}

extension SimulatedStatement {
    fileprivate init(_ object: JSONObject, _ text: Span<UInt8>) throws(JSONFault) {
        try object.allowOnly(["id", "scopes", "issued", "isRevoked"])
        self.init(id: try object.requiredIdentifier("id", in: text))
        scopes = try object.texts("scopes", text) ?? scopes
        issued = try object.integer("issued", in: text).map { Timestamp(milliseconds: $0) } ?? issued
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
        partner = try object.inner("partner", text).map { one throws(JSONFault) in try PartnerIntegration(one, text) }
        temporaryAccess = try object.inner("temporaryAccess", text).map { one throws(JSONFault) in
            try TemporaryAccess(one, text)
        }
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
            duration: try object.required("duration", try object.length("duration", text)),
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
        for one in try object.list("attributes", text) {
            try one.allowOnly(["name", "value", "isEncrypted"])
            let value = try one.requiredNode("value").value
            let json = String(copying: text.extracting(value.range))
            attributes.append(
                SimulatedAttribute(
                    try one.requiredIdentifier("name", in: text), json: json,
                    isEncrypted: try one.boolean("isEncrypted", in: text) ?? false))
        }
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
