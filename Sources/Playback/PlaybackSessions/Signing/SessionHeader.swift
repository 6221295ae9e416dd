import TextCodecs

/// The header of a session's JWS (RFC 7515 §4.1), which is the same for all sessions of a key.
enum SessionHeader {
    /// `typ`, so that no other JSON Web Token of the same key passes for a session (RFC 8725 §3.11).
    static let type = "playback-session+jwt"

    /// Writes the header (`alg`, `kid`) in Base64url.
    static func encoded(algorithm: SessionAlgorithm, keyID: String) -> [UInt8] {
        var object = JSONWriter(escaping: .minimal)
        object.member("alg", algorithm.rawValue)
        object.member("kid", keyID)
        object.member("typ", type)
        return Array(Base64.encodeURLSafe(object.finished).utf8)
    }
}
