import TextCodecs

/// Splits the text of an edge token into its fields, whose order is fixed and of which none is there twice.
struct EdgeTokenText {
    let address: String?
    let expires: String
    let acl: String?
    let session: String?
    /// The HMAC in hexadecimal digits.
    let code: String
    /// Everything before the HMAC.
    let signed: String

    /// Splits a token; throws `.tooLarge` or `.malformed`.
    init(_ text: String) throws(PlaybackSessionError) {
        guard text.utf8.count <= EdgeTokens.maximumLength else { throw .tooLarge(limit: EdgeTokens.maximumLength) }
        var parts = text.split(separator: "~", omittingEmptySubsequences: false)[...]
        /// Takes the next field if it has the name.
        func take(_ name: String) -> String? {
            guard let part = parts.first, part.utf8.starts(with: "\(name)=".utf8) else { return nil }
            parts.removeFirst()
            return String(Substring(part.utf8.dropFirst(name.utf8.count + 1)))
        }
        address = take("ip")
        guard let expires = take("exp") else { throw .malformed(.fields) }
        self.expires = expires
        acl = take("acl")
        session = take("id")
        guard let code = take("hmac"), parts.isEmpty else { throw .malformed(.fields) }
        self.code = code
        signed = String(Substring(text.utf8.dropLast(code.utf8.count + "~hmac=".utf8.count)))
    }
}
