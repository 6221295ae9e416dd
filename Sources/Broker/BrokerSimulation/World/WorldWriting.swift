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
        object.member("requestors", requestors.map(\.object))
        object.member("mvpds", mvpds.map(\.object))
        object.member("users", users.map(\.object))
        object.member("rules", rules.map(\.object))
        object.member("lifetimes", lifetimes.object)
        object.member("limits", limits.object)
        return object.finished
    }
}

extension SimulatedRequestor {
    fileprivate var object: JSONWriter {
        var object = JSONWriter()
        object.member("id", id.rawValue)
        object.member("name", name)
        object.member("domains", domains)
        object.member("mvpds", mvpds.map(\.rawValue))
        object.member("statements", statements.map(\.object))
        object.member("serviceTokenKeys", serviceTokenKeys)
        if let metadataCertificate { object.member("metadataCertificate", metadataCertificate) }
        return object
    }
}

extension SimulatedStatement {
    fileprivate var object: JSONWriter {
        var object = JSONWriter()
        object.member("id", id)
        object.member("scopes", scopes)
        object.member("issued", issued.milliseconds)
        object.member("isRevoked", isRevoked)
        return object
    }
}

extension SimulatedMVPD {
    fileprivate var object: JSONWriter {
        var object = JSONWriter()
        object.member("id", id.rawValue)
        object.member("displayName", displayName)
        object.member("logoUrl", logoURL)
        object.member("hasLogoutPage", hasLogoutPage)
        if let proxy { object.member("proxy", proxy.rawValue) }
        if let partner {
            object.name("partner")
            object.object { object in
                object.member("mappingId", partner.mappingID)
                object.member("boarding", partner.boarding.rawValue)
                object.member("isEnabled", partner.isEnabled)
                object.member("isInPlatformPicker", partner.isInPlatformPicker)
                object.member("enforcesPermissions", partner.enforcesPermissions)
            }
        }
        if let offer = temporaryAccess {
            object.name("temporaryAccess")
            object.object { object in
                object.member("duration", offer.duration.milliseconds)
                if let maximum = offer.maximumResources { object.member("maximumResources", maximum) }
                object.member("isPromotional", offer.isPromotional)
            }
        }
        return object
    }
}

extension SimulatedUser {
    fileprivate var object: JSONWriter {
        var object = JSONWriter()
        object.member("name", name)
        object.member("guid", guid)
        object.member("behavior", behavior.rawValue)
        object.member(
            "attributes",
            attributes.map { attribute in
                var object = JSONWriter()
                object.member("name", attribute.name)
                object.member("value", raw: attribute.json.utf8)
                object.member("isEncrypted", attribute.isEncrypted)
                return object
            })
        return object
    }
}

extension SimulatedRule {
    fileprivate var object: JSONWriter {
        var object = JSONWriter()
        object.member("id", id)
        if let requestor { object.member("requestor", requestor.rawValue) }
        if let mvpd { object.member("mvpd", mvpd.rawValue) }
        object.member("resources", resources)
        object.member("effect", effect.name)
        if case .deny(let code, let details) = effect {
            object.member("code", code.rawValue)
            if let details { object.member("details", details) }
        }
        return object
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
    fileprivate var object: JSONWriter {
        var object = JSONWriter()
        for (name, lifetime) in named { object.member(name, lifetime.milliseconds) }
        return object
    }
}

extension SimulatedLimits {
    fileprivate var object: JSONWriter {
        var object = JSONWriter()
        object.member("authorizedResources", authorizedResources)
        object.member("preauthorizedResources", preauthorizedResources)
        object.member("slowness", slowness.milliseconds)
        return object
    }
}
#endif
