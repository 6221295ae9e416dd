package import TextCodecs
import EntitlementKeys
import EntitlementValues
package import MediaTokens

extension MediaTokenVerdict {
    /// The verdict as the command line and the batch rows show it.
    ///
    /// A row's `id` is given as JSON; a single token has none.
    package func object(id: [UInt8]? = nil) -> JSONWriter {
        var object = JSONWriter()
        if let id { object.member("id", raw: id) }
        object.member("valid", status == .validToken)
        object.member("status", status.rawValue)
        object.member("code", code)
        object.member("detail", detail)
        if let claims = authenticClaims { object.member("claims", claims.object) }
        if let key { object.member("key", key.label) }
        return object
    }
}

extension MediaTokenClaims {
    /// The claims with the element names of the wire; times in milliseconds.
    package var object: JSONWriter {
        var object = JSONWriter()
        object.member("sessionGUID", sessionGUID.rawValue)
        object.member("requestorID", requestor.rawValue)
        object.member("resourceID", resource.rawValue)
        object.member("ttl", ttl.milliseconds)
        object.member("issued", issued.milliseconds)
        object.member("expires", expires.milliseconds)
        object.member("mvpdId", mvpd.rawValue)
        if let proxyMVPD { object.member("proxyMvpdId", proxyMVPD.rawValue) }
        return object
    }
}
