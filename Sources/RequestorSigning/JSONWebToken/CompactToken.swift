import TextCodecs

/// Splits a JSON Web Token in compact form, and decodes its parts.
///
/// Each token has exactly one spelling: Base64url without padding, trailing bits zero, nothing before or after it.
struct CompactToken {
    /// The members of the header.
    let header: ClaimSet
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
        let dots = text.indices.filter { text[$0] == UInt8(ascii: ".") }
        guard dots.count == 2 else {
            throw .malformed(dots.count == 4 ? .encryptedToken : .partCount(dots.count + 1))
        }
        signedRange = 0..<dots[1]
        let headerBytes = try Self.decode(text, in: 0..<dots[0], .header)
        payload = try Self.decode(text, in: dots[0] + 1..<dots[1], .payload)
        signature = try Self.decode(text, in: dots[1] + 1..<text.count, .signature)
        header = try Self.object(headerBytes, .header)
        guard let algorithm = header["alg"]?.string else { throw .malformed(.header(name: "alg")) }
        self.algorithm = algorithm
        keyID = header["kid"]?.string
        if header["kid"] != nil, keyID == nil { throw .malformed(.header(name: "kid")) }
    }

    static func object(_ bytes: [UInt8], _ section: TokenSection) throws(RequestorSigningError) -> ClaimSet {
        do throws(JSONFault) {
            return try ClaimSet(json: bytes)
        } catch {
            throw .malformed(.notJSON(section, reason: error.reason))
        }
    }

    private static func decode(
        _ text: Span<UInt8>,
        in range: Range<Int>,
        _ section: TokenSection
    ) throws(RequestorSigningError) -> [UInt8] {
        // The decoder accepts the standard alphabet and padding too, so the alphabet is checked here.
        guard range.allSatisfy({ text[$0].isURLSafeSymbol }),
            let bytes = Base64.decode(text, in: range, options: [.urlSafe, .unpadded])
        else { throw .malformed(.notBase64URL(section)) }
        return bytes
    }
}

extension UInt8 {
    fileprivate var isURLSafeSymbol: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
