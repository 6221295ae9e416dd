import TextCodecs

/// Splits the text of a session, and decodes its payload and its signature.
struct SessionText {
    private let headerRange: Range<Int>
    /// The signed part: header and payload with the dot between them.
    let signedRange: Range<Int>
    /// The claims in JSON, not parsed: a verifier checks the signature first.
    let payload: [UInt8]
    /// The signature.
    let signature: [UInt8]

    /// Splits a text as it was presented; throws `.tooLarge` or `.malformed`.
    init(_ text: Span<UInt8>) throws(PlaybackSessionError) {
        guard text.count <= PlaybackSessionIssuer.maximumLength else {
            throw .tooLarge(limit: PlaybackSessionIssuer.maximumLength)
        }
        let parts = CompactSerialization.parts(of: text)
        guard parts.count == 3 else { throw .malformed(.partCount(parts.count)) }
        guard let payload = CompactSerialization.decode(text, part: parts[1]),
            let signature = CompactSerialization.decode(text, part: parts[2])
        else { throw .malformed(.notBase64URL) }
        headerRange = parts[0]
        signedRange = 0..<parts[1].upperBound
        (self.payload, self.signature) = (payload, signature)
    }

    /// Whether the first part is the header of a key; headers are not secret.
    func hasHeader(_ header: [UInt8], in text: Span<UInt8>) -> Bool {
        let header = header[...]
        return text.extracting(headerRange).hasSameBytes(as: header.span)
    }

    /// The first part, decoded; `nil` if it is not Base64url.
    func header(in text: Span<UInt8>) -> [UInt8]? { CompactSerialization.decode(text, part: headerRange) }

    /// Says what is wrong with a header that is not that of any key in the ring, whose names are `ids`.
    ///
    /// `.unknownKey` if it would be the header of another key; else `.malformed`.
    func headerFault(in text: Span<UInt8>, knownIDs ids: [String]) -> PlaybackSessionError {
        guard let header = header(in: text) else { return .malformed(.notBase64URL) }
        guard let (algorithm, keyID) = Self.members(of: header),
            !ids.contains(where: { $0.hasSameBytes(as: keyID) }),
            hasHeader(SessionHeader.encoded(algorithm: algorithm, keyID: keyID), in: text)
        else { return .malformed(.header) }
        return .unknownKey
    }

    /// The algorithm and the key that a header names; `nil` if it is not the header of a session.
    static func members(of header: [UInt8]) -> (algorithm: SessionAlgorithm, keyID: String)? {
        guard header.isTextWithoutNUL else { return nil }
        let bytes = header[...]
        guard let object = try? JSONObject(bytes.span, in: 0..<bytes.count),
            let name = try? object.string("alg", in: bytes.span), let algorithm = SessionAlgorithm(rawValue: name),
            let type = try? object.string("typ", in: bytes.span), type == SessionHeader.type,
            let keyID = try? object.identifier("kid", in: bytes.span)
        else { return nil }
        return (algorithm, keyID)
    }
}

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
