#if Client
import EntitlementKeys
import EntitlementValues
import OpenSSLBridge
import TextCodecs

/// Signs software statements and access tokens: RS256 with a header that names only the algorithm.
///
/// Source: real tokens (2021 and 2024), whose header has no `kid` and no `typ`.
struct CompactSigner: Sendable {
    /// The issuer in all tokens.
    ///
    /// It is not the operator's and cannot be: `.invalid` is reserved (RFC 6761).
    static let issuer = "simulator.invalid"

    /// The claim that tells access tokens from those that were issued before all were made to end.
    static let generation = "simulator_generation"

    let key: SigningKey

    /// The statement's claims are those of a real one, and its scopes.
    func statement(_ statement: SimulatedStatement) throws(OpenSSLFailure) -> String {
        let issued = statement.issued.milliseconds / 1000
        var claims = JSONWriter()
        claims.member("sub", statement.id)
        claims.member("nbf", issued)
        claims.member("iss", Self.issuer)
        claims.member("scopes", statement.scopes.joined(separator: ","))
        claims.member("iat", issued)
        return try sign(claims)
    }

    /// Times are whole seconds; the end is `lifetime` after the second in which the token was made.
    ///
    /// Until access tokens are made to end, the claims are those of real ones.
    func accessToken(
        of client: RegisteredClient,
        issued: Timestamp,
        lifetime: TimeToLive
    ) throws(OpenSSLFailure) -> String {
        let seconds = issued.milliseconds / 1000
        var claims = JSONWriter()
        claims.member("sub", client.id)
        claims.member("nbf", seconds)
        claims.member("iss", Self.issuer)
        claims.member("scopes", client.scopes.joined(separator: ","))
        claims.member("exp", seconds + lifetime.milliseconds / 1000)
        claims.member("iat", seconds)
        if client.generation > 0 { claims.member(Self.generation, client.generation) }
        return try sign(claims)
    }

    private func sign(_ claims: JSONWriter) throws(OpenSSLFailure) -> String {
        let signed = Base64.encodeURLSafe(Array(#"{"alg":"RS256"}"#.utf8)) + "." + Base64.encodeURLSafe(claims.finished)
        let digest = try Digest.sha256.hash(Array(signed.utf8))
        return signed + "." + Base64.encodeURLSafe(try key.sign(digest: digest, algorithm: .sha256))
    }
}
#endif
