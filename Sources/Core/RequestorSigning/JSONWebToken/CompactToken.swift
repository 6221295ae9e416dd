import EntitlementValues
import TextCodecs

/// Splits a JSON Web Token in compact form, and decodes its parts.
///
/// Each token has exactly one spelling: Base64url without padding, trailing bits zero, nothing before or after it.
struct CompactToken {
    /// The members of the header.
    let header: JSON.Object
    /// `alg`: the algorithm that the token names, which never selects the verifier's algorithm.
    let algorithm: String
    /// `kid`: the name of the key, which does not select a key.
    let keyID: String?
    /// The payload's JSON, not parsed: a verifier checks the signature first.
    let payload: [UInt8]
    /// The signature, decoded.
    let signature: [UInt8]
    /// The signed part of the text: header and payload.
    let signedRange: Range<Int>

    init(_ text: Span<UInt8>, maximumLength: Int) throws(RequestorSigningError) {
        guard text.count <= maximumLength else { throw .tooLarge(limit: maximumLength) }
        let parts = CompactSerialization.parts(of: text)
        switch CompactSerialization.Kind(partCount: parts.count) {
        case .signed: break
        case .encrypted: throw .malformed(.encryptedToken)
        case nil:
            if let encoding = ForeignEncoding(of: text) { throw .malformed(.encoded(encoding)) }
            throw .malformed(.partCount(parts.count))
        }
        signedRange = 0..<parts[1].upperBound
        let headerBytes = try Self.decode(text, parts[0], as: .header)
        payload = try Self.decode(text, parts[1], as: .payload)
        signature = try Self.decode(text, parts[2], as: .signature)
        header = try Self.object(headerBytes, .header)
        guard let algorithm = header["alg"]?.string else { throw .malformed(.header(name: "alg")) }
        self.algorithm = algorithm
        keyID = header["kid"]?.string
        if header["kid"] != nil, keyID == nil { throw .malformed(.header(name: "kid")) }
    }

    static func object(_ bytes: [UInt8], _ section: TokenSection) throws(RequestorSigningError) -> JSON.Object {
        do throws(JSONFault) {
            return try JSON.Object(json: bytes)
        } catch {
            throw .malformed(.notJSON(section, reason: error.reason))
        }
    }

    private static func decode(
        _ text: Span<UInt8>,
        _ range: Range<Int>,
        as section: TokenSection
    ) throws(RequestorSigningError) -> [UInt8] {
        guard let bytes = CompactSerialization.decode(text, part: range) else {
            throw .malformed(.notBase64URL(section))
        }
        return bytes
    }
}
