import TextCodecs

/// Splits a token's plain text at its two markers: `<signatureInfo>` SIGNATURE `<signatureInfo>` SIGNED TEXT.
struct TokenEnvelope {
    /// The signature, decoded.
    let signature: [UInt8]
    /// Everything after the second marker, to the byte.
    let signedRange: Range<Int>
    /// The spelling of the second marker, as an index into the format's `closingMarkers`.
    let closingMarker: Int

    /// Splits a text that starts with the opening marker.
    ///
    /// Throws `.malformed(.markers)` or `.malformed(.signatureText)`.
    init(_ text: Span<UInt8>, format: FormatBytes) throws(SignedTextError) {
        let signatureStart = format.openingMarker.count
        let signatureEnd = text.firstIndex(of: UInt8(ascii: "<"), in: signatureStart..<text.count) ?? text.count
        guard let closing = format.closingMarkers.firstIndex(where: { text.has($0, at: signatureEnd) }) else {
            throw .malformed(.markers)
        }
        let signedStart = signatureEnd + format.closingMarkers[closing].count
        let signedRange = signedStart..<text.count
        guard !text.trimmingWhiteSpace(signedRange).isEmpty, !Self.hasMarker(text, in: signedRange, format: format)
        else { throw .malformed(.markers) }
        // The signature check looks at its length: only a key says how long it must be.
        let signatureRange = signatureStart..<signatureEnd
        guard let signature = Base64.decode(text, in: signatureRange, options: .transported), !signature.isEmpty else {
            throw .malformed(.signatureText)
        }
        self.signature = signature
        self.signedRange = signedRange
        closingMarker = closing
    }

    /// A third marker would make it ambiguous which bytes are signed.
    private static func hasMarker(_ text: Span<UInt8>, in range: Range<Int>, format: FormatBytes) -> Bool {
        let isSecond = format.isSecondOfMarker
        var index = range.lowerBound
        while index + 1 < range.upperBound {
            // Among consecutive `<`, each is tested; otherwise `firstIndex` finds the next one many bytes at a time.
            if text[index] != UInt8(ascii: "<") {
                guard let next = text.firstIndex(of: UInt8(ascii: "<"), in: index..<range.upperBound - 1) else {
                    return false
                }
                index = next
            }
            if isSecond[Int(text[index + 1])], isMarker(text, at: index, format: format) { return true }
            index += 1
        }
        return false
    }

    private static func isMarker(_ text: Span<UInt8>, at index: Int, format: FormatBytes) -> Bool {
        text.has(format.openingMarker, at: index) || format.closingMarkers.contains { text.has($0, at: index) }
    }
}
