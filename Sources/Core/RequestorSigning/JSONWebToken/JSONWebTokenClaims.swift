public import EntitlementValues
public import TextCodecs

/// The claims of a JSON Web Token (RFC 7519), with types for the registered ones.
///
/// The value itself proves nothing: only the claims of a ``VerifiedJSONWebToken`` come from a trusted key.
public struct JSONWebTokenClaims: Sendable, Equatable {
    /// The party that issued the token (`iss`).
    public let issuer: String?
    /// The subject: the party or thing that the token is about (`sub`).
    public let subject: String?
    /// The receivers that it is for (`aud`); empty if it names none.
    public let audience: [String]
    /// When it was issued (`iat`).
    public let issued: Timestamp?
    /// When it begins to be valid (`nbf`).
    public let notBefore: Timestamp?
    /// The first instant at which it is not valid anymore (`exp`).
    ///
    /// Software statements have none: they are valid until revoked.
    public let expires: Timestamp?
    /// The identifier of this token (`jti`).
    public let tokenID: String?
    /// What it allows: the parts of `scopes` and of `scope`, which are lists, or texts separated by commas or spaces.
    public let scopes: [String]
    /// Every claim, in the order of the token.
    public let all: JSON.Object

    /// Reads the registered claims; throws `.malformed` for one of the wrong type.
    init(_ all: JSON.Object) throws(RequestorSigningError) {
        issuer = try Self.text(all, "iss")
        subject = try Self.text(all, "sub")
        audience = try Self.texts(all, "aud")
        issued = try Self.date(all, "iat")
        notBefore = try Self.date(all, "nbf")
        expires = try Self.date(all, "exp")
        tokenID = try Self.text(all, "jti")
        scopes = try Self.scopes(all)
        self.all = all
    }

    private static func text(_ all: JSON.Object, _ name: String) throws(RequestorSigningError) -> String? {
        guard let value = all[name] else { return nil }
        guard let text = value.string else { throw .malformed(.claimType(name: name)) }
        return text
    }

    private static func texts(_ all: JSON.Object, _ name: String) throws(RequestorSigningError) -> [String] {
        switch all[name] {
        case nil: return []
        case .string(let text): return [text]
        case .array(let elements):
            let texts = elements.compactMap(\.string)
            guard texts.count == elements.count else { throw .malformed(.claimType(name: name)) }
            return texts
        default: throw .malformed(.claimType(name: name))
        }
    }

    private static func scopes(_ all: JSON.Object) throws(RequestorSigningError) -> [String] {
        var scopes: [String] = []
        for name in ["scopes", "scope"] {
            for text in try texts(all, name) {
                scopes += text.split { $0 == "," || $0 == " " }.map(String.init)
            }
        }
        return scopes
    }

    /// Reads a NumericDate (RFC 7519 §2): seconds since 1970, possibly with decimals.
    private static func date(_ all: JSON.Object, _ name: String) throws(RequestorSigningError) -> Timestamp? {
        let milliseconds: Int64?
        switch all[name] {
        case nil: return nil
        case .number(let seconds): milliseconds = TimeToLive.seconds(seconds).milliseconds
        case .otherNumber(let digits): milliseconds = Self.milliseconds(digits)
        default: throw .malformed(.claimType(name: name))
        }
        guard let milliseconds, milliseconds >= 0, milliseconds <= Timestamp.lastReadable.milliseconds else {
            throw .malformed(.date(name: name))
        }
        return Timestamp(milliseconds: milliseconds)
    }

    /// Reads a decimal such as `1700000000.25`, cut to milliseconds; `nil` for exponents and numbers that are too large.
    private static func milliseconds(_ digits: String) -> Int64? {
        let parts = digits.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.allSatisfy(\.isASCIIDigit) }),
            let seconds = Int64(String(decoding: parts[0], as: UTF8.self)),
            case let whole = TimeToLive.seconds(seconds).milliseconds, whole <= Timestamp.lastReadable.milliseconds
        else { return nil }
        let decimals = (Array(parts[1]) + [0x30, 0x30, 0x30]).prefix(3)
        return whole + decimals.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }
}

extension JSONWebTokenClaims: CustomStringConvertible {
    /// The registered claims without the subject, which may be a person.
    public var description: String {
        let texts = [
            issuer.map { "issuer \($0.printable)" },
            audience.isEmpty ? nil : "audience \(audience.map(\.printable).joined(separator: ", "))",
            issued.map { "issued \($0)" }, notBefore.map { "not before \($0)" }, expires.map { "expires \($0)" },
            scopes.isEmpty ? nil : "scopes \(scopes.map(\.printable).joined(separator: ", "))",
        ]
        return texts.compactMap(\.self).joined(separator: ", ")
    }
}
