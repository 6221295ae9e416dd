public import EntitlementValues
import OpenSSLBridge
import TextCodecs

/// Issues and verifies tokens in the form that the operator of a content network calls EdgeAuth 2.0.
///
/// A token is fields between `~`: `ip` (if it is bound), `exp`, `acl` (for a folder), `id` (of the session) and `hmac`, the
/// HMAC-SHA-256 of the fields before it, of `url` (for a file, which the token does not show) and of the salt. An edge
/// takes it from a query parameter, a cookie or a header field.
///
/// An edge takes two secrets at a time, the present one and the one in transition, and no name of one: a verifier tries
/// all of its secrets.
///
/// Source: the operator's own implementation, package `akamai-edgeauth` 0.3.2, and the behaviour "Auth Token 2.0
/// Verification" of its property manager, whose option "Escape token input" is ``escapesInput``.
public struct EdgeTokens: Sendable {
    /// The longest token that is read, in bytes.
    public static let maximumLength = 1024

    /// The secrets, of which the first one signs.
    public let secrets: EdgeSecrets
    /// The name of the parameter or the cookie.
    public let name: String
    /// Whether the address and the URL are percent-encoded before they are signed.
    public let escapesInput: Bool
    private let salt: String?

    /// Takes secrets.
    ///
    /// - Parameters:
    ///   - secrets: The secrets, of which the first one signs.
    ///   - name: The name of the parameter or the cookie: letters, digits, `-` and `_`.
    ///   - salt: A text that is signed, too, and that the edge knows; `nil` for none. No `~` and no control is in it.
    ///   - escapesInput: Whether the address and the URL are percent-encoded before they are signed.
    /// - Throws: `.unsuitable` for an empty name or salt, or one with other characters.
    public init(
        secrets: EdgeSecrets,
        name: String = "__token__",
        salt: String? = nil,
        escapesInput: Bool = true
    ) throws(PlaybackSessionError) {
        guard !name.isEmpty, name.utf8.allSatisfy(\.isURLSafe) else {
            throw .unsuitable(.empty(field: "name of the token"))
        }
        if let salt, salt.isEmpty || !salt.utf8.allSatisfy({ 0x20...0x7D ~= $0 }) {
            throw .unsuitable(.empty(field: "salt"))
        }
        (self.secrets, self.name, self.salt, self.escapesInput) = (secrets, name, salt, escapesInput)
    }

    /// Issues a token: with an ACL for a folder, with a URL for a file.
    ///
    /// - Parameter grant: What it opens.
    /// - Returns: The token as a parameter and as a cookie.
    /// - Throws: `.undecided`.
    public func issue(_ grant: EdgeGrant) throws(PlaybackSessionError) -> IssuedEdgeGrant {
        var fields = ["exp=\(grant.seconds)"]
        if let address = grant.address { fields.insert("ip=\(escaped(address))", at: 0) }
        if grant.path.isFolder { fields.append("acl=\(grant.path.text)*") }
        if let session = grant.session { fields.append("id=\(session)") }
        let signed = fields.joined(separator: "~")
        let code = try code(of: signed, for: grant.path.isFolder ? nil : grant.path.text, with: secrets.first)
        let field = EdgeField(name, "\(signed)~hmac=\(code)")
        return IssuedEdgeGrant(grant: grant, parameters: [field], cookies: [field], pathPrefix: nil)
    }

    /// Verifies the token of a request, in its query or else in a cookie.
    ///
    /// The checks run in this order: form, HMAC by any of the secrets, spelling, time, path, client. The path of a file is
    /// part of the HMAC, so a token for another file has a bad signature.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - now: The instant at which it must be good.
    /// - Returns: The grant.
    /// - Throws: `PlaybackSessionError`, the first check that failed.
    public func verify(
        _ request: EdgeRequest,
        at now: Timestamp = .now
    ) throws(PlaybackSessionError) -> VerifiedEdgeGrant {
        let token = try EdgeTokenText(Self.text(in: request, named: name))
        let url = token.acl == nil ? request.path : nil
        guard let key = try signer(of: token, for: url) else { throw .badSignature }
        let grant = try grant(of: token, for: request.path)
        try EdgeGrant.check(grant.expires, at: now)
        guard grant.path.opens(request.path) else { throw .otherPath }
        guard grant.client == request.client else { throw .otherClient }
        return VerifiedEdgeGrant(grant: grant, keyID: key.id)
    }

    // MARK: Signing

    private func signer(of token: EdgeTokenText, for url: String?) throws(PlaybackSessionError) -> EdgeSecret? {
        var signer: EdgeSecret?
        for key in secrets.secrets {
            let code = try code(of: token.signed, for: url, with: key)
            if isEqualInConstantTime(Array(token.code.utf8), Array(code.utf8)) { signer = key }
        }
        return signer
    }

    private func code(
        of signed: String,
        for url: String?,
        with key: EdgeSecret
    ) throws(PlaybackSessionError) -> String {
        let url = url.map { "~url=\(escaped($0))" } ?? ""
        let salt = salt.map { "~salt=\($0)" } ?? ""
        return Hex.encode(try PlaybackSessionError.mapping(key.key.code(of: Array("\(signed)\(url)\(salt)".utf8))))
    }

    /// Encodes as the operator's implementation does: with lower-case digits.
    private func escaped(_ text: String) -> String {
        guard escapesInput else { return text }
        return text.utf8.map { $0.isUnreserved ? String(UnicodeScalar($0)) : "%\(Hex.encode([$0]))" }.joined()
    }

    // MARK: Reading

    /// The text of the token, from the query or else from a cookie.
    static func text(in request: EdgeRequest, named name: String) throws(PlaybackSessionError) -> String {
        var presented = try request.parameters.only(name)
        if presented == nil { presented = try request.cookies.only(name) }
        guard let presented else { throw .malformed(.fields) }
        return presented
    }

    /// What a token whose HMAC is good says.
    private func grant(of token: EdgeTokenText, for url: String) throws(PlaybackSessionError) -> EdgeGrant {
        let path = token.acl.map { $0.utf8.last == UInt8(ascii: "*") ? String($0.dropLast()) : "" } ?? url
        guard let expires = EdgeGrant.instant(token.expires), let path = EdgePath(path),
            path.isFolder == (token.acl != nil)
        else { throw .malformed(.spelling) }
        let session = token.session.flatMap { PlaybackSessionID(text: $0) }
        guard (session == nil) == (token.session == nil), let client = client(of: token) else {
            throw .malformed(.spelling)
        }
        do throws(PlaybackSessionError) {
            return try EdgeGrant(path: path, expires: expires, client: client, session: session)
        } catch .unsuitable {
            throw .malformed(.spelling)
        }
    }

    private func client(of token: EdgeTokenText) -> SessionClient? {
        guard let written = token.address else { return .unbound }
        guard let bytes = Percent.decode(Array(written.utf8)) else { return nil }
        guard let address = IPAddress(bytes: bytes[...])?.text else { return nil }
        return escaped(address).hasSameBytes(as: written) ? .address(address) : nil
    }
}

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
