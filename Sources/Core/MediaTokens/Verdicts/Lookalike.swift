import EntitlementValues
import TextCodecs

/// Recognises common mistakes, such as a whole JSON response or a JWT, so that the error can say what to do.
///
/// Called only after a text was refused. It looks at the first bytes and at a few fixed words; encodings that any text may
/// have around it are those of `ForeignEncoding`.
enum Lookalike {
    /// Finds the error for a text that is not a media token.
    ///
    /// The refused text begins at `start`, after white space. `fallback` is the error if nothing is recognised.
    static func error(
        for text: Span<UInt8>,
        from start: Int,
        orElse fallback: MalformedPart = .notAToken
    ) -> SignedTextError {
        guard start < text.count else { return .malformed(fallback) }
        // The first of its bytes may look like anything.
        if text.extracting(start..<text.count).looksLikeUTF16 { return .malformed(.encoded(.utf16)) }
        let range = text.trimmingWhiteSpace(start..<text.count)
        switch text[start] {
        case UInt8(ascii: "<"):
            return xml(text, in: range)
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            return .malformed(.serviceResponse)
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            return .malformed(.quoted)
        case UInt8(ascii: "&") where text.has(escapedMarkup, at: start):
            return .malformed(.entityEscaped)
        default:
            break
        }
        if text.has(jsonWebTokenStart, at: range.lowerBound), let kind = CompactSerialization.kind(of: text, in: range)
        {
            return .foreignToken(kind == .signed ? .jwt : .jwe)
        }
        if labels.contains(where: { text.hasIgnoringCase($0, at: start) }) { return .malformed(.labelled) }
        switch ForeignEncoding(of: text.extracting(range)) {
        case .percentEncoding where range.allSatisfy({ text[$0].isSymbolOfBase64 || text[$0] == UInt8(ascii: "%") }):
            return .malformed(.percentEncodedBase64)
        case let encoding?: return .malformed(.encoded(encoding))
        case nil: return .malformed(fallback)
        }
    }

    private static func xml(_ text: Span<UInt8>, in range: Range<Int>) -> SignedTextError {
        let isSigned = text.contains(xmlSignature, in: range) || text.contains(xmlSignatureNamespace, in: range)
        if isSigned, hasLookalikeRoot(text, in: range) { return .foreignToken(.xmlSignature) }
        if text.contains(serializedToken, in: range) { return .malformed(.serviceResponse) }
        return .malformed(.missingMarker)
    }

    /// Tells whether the root, after an optional XML declaration, is `authToken`.
    private static func hasLookalikeRoot(_ text: Span<UInt8>, in range: Range<Int>) -> Bool {
        var start = range.lowerBound
        if text.has(declarationStart, at: start) {
            while start < range.upperBound, text[start] != UInt8(ascii: ">") { start += 1 }
            guard text[start - 1] == UInt8(ascii: "?") else { return false }
            start += 1
        }
        while start < range.upperBound, text[start].isWhiteSpace { start += 1 }
        guard text.has(lookalikeRoot, at: start), case let nameEnd = start + lookalikeRoot.count,
            nameEnd < range.upperBound
        else { return false }
        return text[nameEnd].isWhiteSpace || text[nameEnd] == UInt8(ascii: ">") || text[nameEnd] == UInt8(ascii: "/")
    }
}

/// Words that callers put before a token, in lower case.
private let labels = ["bearer ", "mediatoken ", "token=", "token:", "serializedtoken=", "mediatoken="].map {
    Array($0.utf8)
}
private let escapedMarkup = Array("&lt;".utf8)
private let serializedToken = Array("<serializedToken".utf8)
private let xmlSignature = Array("<Signature".utf8)
private let xmlSignatureNamespace = Array("http://www.w3.org/2000/09/xmldsig#".utf8)
private let declarationStart = Array("<?xml".utf8)
private let lookalikeRoot = Array("<authToken".utf8)
/// Base64 of `{"`, with which every JWT header starts.
private let jsonWebTokenStart = Array("eyJ".utf8)

extension Span where Element == UInt8 {
    /// Tells whether some bytes, given in lower case, start at a position, in either case.
    fileprivate func hasIgnoringCase(_ bytes: [UInt8], at position: Int) -> Bool {
        guard count - position >= bytes.count else { return false }
        return bytes.indices.allSatisfy { offset in
            let byte = self[position + offset]
            return bytes[offset] == (0x41...0x5A ~= byte ? byte + 0x20 : byte)
        }
    }

    /// Tells whether some bytes occur in a range.
    ///
    /// Linear for the fixed words it is used with, since none of them repeats its own beginning.
    func contains(_ bytes: [UInt8], in range: Range<Int>) -> Bool {
        var index = range.lowerBound
        while index + bytes.count <= range.upperBound {
            if has(bytes, at: index) { return true }
            index += 1
        }
        return false
    }
}
