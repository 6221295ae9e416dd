#if CLI
import EntitlementValues
import RequestorSigning
import TextCodecs

extension UnverifiedJSONWebToken {
    /// Parses bytes; `nil` if they are not a JSON Web Token.
    ///
    /// White space around it, such as a line end, is ignored.
    init?(_ bytes: [UInt8]) {
        let text = bytes.withSpan { $0.trimmingWhiteSpace(0..<$0.count) }
        guard let token = try? UnverifiedJSONWebToken(parsing: String(decoding: bytes[text], as: UTF8.self)) else {
            return nil
        }
        self = token
    }

    /// The header and the claims as lines for people.
    var text: String {
        var text = "UNVERIFIED  a JSON Web Token, parsed without a key; anyone can write such a text\n"
        text += aligned([
            ("not a media token", "tve verify refuses it"),
            ("signature", "\(signatureLength) bytes, the header says \(algorithm)"),
        ])
        text += aligned(header.members.map { ("  header \($0.name)", $0.value.shown) })
        text += aligned(payload.members.map { ("  claim \($0.name)", $0.value.shown) })
        switch claims {
        case .success(let claims):
            let dates = claims.dates.map { "\($0.words) \($0.instant)" }
            return text + "  reads as: \(dates.isEmpty ? "no dates" : dates.joined(separator: ", "))\n"
        case .failure(let error):
            return text + "  a verifier would refuse the claims: \(error)\n"
        }
    }

    /// The header and the claims as JSON.
    var object: JSONWriter {
        var object = JSONWriter()
        object.member("verified", false)
        object.member("type", "jwt")
        object.member("algorithm", algorithm)
        if let keyID { object.member("keyID", keyID) }
        object.member("signatureBytes", signatureLength)
        object.member("header", header.object)
        object.member("unverifiedClaims", payload.object)
        switch claims {
        case .success(let claims):
            for date in claims.dates { object.member(date.name, date.instant.milliseconds) }
        case .failure(let error):
            var refusal = JSONWriter()
            refusal.member("code", error.code)
            refusal.member("detail", error.description)
            object.member("refusal", refusal)
        }
        return object
    }
}

extension JSONWebTokenClaims {
    fileprivate var dates: [(name: String, words: String, instant: Timestamp)] {
        [("issued", "issued", issued), ("notBefore", "good from", notBefore), ("expires", "expires", expires)]
            .compactMap { date in date.2.map { (date.0, date.1, $0) } }
    }
}

extension ClaimSet {
    fileprivate var object: JSONWriter {
        var object = JSONWriter()
        for member in members { object.member(member.name, raw: member.value.json) }
        return object
    }
}

extension ClaimValue {
    /// A string as it is, anything else as JSON.
    fileprivate var shown: String {
        string ?? String(decoding: json, as: UTF8.self)
    }

    fileprivate var json: [UInt8] {
        switch self {
        case .string(let text): JSONWriter.string(text)
        case .number(let number): Array(String(number).utf8)
        case .otherNumber(let digits): Array(digits.utf8)
        case .bool(let bool): Array((bool ? "true" : "false").utf8)
        case .object(let members): members.object.finished
        case .array(let elements):
            Array("[".utf8) + elements.map(\.json).joined(separator: Array(",".utf8)) + Array("]".utf8)
        // Cases that a later version of the library may add.
        default: Array("null".utf8)
        }
    }
}
#endif
