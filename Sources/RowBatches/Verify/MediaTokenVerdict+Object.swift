import EntitlementKeys
import EntitlementValues
package import MediaTokens
package import TextCodecs

extension MediaTokenVerdict {
    /// The verdict as JSON, as the command line, the batch rows and the service show it.
    ///
    /// - Parameter id: The row's `id` as JSON; `nil` for a single token, which has none.
    /// - Returns: The object, with the claims only if the signature is good.
    package func object(id: [UInt8]? = nil) -> JSONWriter {
        var object = JSONWriter()
        if let id { object.member("id", raw: id) }
        object.member("valid", status == .validToken)
        object.member("status", status.rawValue)
        object.member("code", code)
        object.member("detail", detail)
        if let claims = authenticClaims {
            object.name("claims")
            object.object { claims.write(to: &$0) }
        }
        if let key { object.member("key", key.label) }
        return object
    }
}

extension MediaTokenClaims {
    /// The claims as JSON, under the element names of the wire; times in milliseconds.
    package var object: JSONWriter {
        var object = JSONWriter()
        write(to: &object)
        return object
    }

    /// Adds the claims to an object, under the element names of the wire; times in milliseconds.
    package func write(to object: inout JSONWriter) {
        object.member("sessionGUID", sessionGUID.rawValue)
        object.member("requestorID", requestor.rawValue)
        object.member("resourceID", resource.rawValue)
        object.member("ttl", ttl.milliseconds)
        object.member("issued", issued.milliseconds)
        object.member("expires", expires.milliseconds)
        object.member("mvpdId", mvpd.rawValue)
        if let proxyMVPD { object.member("proxyMvpdId", proxyMVPD.rawValue) }
    }
}
