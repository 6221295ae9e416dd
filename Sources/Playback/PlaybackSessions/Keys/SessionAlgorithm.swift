/// How the text of a playback session is signed (RFC 7518 §3).
///
/// The key fixes it; a text's own word is never believed.
public enum SessionAlgorithm: String, Sendable, Hashable, CaseIterable {
    /// HMAC with SHA-256: who can check a session can also make one, so the secret stays with the service and its edges.
    case hs256 = "HS256"
    /// RSASSA-PKCS1-v1_5 with SHA-256: edges check with the public key, which the JWK set publishes.
    case rs256 = "RS256"
}
