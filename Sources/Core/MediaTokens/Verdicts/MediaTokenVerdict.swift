public import EntitlementKeys
import EntitlementValues
package import OpenSSLBridge
package import TextCodecs

/// The outcome of a verification, with everything that was established on the way.
///
/// For a route that logs each verdict, or that answers a refusal with its details: start the stream in the `success` of
/// ``result`` alone. Where a refusal is an error like others, use `verify`, which returns the token or throws.
public struct MediaTokenVerdict: Sendable {
    /// The verified token, or why there is none.
    public let result: Result<VerifiedMediaToken, MediaTokenError>
    /// What the token says, if its signature is good and its fields can be read, even if a later check failed.
    public let authenticClaims: MediaTokenClaims?
    /// The trusted key that signed the token, if its signature is good.
    public let key: VerificationKey?
    /// SHA-256 of the signed bytes, if the signature is good.
    package let signedDigest: SHA256Digest?

    /// The same verdict, refused by a check that comes after all others, such as one-time use.
    package func refused(_ error: MediaTokenError) -> MediaTokenVerdict {
        MediaTokenVerdict(
            result: .failure(error), authenticClaims: authenticClaims, key: key, signedDigest: signedDigest)
    }

    /// The status, as the Java verifier names it.
    public var status: MediaTokenStatus {
        switch result {
        case .success: .validToken
        case .failure(let error): error.status
        }
    }

    /// The stable name of the outcome: `valid`, or the error's code.
    public var code: String {
        switch result {
        case .success: "valid"
        case .failure(let error): error.code
        }
    }

    /// One line for a person to read: until when the token is valid, or the error's description.
    public var detail: String {
        switch result {
        case .success(let token): "valid until \(token.expires)"
        case .failure(let error): error.description
        }
    }
}

extension MediaTokenVerdict {
    /// The verdict as JSON on one line, as the tool and the service show it.
    ///
    /// The members are `valid`, `status`, `code` and `detail`; `claims` with the names of the wire, only if the signature
    /// is good; and `key`, the label of the key that signed. `ttl`, `issued` and `expires` are milliseconds. The claims
    /// name the subscriber, so the text does not belong in a log: ``logFields`` does.
    public var json: String { String(decoding: object().finished, as: UTF8.self) }

    /// What a log may say about the verdict, by name.
    ///
    /// It is the result, the label of the key, and the claims without the subscriber. Control characters are escaped. For
    /// swift-log, `logFields.mapValues { "\($0)" }` makes metadata of it.
    public var logFields: [String: String] {
        var fields = ["status": status.rawValue, "code": code, "detail": detail]
        if let claims = authenticClaims {
            fields["requestor"] = claims.requestor.rawValue.printable
            fields["resource"] = claims.resource.rawValue.printable
            fields["mvpd"] = claims.mvpd.rawValue.printable
            fields["proxy_mvpd"] = claims.proxyMVPD?.rawValue.printable
            fields["expires"] = claims.expires.description
        }
        fields["key"] = key?.label.printable
        return fields
    }

    /// The verdict as JSON, as the command line, the batch rows and the service show it.
    ///
    /// The claims are in it only if the signature is good. `id` is the row's, as JSON; a single token has none.
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
