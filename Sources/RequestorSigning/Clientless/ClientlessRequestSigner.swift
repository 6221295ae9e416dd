import TextCodecs
public import EntitlementValues

/// Signs requests of old clientless applications: the HMAC-SHA1 `Authorization` header.
///
/// ```swift
/// let signer = try ClientlessRequestSigner(secret: secret, publicKey: "abc")
/// let request = ClientlessRequest(method: "GET", requestor: "REF30", uri: "/api/v1/mediatoken")
/// let header = try signer.authorization(for: request)
/// ```
///
/// For old binaries, migrations and archives: services have moved on to access tokens.
public struct ClientlessRequestSigner: Sendable {
    private let secret: ClientlessSecret
    private let publicKey: String

    /// Makes a signer.
    ///
    /// - Parameters:
    ///   - secret: What both sides know.
    ///   - publicKey: Names the secret to the server; printable ASCII without spaces.
    /// - Throws: `.unsuitable` where the public key cannot stand in the header.
    public init(secret: ClientlessSecret, publicKey: String) throws(RequestorSigningError) {
        try ClientlessField.publicKey.check(publicKey)
        self.secret = secret
        self.publicKey = publicKey
    }

    /// Signs a request.
    ///
    /// - Parameters:
    ///   - request: What is asked for.
    ///   - now: When it is asked; milliseconds on the wire.
    ///   - nonce: Makes the request unlike every other; `nil` for a random UUID.
    /// - Returns: The value of the `Authorization` header.
    /// - Throws: `.unsuitable` for a text that cannot stand in the header, `.unsuitableSetting` for an instant before
    ///   1970, `.undecided`.
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
        let code = try signed.withBytes { bytes throws(RequestorSigningError) in
            try secret.code(of: bytes)
        }
        return "\(signed), public_key=\(publicKey), signature=\(Base64.encode(code))"
    }
}
