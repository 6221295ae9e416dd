import TextCodecs

/// The fields that carry a signed policy, each of them once.
struct SignedPolicyFields {
    let expires: String?
    let policy: [UInt8]?
    /// `nil` if it is not in the encoding of these fields.
    let signature: [UInt8]?
    let keyID: String

    /// What stands before the names if they are those of cookies.
    static let cookiePrefix = "CloudFront-"

    /// Finds the fields in the query of a request, or else in its cookies.
    init(of request: EdgeRequest) throws(PlaybackSessionError) {
        if let found = try Self(request.parameters, prefix: "") {
            self = found
        } else if let found = try Self(request.cookies, prefix: Self.cookiePrefix) {
            self = found
        } else {
            throw .malformed(.fields)
        }
    }

    /// Finds the fields; `nil` without a signature.
    private init?(_ fields: [EdgeField], prefix: String) throws(PlaybackSessionError) {
        guard let signature = try fields.only(prefix + "Signature") else { return nil }
        guard let keyID = try fields.only(prefix + "Key-Pair-Id") else { throw .malformed(.fields) }
        expires = try fields.only(prefix + "Expires")
        let policy = try fields.only(prefix + "Policy")
        guard (policy == nil) != (expires == nil) else { throw .malformed(.fields) }
        self.policy = policy.flatMap(Self.decode)
        self.signature = Self.decode(signature)
        self.keyID = keyID
    }

    // MARK: The encoding

    private static let replacements: [UInt8: UInt8] = [
        UInt8(ascii: "+"): UInt8(ascii: "-"), UInt8(ascii: "="): UInt8(ascii: "_"),
        UInt8(ascii: "/"): UInt8(ascii: "~"),
    ]
    private static let originals = Dictionary(uniqueKeysWithValues: replacements.map { ($1, $0) })

    /// Encodes in Base64 with `-`, `_` and `~` instead of `+`, `=` and `/`.
    static func encode(_ bytes: [UInt8]) -> String {
        String(decoding: Base64.encode(bytes).utf8.map { replacements[$0] ?? $0 }, as: UTF8.self)
    }

    /// Decodes what ``encode(_:)`` writes; `nil` for everything else.
    private static func decode(_ text: String) -> [UInt8]? {
        let bytes = Array(text.utf8)
        guard !bytes.contains(where: { replacements[$0] != nil }) else { return nil }
        return Base64.decode(bytes.map { originals[$0] ?? $0 }, options: .canonical)
    }
}
