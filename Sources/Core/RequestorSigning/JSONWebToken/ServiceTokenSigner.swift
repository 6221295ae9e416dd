public import EntitlementKeys
public import EntitlementValues
import OpenSSLBridge
import TextCodecs

/// Signs service tokens: JSON Web Tokens (RFC 7519) in compact form, signed with RS256.
///
/// ```swift
/// let signer = try ServiceTokenSigner(key: key, keyID: "2026-01")
/// let claims = ServiceTokenClaims(
///     issuer: "programmer", subject: "REF30", audience: ["broker"], lifetime: .minutes(5))
/// let token = try signer.sign(claims)
/// ```
///
/// The same claims, instant and token ID give the same bytes: members have a fixed order, and RS256 is deterministic.
public struct ServiceTokenSigner: Sendable {
    private let key: SigningKey
    private let header: String

    /// The maximum length of a token, in bytes: the maximum that a verifier with standard settings accepts.
    public static let maximumLength = JSONWebTokenPolicy.standard.maximumLength

    /// Makes a signer for one key.
    ///
    /// - Parameters:
    ///   - key: At least 2048 bits, unless it was read with `allowingWeakKeys`.
    ///   - keyID: The name by which the receiver knows the key (`kid`).
    /// - Throws: `.unsuitable` if the key ID is empty, or has white space at an end or control characters.
    public init(key: SigningKey, keyID: String) throws(RequestorSigningError) {
        try checkSignable(keyID, as: "key ID")
        self.key = key
        let members: ClaimSet = ["alg": "RS256", "typ": "JWT", "kid": .string(keyID)]
        header = Base64.encodeURLSafe(try members.json())
    }

    /// Signs a token.
    ///
    /// - Parameters:
    ///   - claims: The claims to sign.
    ///   - now: When it is signed (`iat`); its lifetime begins here.
    ///   - tokenID: The identifier of this token (`jti`); `nil` for a random UUID.
    /// - Returns: The token in compact form: header, payload and signature in Base64url, separated by dots.
    /// - Throws: `.unsuitable`, `.unsuitableClaim` or `.unsuitableSetting` for a value that cannot be signed, `.tooLarge`,
    ///   `.undecided` if libcrypto failed.
    public func sign(
        _ claims: ServiceTokenClaims,
        at now: Timestamp = .now,
        tokenID: String? = nil
    ) throws(RequestorSigningError) -> String {
        let tokenID = if let tokenID { tokenID } else { try randomUUID() }
        let payload = try claims.members(at: now, tokenID: tokenID).json()
        let signed = "\(header).\(Base64.encodeURLSafe(payload))"
        let signature = try signed.withBytes { bytes throws(RequestorSigningError) in
            try key.signature(over: bytes, .sha256)
        }
        let token = "\(signed).\(Base64.encodeURLSafe(signature))"
        guard token.utf8.count <= Self.maximumLength else { throw .tooLarge(limit: Self.maximumLength) }
        return token
    }
}

/// Makes a random UUID (RFC 9562, version 4) of 36 lowercase characters.
func randomUUID() throws(RequestorSigningError) -> String {
    var bytes: [UInt8]
    do throws(OpenSSLFailure) {
        bytes = try randomBytes(16)
    } catch {
        throw .undecided(.backend(error.description))
    }
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    let groups = [0..<4, 4..<6, 6..<8, 8..<10, 10..<16]
    return groups.map { Hex.encode(bytes[$0]) }.joined(separator: "-")
}
