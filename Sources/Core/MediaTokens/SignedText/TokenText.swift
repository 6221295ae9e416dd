import EntitlementValues
import TextCodecs

/// The plain text of a token, after Base64 or percent-encoding around it was removed.
struct TokenText {
    /// The text from the opening marker on; UTF-8 without NUL.
    let bytes: [UInt8]
    /// The layers that were removed.
    let layers: TokenLayers
    /// Whether a percent-encoded text had a `+` that may have been a space.
    let hasFormPlus: Bool

    /// Removes the layers: Base64 at most twice, or percent-encoding.
    ///
    /// The plain text must start with the format's opening marker. In percent-encoded input, a `+` is read as a space
    /// from the offset `spaceStart` of the plain text on. Throws `.malformed` or `.foreignToken`.
    init(_ input: Span<UInt8>, format: FormatBytes, plusIsSpaceFrom spaceStart: Int = .max) throws(SignedTextError) {
        let start = input.skippingByteOrderMarkAndWhiteSpace(0)
        var layers = TokenLayers()
        var hasFormPlus = false
        var plain: [UInt8]
        if input.has(format.openingMarker, at: start) {
            plain = Array(copying: input.extracting(start..<input.count))
        } else if input.hasPercentEncoded(format.percentMarker, at: start) {
            (plain, hasFormPlus) = try Self.removingPercentEncoding(input, from: start, plusIsSpaceFrom: spaceStart)
            layers.isPercentEncoded = true
            layers.plusWasSpace = spaceStart != .max
        } else {
            (plain, layers.base64) = try Self.removingBase64(input, from: start, format: format)
        }
        guard plain.isTextWithoutNUL else {
            // A space that is read as a plus, and is none, moves all bits after it.
            throw .malformed(ForeignEncoding(of: input) == .joinedLines ? .encoded(.joinedLines) : .notText)
        }
        bytes = plain
        self.layers = layers
        self.hasFormPlus = hasFormPlus
    }

    private static func removingBase64(
        _ input: Span<UInt8>,
        from start: Int,
        format: FormatBytes
    ) throws(SignedTextError) -> (bytes: [UInt8], layers: Int) {
        guard start < input.count else { throw .malformed(.empty) }
        let tolerant: Base64.DecodingOptions = [.urlSafe, .unpadded, .transported]
        guard var bytes = Base64.decode(input, in: start..<input.count, options: tolerant) else {
            throw Lookalike.error(for: input, from: start)
        }
        for layers in 1...2 {
            let text = bytes[...]
            let start = text.span.skippingByteOrderMarkAndWhiteSpace(0)
            if text.span.has(format.openingMarker, at: start) {
                if start > 0 { bytes.removeFirst(start) }
                return (bytes, layers)
            }
            guard layers == 1, start < bytes.count,
                let inner = Base64.decode(text.span, in: start..<bytes.count, options: tolerant)
            else {
                let error = Lookalike.error(for: text.span, from: start, orElse: .layers)
                // Digits and joined lines pass for Base64 of something else.
                if case .malformed = error, let encoding = ForeignEncoding(of: input) {
                    throw .malformed(.encoded(encoding))
                }
                throw error
            }
            bytes = inner
        }
        throw .malformed(.layers)
    }

    /// Decodes `%XX` and nothing else; a `+` becomes a space only from `spaceStart` on.
    private static func removingPercentEncoding(
        _ input: Span<UInt8>,
        from start: Int,
        plusIsSpaceFrom spaceStart: Int
    ) throws(SignedTextError) -> (bytes: [UInt8], hasPlus: Bool) {
        let range = start..<input.count
        guard let bytes = Percent.decode(input, in: range, plusIsSpaceFrom: spaceStart) else {
            throw .malformed(.percentEncoding)
        }
        return (bytes, input.firstIndex(of: UInt8(ascii: "+"), in: range) != nil)
    }
}

extension Span where Element == UInt8 {
    /// The index of the first byte after white space and one UTF-8 byte order mark.
    package func skippingByteOrderMarkAndWhiteSpace(_ start: Int) -> Int {
        var index = start
        while index < count, self[index].isWhiteSpace { index += 1 }
        guard has([0xEF, 0xBB, 0xBF], at: index) else { return index }
        index += 3
        while index < count, self[index].isWhiteSpace { index += 1 }
        return index
    }

    /// Tells whether a percent-encoded marker starts at a position; hexadecimal digits may be in either case.
    func hasPercentEncoded(_ marker: [UInt8], at position: Int) -> Bool {
        guard count - position >= marker.count else { return false }
        var digitsLeft = 0
        for offset in marker.indices {
            let expected = marker[offset]
            let found = self[position + offset]
            if found != expected, digitsLeft == 0 || found.hexDigitValue != expected.hexDigitValue { return false }
            digitsLeft = expected == UInt8(ascii: "%") ? 2 : max(0, digitsLeft - 1)
        }
        return true
    }
}
