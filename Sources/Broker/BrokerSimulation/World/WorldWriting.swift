#if Client
import EntitlementValues
import ServiceResponses
import TextCodecs

extension SimulatedWorld {
    /// The world as JSON in UTF-8, on one line: the start file of a simulator, and what ``init(json:)`` reads.
    ///
    /// Lengths of time are in milliseconds. It holds public keys and invented people, and no secret.
    public var json: [UInt8] {
        var object = JSONWriter()
        write(to: &object)
        return object.finished
    }

    /// Writes the members of the world's object.
    func write(to object: inout JSONWriter) {
        object.member("requestors", objects: requestors) { $0.write(to: &$1) }
        object.member("mvpds", objects: mvpds) { $0.write(to: &$1) }
        object.member("users", objects: users) { $0.write(to: &$1) }
        object.member("rules", objects: rules) { $0.write(to: &$1) }
        object.member("lifetimes", object: lifetimes.write)
        object.member("limits", object: limits.write)
    }
}

extension SimulatedRequestor {
    fileprivate func write(to object: inout JSONWriter) {
        object.member("id", id.rawValue)
        object.member("name", name)
        object.member("domains", domains)
        object.member("mvpds", mvpds.map(\.rawValue))
        object.member("statements", objects: statements) { $0.write(to: &$1) }
        object.member("serviceTokenKeys", serviceTokenKeys)
        if let metadataCertificate { object.member("metadataCertificate", metadataCertificate) }
    }
}

extension SimulatedStatement {
    fileprivate func write(to object: inout JSONWriter) {
        object.member("id", id)
        object.member("scopes", scopes)
        object.member("issued", issued.milliseconds)
        object.member("isRevoked", isRevoked)
    }
}

extension SimulatedMVPD {
    fileprivate func write(to object: inout JSONWriter) {
        object.member("id", id.rawValue)
        object.member("displayName", displayName)
        object.member("logoUrl", logoURL)
        object.member("hasLogoutPage", hasLogoutPage)
        if let proxy { object.member("proxy", proxy.rawValue) }
        if let partner {
            object.member("partner") { object in
                object.member("mappingId", partner.mappingID)
                object.member("boarding", partner.boarding.rawValue)
                object.member("isEnabled", partner.isEnabled)
                object.member("isInPlatformPicker", partner.isInPlatformPicker)
                object.member("enforcesPermissions", partner.enforcesPermissions)
            }
        }
        if let offer = temporaryAccess {
            object.member("temporaryAccess") { object in
                object.member("duration", offer.duration.milliseconds)
                if let maximum = offer.maximumResources { object.member("maximumResources", maximum) }
                object.member("isPromotional", offer.isPromotional)
            }
        }
    }
}

extension SimulatedUser {
    fileprivate func write(to object: inout JSONWriter) {
        object.member("name", name)
        object.member("guid", guid)
        object.member("behavior", behavior.rawValue)
        object.member("attributes", objects: attributes) { attribute, object in
            object.member("name", attribute.name)
            object.member("value", raw: attribute.json.utf8)
            object.member("isEncrypted", attribute.isEncrypted)
        }
    }
}

extension SimulatedRule {
    fileprivate func write(to object: inout JSONWriter) {
        object.member("id", id)
        if let requestor { object.member("requestor", requestor.rawValue) }
        if let mvpd { object.member("mvpd", mvpd.rawValue) }
        object.member("resources", resources)
        object.member("effect", effect.name)
        if case .deny(let code, let details) = effect {
            object.member("code", code.rawValue)
            if let details { object.member("details", details) }
        }
    }
}

extension SimulatedRule.Effect {
    fileprivate var name: String {
        switch self {
        case .admitAll: "admit-all"
        case .permitAll: "permit-all"
        case .permitNone: "permit-none"
        case .deny: "deny"
        }
    }
}

extension SimulatedLifetimes {
    fileprivate func write(to object: inout JSONWriter) {
        for (name, lifetime) in named { object.member(name, lifetime.milliseconds) }
    }
}

extension SimulatedLimits {
    fileprivate func write(to object: inout JSONWriter) {
        object.member("authorizedResources", authorizedResources)
        object.member("preauthorizedResources", preauthorizedResources)
        object.member("slowness", slowness.milliseconds)
    }
}
#endif
