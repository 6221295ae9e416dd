package import EntitlementValues
import MetadataDecryption
package import TextCodecs

/// A response that can also be written: a simulated service answers with it, and a client keeps it.
///
/// Reading what was written gives the same response. Two things are not written: parts that could not be read, which are
/// in `faults`, and decrypted values, since an encrypted attribute is written as it was sent.
package protocol EncodableResponse: ServiceResponse {
    /// The members of the body, as the service spells them; unknown members come last.
    var object: JSONWriter { get }
}

extension EncodableResponse {
    /// Writes the body: JSON in UTF-8.
    package func encoded() -> [UInt8] { object.finished }
}

// MARK: REST version 2

extension ProfilesResponse: EncodableResponse {
    package var object: JSONWriter {
        var map = JSONWriter()
        for profile in profiles { map.member(profile.mvpd.rawValue, profile.object) }
        var object = JSONWriter()
        object.member("profiles", map)
        object.members(unknownFields)
        return object
    }
}

extension Profile {
    fileprivate var object: JSONWriter {
        var object = JSONWriter()
        object.member("notBefore", notBefore.milliseconds)
        object.member("notAfter", notAfter.milliseconds)
        object.member("issuer", ifPresent: issuer)
        object.member("type", ifPresent: type?.rawValue)
        object.member("attributes", attributes.object)
        object.members(unknownFields)
        return object
    }
}

extension UserMetadata {
    /// Each attribute with a state of its own.
    fileprivate var object: JSONWriter {
        var object = JSONWriter()
        for entry in entries { object.member(entry.name.rawValue, entry.object) }
        return object
    }
}

extension UserMetadataEntry {
    fileprivate var object: JSONWriter {
        var object = JSONWriter()
        if let json { object.member("value", raw: json.text.utf8) }
        object.member("error", ifPresent: errorCode?.rawValue)
        if let state {
            object.member("state", state.wireText)
        } else if let unknownState {
            object.member("state", raw: unknownState.text.utf8)
        }
        object.members(unknownFields)
        return object
    }
}

extension DecisionsResponse: EncodableResponse {
    package var object: JSONWriter {
        var object = JSONWriter()
        object.member("decisions", decisions.map(\.object))
        object.members(unknownFields)
        return object
    }
}

extension Decision {
    fileprivate var object: JSONWriter {
        var object = JSONWriter()
        object.member("resource", resource.rawValue)
        object.member("serviceProvider", serviceProvider.rawValue)
        object.member("mvpd", mvpd.rawValue)
        object.member("source", ifPresent: source?.rawValue)
        object.member("authorized", isAuthorized)
        if let token { object.member("token", token.object) }
        object.member("notBefore", ifPresent: notBefore)
        object.member("notAfter", ifPresent: notAfter)
        if let error { object.member("error", error.object) }
        object.members(unknownFields)
        return object
    }
}

extension SerializedMediaToken {
    fileprivate var object: JSONWriter {
        var object = JSONWriter()
        object.member("issuedAt", ifPresent: issuedAt)
        object.member("notBefore", ifPresent: notBefore)
        object.member("notAfter", ifPresent: notAfter)
        object.member("serializedToken", serializedToken)
        object.members(unknownFields)
        return object
    }
}

// MARK: REST version 1

// Most times of version 1 are strings of digits.

extension UserMetadataResponse: EncodableResponse {
    /// An attribute without a value, or of an unknown state, is left out: version 1 cannot say either.
    package var object: JSONWriter {
        var data = JSONWriter()
        var encrypted: [String] = []
        for entry in attributes.entries {
            guard let json = entry.json, let state = entry.state else { continue }
            data.member(entry.name.rawValue, raw: json.text.utf8)
            if state == .encrypted { encrypted.append(entry.name.rawValue) }
        }
        var object = JSONWriter()
        if let updated { object.member("updated", TimestampUnit.secondsOrMilliseconds.number(for: updated)) }
        if !encrypted.isEmpty { object.member("encrypted", encrypted) }
        object.member("data", data)
        object.members(unknownFields)
        return object
    }
}

extension AuthenticationResponse: EncodableResponse {
    package var object: JSONWriter {
        var object = JSONWriter()
        object.member("requestor", requestor.rawValue)
        object.member("mvpd", mvpd.rawValue)
        object.member("userId", ifPresent: userID)
        object.member("expires", String(expires.milliseconds))
        object.members(unknownFields)
        return object
    }
}

extension AuthorizationResponse: EncodableResponse {
    package var object: JSONWriter {
        var object = JSONWriter()
        object.member("mvpd", mvpd.rawValue)
        object.member("resource", resource.rawValue)
        object.member("requestor", requestor.rawValue)
        object.member("expires", String(expires.milliseconds))
        object.member("proxyMvpd", ifPresent: proxyMVPD?.rawValue)
        object.members(unknownFields)
        return object
    }
}

// MARK: Errors

extension EnhancedError: EncodableResponse {
    package var object: JSONWriter {
        var object = JSONWriter()
        object.member("action", ifPresent: action?.rawValue)
        if let status { object.member("status", status) }
        object.member("code", ifPresent: code?.rawValue)
        object.member("message", ifPresent: message)
        object.member("details", ifPresent: details)
        object.member("helpUrl", ifPresent: helpURL)
        object.member("trace", ifPresent: trace)
        object.members(unknownFields)
        return object
    }
}

// MARK: Members

extension JSONWriter {
    /// Adds a string, if there is one.
    package mutating func member(_ name: String, ifPresent text: String?) {
        if let text { member(name, text) }
    }

    /// Adds an instant as a number of milliseconds, if there is one.
    package mutating func member(_ name: String, ifPresent instant: Timestamp?) {
        if let instant { member(name, instant.milliseconds) }
    }

    /// Adds `true` or `false`, if it is known.
    package mutating func member(_ name: String, ifPresent bool: Bool?) {
        if let bool { member(name, bool) }
    }

    /// Adds members as they were sent.
    package mutating func members(_ fields: [JSONField]) {
        for field in fields { member(field.name, raw: field.value.text.utf8) }
    }
}
