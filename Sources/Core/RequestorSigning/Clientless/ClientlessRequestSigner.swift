public import EntitlementValues
import TextCodecs

/// Signs requests of clientless applications: makes their `Authorization` header with HMAC-SHA1.
///
/// ```swift
/// let signer = try ClientlessRequestSigner(secret: secret, publicKey: "abc")
/// let request = ClientlessRequest(method: "GET", requestor: "REF30", uri: "/api/v1/mediatoken")
/// let header = try signer.authorization(for: request)
/// ```
///
/// Only for old applications, migrations and archives: the service now uses access tokens.
public struct ClientlessRequestSigner: Sendable {
    private let secret: ClientlessSecret
    private let publicKey: String

    /// Makes a signer.
    ///
    /// - Parameters:
    ///   - secret: The secret that the application shares with the server.
    ///   - publicKey: The name by which the server knows the secret; printable ASCII without spaces.
    /// - Throws: `.unsuitable` if the public key is not allowed in the header.
    public init(secret: ClientlessSecret, publicKey: String) throws(RequestorSigningError) {
        try ClientlessField.publicKey.check(publicKey)
        self.secret = secret
        self.publicKey = publicKey
    }

    /// Signs a request.
    ///
    /// - Parameters:
    ///   - request: The request to sign.
    ///   - now: The time of the request, written in milliseconds.
    ///   - nonce: A text that no other request has; `nil` for a random UUID.
    /// - Returns: The value of the `Authorization` header.
    /// - Throws: `.unsuitable` for a text that is not allowed in the header, `.unsuitableSetting` for a time before 1970 or
    ///   after the year 9999, `.undecided`.
    public func authorization(
        for request: ClientlessRequest,
        at now: Timestamp = .now,
        nonce: String? = nil
    ) throws(RequestorSigningError) -> String {
        let nonce = if let nonce { nonce } else { try randomUUID() }
        try checkMethod(request.method)
        try ClientlessField.requestor.check(request.requestor.rawValue)
        try ClientlessField.nonce.check(nonce)
        try ClientlessField.uri.check(request.uri)
        guard (Timestamp(milliseconds: 0)...Timestamp.lastReadable).contains(now) else {
            throw .unsuitableSetting(.instant(now))
        }
        let fields: [(ClientlessField, String)] = [
            (.requestor, request.requestor.rawValue), (.nonce, nonce), (.algorithm, clientlessAlgorithm),
            (.time, String(now.milliseconds)), (.uri, request.uri),
        ]
        let signed = request.method + " " + fields.map { "\($0.rawValue)=\($1)" }.joined(separator: ", ")
        let code = try secret.code(of: Array(signed.utf8))
        return "\(signed), public_key=\(publicKey), signature=\(Base64.encode(code))"
    }
}
